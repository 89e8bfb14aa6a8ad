//! `trimark compare` and `report` as their users call them.
