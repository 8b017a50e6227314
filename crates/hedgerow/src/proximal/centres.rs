//! Rows that have a kernel function.

use super::cregec::CregecParams;
use super::words::CentreWord;
use crate::data::{Dataset, Generator, SamplesView};
use crate::kernel::{Gram, Kernel, KernelSpec};
use crate::linalg::pivots;
use crate::{Error, Result};

/// Kernel functions of a reduced problem unless said otherwise.
pub(super) const USUAL_CENTRES: usize = 1000;
/// Rows that landmarks are chosen from, for each of them.
const SAMPLE_OF_A_LANDMARK: usize = 10;
/// Stream of the seed that random rows come from.
const STREAM: u64 = 0x0063_656e_7472;

/// Some of `n` rows, ascending.
pub(super) fn choose(
    word: CentreWord,
    size: Option<usize>,
    kernel: &Kernel,
    view: SamplesView<'_>,
    seed: u64,
) -> Result<Vec<u32>> {
    let n = view.n_rows();
    let size = size.unwrap_or(USUAL_CENTRES).min(n);
    let mut generator = Generator::for_task(seed, STREAM);
    let drawn = |count: usize, generator: &mut Generator| -> Vec<u32> {
        let mut rows: Vec<u32> = generator
            .sample(n, count)
            .into_iter()
            .map(|row| row as u32)
            .collect();
        rows.sort_unstable();
        rows
    };
    match word {
        CentreWord::All | CentreWord::Chunk => Ok((0..n as u32).collect()),
        CentreWord::Random => Ok(drawn(size, &mut generator)),
        CentreWord::Landmarks => {
            let count = size.saturating_mul(SAMPLE_OF_A_LANDMARK).min(n);
            let sample = drawn(count, &mut generator);
            let gram = Gram::in_double(kernel, view, sample.clone())?;
            let taken = pivots(&gram.diagonal()?, size, |position| {
                let queries = gram.own_queries(&[position])?;
                let mut column = vec![0.0f64; sample.len()];
                gram.block(&queries, 0..sample.len(), &mut [&mut column[..]]);
                Ok(column)
            })?;
            let mut rows: Vec<u32> = taken.into_iter().map(|at| sample[at]).collect();
            rows.sort_unstable();
            if rows.is_empty() {
                return Err(Error::SingularPencil);
            }
            Ok(rows)
        }
    }
}

/// The rows that a selection keeps, ascending.
pub(super) fn of_chunk(
    kernel: &KernelSpec,
    delta: f64,
    most: Option<usize>,
    data: &Dataset,
) -> Result<Vec<u32>> {
    let selection = CregecParams {
        kernel: kernel.clone(),
        delta,
        max_chunk: most.map(|most| most.max(2)),
        updatable: false,
        ..CregecParams::default()
    };
    let mut rows = selection.fit(data)?.support.ok_or(Error::NoRows)?;
    rows.sort_unstable();
    Ok(rows)
}
