//! Ctrl-C: no temporary file stays behind.

/// Exit code of a process that was interrupted: 128 + SIGINT.
const INTERRUPTED: i32 = 130;

/// From now on an interrupt removes unfinished outputs and ends the process.
pub(crate) fn install() {
    // If the handler cannot be installed the system's default ends the process: no reason to stop.
    let _ = ctrlc::set_handler(|| {
        hedgerow_io::abandon_outputs();
        exit();
    });
}

#[allow(
    clippy::exit,
    reason = "a signal handler has no caller to return a code to"
)]
fn exit() -> ! {
    std::process::exit(INTERRUPTED)
}
