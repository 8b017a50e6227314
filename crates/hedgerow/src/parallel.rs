//! Parallel loops that are compiled once.
//!
//! Each chain of Rayon's iterators is compiled anew: some two thousand lines of machinery a loop,
//! and again for each type that the loop is generic in. Here one loop over numbers calls a function
//! by its address; what stands around it hands out pieces and puts answers in their order. A task
//! must be worth a lock and such a call: a chunk of rows, not a row.

use crate::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How tasks are dealt out to threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grain {
    min: usize,
    max: usize,
}

impl Grain {
    /// Many neighbouring tasks at a time, fewer while other threads have nothing to do.
    pub(crate) const COARSE: Self = Self::at_least(1);
    /// One at a time: for tasks that take very different times.
    pub(crate) const ONE: Self = Self { min: 1, max: 1 };

    /// As [`Grain::COARSE`], but never fewer than so many at a time.
    pub(crate) const fn at_least(min: usize) -> Self {
        Self {
            min,
            max: usize::MAX,
        }
    }
}

/// Runs tasks `0..n`.
pub(crate) fn run(n: usize, grain: Grain, task: &(dyn Fn(usize) + Sync)) {
    // Waking another thread would take longer than a single task.
    if n == 1 {
        return task(0);
    }
    (0..n)
        .into_par_iter()
        .with_min_len(grain.min)
        .with_max_len(grain.max)
        .for_each(task);
}

/// Runs a task for each item, with its number.
pub(crate) fn for_each<I: Send>(
    items: impl Iterator<Item = I>,
    grain: Grain,
    task: &(dyn Fn(usize, I) + Sync),
) {
    run_slots(&items.map(slot_of).collect::<Vec<_>>(), grain, task);
}

fn slot_of<T>(value: T) -> Mutex<Option<T>> {
    Mutex::new(Some(value))
}

fn run_slots<I: Send>(slots: &[Mutex<Option<I>>], grain: Grain, task: &(dyn Fn(usize, I) + Sync)) {
    run(slots.len(), grain, &|i| {
        let item = slots[i]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(item) = item {
            task(i, item);
        }
    });
}

/// Runs a task for each chunk of `size` values, with its number.
pub(crate) fn for_each_chunk<T: Send>(
    values: &mut [T],
    size: usize,
    grain: Grain,
    task: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    for_each(values.chunks_mut(size), grain, task);
}

/// As [`for_each`], or the first error that was met. After one no more tasks are begun.
pub(crate) fn try_for_each<I: Send>(
    items: impl Iterator<Item = I>,
    grain: Grain,
    task: &(dyn Fn(usize, I) -> Result<()> + Sync),
) -> Result<()> {
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let failed = AtomicBool::new(false);
    for_each(items, grain, &|i, item| {
        if failed.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = task(i, item) {
            failed.store(true, Ordering::Relaxed);
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(at, _)| i < *at) {
                *first = Some((i, error));
            }
        }
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// The answers of tasks `0..n`, in their order.
pub(crate) fn map<R: Send>(n: usize, grain: Grain, task: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut answers = Vec::new();
    answers.resize_with(n, || None);
    for_each(answers.iter_mut(), grain, &|i, answer| {
        *answer = Some(task(i));
    });
    answers.into_iter().flatten().collect()
}

/// The answers of tasks `0..n`, in their order, or the first error that was met.
pub(crate) fn try_map<R: Send>(
    n: usize,
    grain: Grain,
    task: &(dyn Fn(usize) -> Result<R> + Sync),
) -> Result<Vec<R>> {
    let mut answers = Vec::new();
    answers.resize_with(n, || None);
    try_for_each(answers.iter_mut(), grain, &|i, answer| {
        *answer = Some(task(i)?);
        Ok(())
    })?;
    Ok(answers.into_iter().flatten().collect())
}

/// What the tasks give for the ranges of `size` numbers that `0..n` is cut into, one after the other.
pub(crate) fn concat<R: Send>(
    n: usize,
    size: usize,
    task: &(dyn Fn(Range<usize>) -> Vec<R> + Sync),
) -> Vec<R> {
    let parts = map(n.div_ceil(size), Grain::COARSE, &|part| {
        task(part * size..n.min((part + 1) * size))
    });
    parts.into_iter().flatten().collect()
}

/// As [`concat`], or the first error that was met.
pub(crate) fn try_concat<R: Send>(
    n: usize,
    size: usize,
    task: &(dyn Fn(Range<usize>) -> Result<Vec<R>> + Sync),
) -> Result<Vec<R>> {
    let parts = try_map(n.div_ceil(size), Grain::COARSE, &|part| {
        task(part * size..n.min((part + 1) * size))
    })?;
    Ok(parts.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stand_in_the_order_of_their_tasks() {
        for grain in [Grain::COARSE, Grain::ONE, Grain::at_least(7)] {
            let squares = map(100, grain, &|i| i * i);
            assert!(
                squares
                    .iter()
                    .enumerate()
                    .all(|(i, &square)| square == i * i)
            );
        }
        let numbers: Vec<usize> = (0..1000).collect();
        assert_eq!(concat(1000, 33, &Iterator::collect), numbers);
        assert!(concat(0, 33, &Iterator::collect::<Vec<usize>>).is_empty());
    }

    #[test]
    fn each_chunk_is_handed_out_once() {
        let mut counts = vec![0; 1001];
        for_each_chunk(&mut counts, 10, Grain::COARSE, &|number, chunk| {
            assert_eq!(chunk.len(), if number == 100 { 1 } else { 10 });
            for count in chunk {
                *count += number + 1;
            }
        });
        assert!(
            counts
                .iter()
                .enumerate()
                .all(|(i, &count)| count == i / 10 + 1)
        );
    }

    #[test]
    fn an_error_is_an_error_whichever_task_meets_it() {
        for bad in [0, 50, 99] {
            let tried = try_map(100, Grain::COARSE, &|i| {
                if i == bad { Err(Error::NoRows) } else { Ok(i) }
            });
            assert!(matches!(tried, Err(Error::NoRows)));
        }
    }
}
