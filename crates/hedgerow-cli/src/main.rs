//! The `hedgerow` program: train, test and tune classifiers from the command line.
//!
//! Only this file turns failures into exit codes: 0 done, 1 the data or the task failed, 2 the
//! command line was wrong, 130 interrupted. A reader that closes the pipe early is no failure.

mod advice;
mod args;
mod claims;
mod commands;
mod failure;
mod input;
mod interrupt;
mod json;
mod measures;
mod session;
mod table;

use failure::Failure;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::install();
    let outcome = args::parse(std::env::args_os().collect()).and_then(commands::run);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        // clap has its own layout for errors, and prints help and version this way too.
        Err(Failure::CommandLine(error)) => {
            let printed = error.print();
            // Help that nobody gets, as on a full device, is a failure; a reader that left is none.
            let lost = printed.is_err_and(|e| e.kind() != std::io::ErrorKind::BrokenPipe);
            ExitCode::from(match (error.use_stderr(), lost) {
                (true, _) => 2,
                (false, lost) => u8::from(lost),
            })
        }
        Err(failure) => {
            let mut stderr = std::io::stderr().lock();
            // Without standard error only the exit code is left to tell.
            let _ = writeln!(stderr, "error: {failure}");
            if let Some(hint) = failure.hint() {
                let _ = writeln!(stderr, "hint: {hint}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
