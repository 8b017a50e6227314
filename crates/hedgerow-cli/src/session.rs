//! What all commands share: the seed, the threads, and where words go.

use crate::args::Common;
use crate::claims::Claims;
use crate::failure::Failure;
use hedgerow_io::OutputFile;
use serde_json::Value;
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The settings of one run.
pub(crate) struct Session {
    /// Source of all randomness.
    pub(crate) seed: u64,
    /// Threads of the pool.
    pub(crate) threads: usize,
    json: bool,
    quiet: bool,
    terminal: bool,
    /// Data go to standard output, so words go to standard error.
    stdout_taken: AtomicBool,
    claims: Mutex<Claims>,
}

/// Threads a core beyond which more only wait, and cost memory.
const THREADS_A_CORE: usize = 4;

impl Session {
    /// Starts the threads.
    pub(crate) fn start(common: &Common) -> Result<Self, Failure> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = common.threads.min(THREADS_A_CORE * cores);
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()
            .map_err(|error| Failure::Threads {
                threads: common.threads,
                reason: error.to_string(),
            })?;
        let session = Self {
            seed: common.seed,
            threads: rayon::current_num_threads(),
            json: common.json,
            quiet: common.quiet,
            terminal: std::io::stderr().is_terminal(),
            stdout_taken: AtomicBool::new(false),
            claims: Mutex::default(),
        };
        if threads < common.threads {
            session.warn(format_args!(
                "--threads {} is cut to {threads}: more than {THREADS_A_CORE} a core only wait",
                common.threads
            ));
        }
        Ok(session)
    }

    fn claims(&self, claim: impl FnOnce(&mut Claims) -> Result<(), String>) -> Result<(), Failure> {
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claim(&mut claims).map_err(Failure::Usage)
    }

    /// Declares a file that is read; an error if an output would replace it.
    pub(crate) fn claim_input(&self, path: &str) -> Result<(), Failure> {
        self.claims(|claims| claims.read(path))
    }

    /// Declares an output before any work is done, so that a path that cannot be written is found
    /// at once. If it is standard output, words will keep out of its way.
    /// An output that is also an input, or another output, is refused.
    pub(crate) fn claim_output(&self, what: &str, path: &str) -> Result<(), Failure> {
        self.claims(|claims| claims.write(what, path))?;
        self.open_output(what, path)
    }

    /// As [`claim_output`](Self::claim_output), for an output that may replace the input.
    pub(crate) fn claim_output_in_place(&self, what: &str, path: &str) -> Result<(), Failure> {
        self.claims(|claims| claims.write_in_place(what, path))?;
        self.open_output(what, path)
    }

    fn open_output(&self, what: &str, path: &str) -> Result<(), Failure> {
        if path != "-" {
            let target = Path::new(path);
            // Opening a pipe would wait for its reader: only what will be a file is tried.
            if std::fs::metadata(target).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
                return Ok(());
            }
            // Dropped unfinished, it leaves nothing behind.
            return Ok(OutputFile::create(target).map(drop)?);
        }
        if self.json {
            return Err(Failure::usage(format!(
                "{what} is standard output, where --json prints its result: name a file"
            )));
        }
        if self.stdout_taken.swap(true, Ordering::Relaxed) {
            return Err(Failure::usage(format!(
                "{what} is standard output, which another output uses: name a file"
            )));
        }
        Ok(())
    }

    /// Prints a line of the summary for people.
    pub(crate) fn say(&self, line: impl Display) -> Result<(), Failure> {
        if self.json || self.quiet {
            return Ok(());
        }
        if self.stdout_taken.load(Ordering::Relaxed) {
            note(line);
            return Ok(());
        }
        writeln!(std::io::stdout().lock(), "{line}").map_err(Failure::Stdout)
    }

    /// Prints what was asked for itself (a list, a description), even with `--quiet`.
    pub(crate) fn answer(&self, text: impl Display) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        writeln!(std::io::stdout().lock(), "{text}").map_err(Failure::Stdout)
    }

    /// Prints the result object, if it was asked for.
    pub(crate) fn result(&self, value: &Value) -> Result<(), Failure> {
        if !self.json {
            return Ok(());
        }
        writeln!(std::io::stdout().lock(), "{value}").map_err(Failure::Stdout)
    }

    /// Warns on standard error.
    pub(crate) fn warn(&self, warning: impl Display) {
        if !self.quiet {
            note(format_args!("warning: {warning}"));
        }
    }

    /// Overwrites the progress line, if a person is watching.
    pub(crate) fn progress(&self, text: impl Display) {
        if self.terminal && !self.quiet {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "\r\x1b[2K{text}");
            let _ = stderr.flush();
        }
    }

    /// Removes the progress line.
    pub(crate) fn progress_done(&self) {
        self.progress("");
    }
}

fn note(line: impl Display) {
    // If standard error is closed nobody is there to be told.
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
