//! Creates and unlinks per second next to other programs that do the same, and to the
//! bare system calls; what a second worker brings; what the instruments cost.
//!
//! `cargo bench --bench peers [-- ROUNDS]`. `fs_mark`, `postmark` and `fio` take part
//! where they are installed, ext4 where root can mount an image; what is missing is said.

mod contenders;
mod instruments;
#[path = "../numbers.rs"]
mod numbers;
mod volume;

use contenders::{CONTENDERS, Contest, FLOOR, FS_MARK, Rates, TRIMARK};
use numbers::{median, sorted};
use volume::{Volume, program};

/// At least as fast as `fs_mark`.
const AGAINST_FS_MARK: f64 = 1.0;
/// Nearly as fast as the system calls alone.
const AGAINST_FLOOR: f64 = 0.95;

fn main() {
    let rounds = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(7).max(1);
    for (name, package) in [("fs_mark", "fsmark"), ("postmark", "postmark"), ("fio", "fio")] {
        if program(name).is_none() {
            println!("SKIPPED: `{name}` is not installed (Debian's package {package})");
        }
    }
    let memory = or_skip("tmpfs", Volume::in_memory());
    let disk = or_skip("ext4", Volume::ext4());
    println!(
        "files per second, median of {rounds} rounds in turn; - where a program cannot do it\n\
         trimark: as it comes, with `set latency operations`; floor: the same system calls alone\n\
         fs_mark: longer names, in the same number of directories; its unlinks by subtraction\n\
         1 B: trimark has no empty files; fio's creates are of empty files, and never written to"
    );
    // First what needs a quiet machine: after work on a disk, it writes back for a while.
    if let Some(memory) = &memory {
        instruments::scaling(memory, rounds);
        instruments::costs(memory, (3 * rounds).max(9));
    }
    for volume in memory.iter().chain(&disk) {
        contests(volume, rounds);
    }
}

fn or_skip(name: &str, volume: Result<Volume, String>) -> Option<Volume> {
    volume.inspect_err(|reason| println!("SKIPPED: {name}: {reason}")).ok()
}

fn contests(volume: &Volume, rounds: usize) {
    print!("\n{:<34}", volume.name);
    CONTENDERS.iter().for_each(|contender| print!("{:>12}", contender.name));
    println!("{:>12}{:>8}{:>12}{:>8}", "/ fs_mark", "bound", "/ floor", "bound");
    for fsync in [false, true] {
        for threads in [1, 2] {
            for size in [1, 4096] {
                // A sync on a device takes a thousand times as long as one in memory.
                let files = if fsync && volume.name == "ext4" { 1_000 } else { 120_000 };
                contest(volume, Contest { size, files, threads, fsync }, rounds);
            }
        }
    }
}

fn contest(volume: &Volume, contest: Contest, rounds: usize) {
    let mut all: Vec<Vec<Rates>> = Vec::new();
    for round in 0..rounds {
        let mut row = vec![Rates::default(); CONTENDERS.len()];
        for turn in 0..CONTENDERS.len() {
            // Every second round goes backwards, and each begins with another.
            let turn = if round % 2 == 0 { turn } else { CONTENDERS.len() - 1 - turn };
            let which = (turn + round) % CONTENDERS.len();
            volume.settle();
            row[which] = (CONTENDERS[which].measure)(volume, contest);
        }
        all.push(row);
    }
    let title = format!(
        "{} B, {} thread{}{}",
        contest.size,
        contest.threads,
        if contest.threads > 1 { "s" } else { "" },
        if contest.fsync { ", fsync" } else { "" }
    );
    line(&format!("create {title}"), &all, |rates| rates.create);
    line(&format!("unlink {title}"), &all, |rates| rates.unlink);
}

fn line(title: &str, rounds: &[Vec<Rates>], of: fn(&Rates) -> Option<f64>) {
    print!("{title:<34}");
    for which in 0..CONTENDERS.len() {
        let rates = sorted(rounds.iter().filter_map(|round| of(&round[which])));
        print!("{:>12}", middle(&rates, 0));
    }
    for (peer, bound) in [(FS_MARK, AGAINST_FS_MARK), (FLOOR, AGAINST_FLOOR)] {
        let ratios = sorted(
            rounds.iter().filter_map(|round| Some(of(&round[TRIMARK])? / of(&round[peer])?)),
        );
        let good = ratios.is_empty() || median(&ratios) >= bound;
        print!("{:>12}{:>8}", middle(&ratios, 3), verdict(good, bound));
    }
    println!();
}

fn middle(sorted: &[f64], digits: usize) -> String {
    if sorted.is_empty() { "-".into() } else { format!("{:.digits$}", median(sorted)) }
}

/// The bound, marked where it was missed.
fn verdict(good: bool, bound: f64) -> String {
    format!("{bound:.2}{}", if good { " " } else { "!" })
}
