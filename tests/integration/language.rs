//! The script language: every way to write a command, every way to get one wrong.

mod commands;
mod errors;
mod loading;
mod reading;
mod scripts;
mod suggestions;
