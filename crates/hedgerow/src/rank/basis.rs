//! Rows that have a kernel function.

use super::params::{BasisWord, RankRcParams};
use super::task::RankTask;
use crate::Result;
use crate::data::{Generator, SamplesView};
use crate::kernel::{Gram, Kernel};
use crate::linalg::pivots;

/// Stream of the seed that random rows come from; folds have another.
const STREAM: u64 = 0x0062_6173_6973;

/// The rows of the basis, ascending.
pub(super) fn choose(
    params: &RankRcParams,
    task: &RankTask,
    kernel: &Kernel,
    view: SamplesView<'_>,
) -> Result<Vec<u32>> {
    let n = task.levels.len();
    let rare = task.rare_rows();
    let usual = match params.basis {
        BasisWord::RareRandom => rare.len().saturating_mul(2),
        _ => rare.len(),
    };
    let size = params.basis_size.unwrap_or(usual);
    let mut generator = Generator::for_task(params.ranking.seed, STREAM);
    let mut basis = match params.basis {
        BasisWord::Rare => rare,
        BasisWord::All => (0..n as u32).collect(),
        BasisWord::Random => {
            let drawn = generator.sample(n, size.clamp(1, n));
            drawn.into_iter().map(|row| row as u32).collect()
        }
        BasisWord::RareRandom => {
            let mut is_rare = vec![false; n];
            for &row in &rare {
                is_rare[row as usize] = true;
            }
            let others: Vec<u32> = (0..n as u32)
                .filter(|&row| !is_rare[row as usize])
                .collect();
            let more = size.saturating_sub(rare.len()).min(others.len());
            let drawn = generator.sample(others.len(), more);
            let mut basis = rare;
            basis.extend(drawn.into_iter().map(|at| others[at]));
            basis
        }
        BasisWord::Landmarks => landmarks(kernel, view, &rare, size)?,
    };
    basis.sort_unstable();
    Ok(basis)
}

/// Some rows whose kernel functions come nearest to spanning those of all given ones.
fn landmarks(
    kernel: &Kernel,
    view: SamplesView<'_>,
    rows: &[u32],
    count: usize,
) -> Result<Vec<u32>> {
    let gram = Gram::in_double(kernel, view, rows.to_vec())?;
    let taken = pivots(&gram.diagonal()?, count, |position| {
        let queries = gram.own_queries(&[position])?;
        let mut column = vec![0.0f64; rows.len()];
        gram.block(&queries, 0..rows.len(), &mut [&mut column[..]]);
        Ok(column)
    })?;
    Ok(taken.into_iter().map(|at| rows[at]).collect())
}
