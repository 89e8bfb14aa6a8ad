//! A request to stop, seen by whatever is running.
//!
//! Owns one flag that a signal handler or a test may raise; knows nothing of what is
//! stopped by it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use nix::sys::signal::{SigHandler, Signal, signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that says "stop, and clean up", with the signal that asked for it.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Asks for a stop on account of a signal number (positive).
    pub fn raise(&self, signal: i32) {
        self.signal.store(signal.unsigned_abs() as usize, Ordering::Relaxed);
    }

    /// Takes the request back, before the next run.
    pub fn clear(&self) {
        self.signal.store(0, Ordering::Relaxed);
    }

    /// The signal that asked for a stop, if one did. Cheap enough for every operation.
    #[inline]
    #[must_use]
    pub fn pending(&self) -> Option<i32> {
        match self.signal.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as i32),
        }
    }
}

/// SIGINT, SIGTERM and SIGHUP of this process: they end it as usual while nothing is at
/// stake, and only raise the [`Interrupt`] while something [holds](Self::hold) them.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    interrupt: Interrupt,
    idle: Arc<AtomicBool>,
}

impl Signals {
    /// Takes over the signals, but for a SIGHUP that whoever started this (`nohup`) wants
    /// ignored.
    ///
    /// # Errors
    /// The system's, when a handler cannot be set.
    pub fn install() -> io::Result<Self> {
        let signals = Self::default();
        signals.idle.store(true, Ordering::SeqCst);
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if signal == SIGHUP && hang_up_is_ignored()? {
                continue;
            }
            flag::register_conditional_default(signal, Arc::clone(&signals.idle))?;
            let number = signal as usize;
            flag::register_usize(signal, Arc::clone(&signals.interrupt.signal), number)?;
        }
        Ok(signals)
    }

    /// The flag they raise.
    #[must_use]
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// From now until the guard is dropped a signal only raises the flag.
    #[must_use]
    pub fn hold(&self) -> SignalsHeld<'_> {
        self.interrupt.clear();
        self.idle.store(false, Ordering::SeqCst);
        SignalsHeld { signals: self }
    }
}

fn hang_up_is_ignored() -> io::Result<bool> {
    // SAFETY: no handler is installed, and the one that was is put back.
    let before = unsafe { signal(Signal::SIGHUP, SigHandler::SigIgn)? };
    if matches!(before, SigHandler::SigIgn) {
        return Ok(true);
    }
    // SAFETY: this is what was there.
    unsafe { signal(Signal::SIGHUP, before)? };
    Ok(false)
}

/// As long as it lives, signals do not end the process.
#[derive(Debug)]
pub struct SignalsHeld<'a> {
    signals: &'a Signals,
}

impl Drop for SignalsHeld<'_> {
    fn drop(&mut self) {
        self.signals.idle.store(true, Ordering::SeqCst);
    }
}

/// The usual name of a signal.
#[must_use]
pub fn signal_name(signal: i32) -> String {
    match signal {
        1 => "SIGHUP".into(),
        2 => "SIGINT".into(),
        15 => "SIGTERM".into(),
        other => format!("signal {other}"),
    }
}
