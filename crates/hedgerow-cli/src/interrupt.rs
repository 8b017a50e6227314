//! Ctrl-C and its relatives: no temporary file stays behind.

/// From now on a signal that ends the process removes unfinished outputs first, and a file that
/// becomes larger than the system allows is an error of writing.
pub(crate) fn install() {
    // If a handler cannot be installed the system's default ends the process: no reason to stop.
    let _ = handlers::install();
}

#[allow(
    clippy::exit,
    reason = "a signal handler has no caller to return a code to"
)]
fn end(code: i32) -> ! {
    hedgerow_io::abandon_outputs();
    std::process::exit(code)
}

#[cfg(unix)]
mod handlers {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    /// A shell's exit code for a process that a signal ended is this plus the signal.
    const SIGNALLED: i32 = 128;

    pub(super) fn install() -> std::io::Result<()> {
        // Any handler makes the write fail where the default would end the process.
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let ignored = ignored();
        // What the caller ignores stays ignored: nohup, and jobs in the background of a script.
        let ending = [SIGINT, SIGTERM, SIGHUP].into_iter();
        let ending = ending.filter(|signal| ignored & (1 << (signal - 1)) == 0);
        let mut signals = signal_hook::iterator::Signals::new(ending)?;
        std::thread::Builder::new().spawn(move || {
            if let Some(signal) = signals.forever().next() {
                super::end(SIGNALLED + signal);
            }
        })?;
        Ok(())
    }

    /// The signals that this process was started to ignore, a bit each; none where the system does
    /// not tell.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod handlers {
    pub(super) fn install() -> Result<(), ctrlc::Error> {
        /// As on other systems: 128 + SIGINT.
        const INTERRUPTED: i32 = 130;
        ctrlc::set_handler(|| super::end(INTERRUPTED))
    }
}
