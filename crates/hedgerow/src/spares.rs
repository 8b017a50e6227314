//! Buffers that parallel tasks hand on to one another.

use std::sync::{Mutex, PoisonError};

/// A stock of buffers. A task takes one and puts it back, so that there are never more than tasks
/// at a time. (Rayon's `map_init` makes one for every piece that it splits the work into: for large
/// buffers and pieces of one task each that is one for every task, with fresh memory each time.)
#[derive(Debug)]
pub(crate) struct Spares<T>(Mutex<Vec<T>>);

impl<T: Default> Spares<T> {
    /// No buffers yet.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Does some work with a buffer that nobody else has; what stands in it is undefined.
    pub(crate) fn lend<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // A task that panicked has taken its buffer with it: the stock is sound.
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffer = spare.unwrap_or_default();
        let result = work(&mut buffer);
        let mut stock = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stock.push(buffer);
        result
    }
}
