//! Thread pools and interrupts.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often a waiting thread looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(100);

/// A pool with the process and the number of threads that it was made for.
type Made = (u32, usize, Arc<ThreadPool>);

/// Pools that were made, so that a call does not start threads. Those of another process stay:
/// after `fork` their threads are gone, and to end such a pool would wait for them.
static POOLS: Mutex<Vec<Made>> = Mutex::new(Vec::new());

/// The pool of so many threads; 0 means `RAYON_NUM_THREADS`, or one a core.
///
/// The global pool would be dead in a child of `fork`, and its size could not follow `n_jobs`.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = pools
        .iter()
        .find(|(owner, size, _)| (*owner, *size) == (process, threads));
    if let Some((_, _, pool)) = known {
        return Ok(Arc::clone(pool));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))?;
    let pool = Arc::new(pool);
    pools.push((process, threads, Arc::clone(&pool)));
    Ok(pool)
}

/// Runs `work` on the pool of so many threads.
pub(crate) fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    Ok(pool(threads)?.install(work))
}

/// As [`in_pool`], without the interpreter lock and with an eye on Ctrl-C.
///
/// On an interrupt the exception is raised at once. The work itself cannot be stopped: it is left
/// alone and ends by itself or with the process.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let worker = std::thread::Builder::new()
        .name("hedgerow".to_owned())
        .spawn(move || {
            let answer = in_pool(threads, work);
            // Nobody listens any more after an interrupt.
            let _ = sender.send(());
            answer
        })?;
    loop {
        let (returned, message) = py.detach(move || {
            let message = receiver.recv_timeout(SIGNAL_INTERVAL);
            (receiver, message)
        });
        receiver = returned;
        match message {
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            // Disconnected: the worker panicked, which joining shows.
            Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    match py.detach(move || worker.join()) {
        Ok(answer) => answer,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}
