//! Where other tools lied or hurt, as far as the program shows it by itself.

mod commands;
mod counts;
mod figures;
mod halves;
mod limits;
mod reports;
mod runs;
