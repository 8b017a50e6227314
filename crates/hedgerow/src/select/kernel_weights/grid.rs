//! Weights at many pairs of prices at once.
//!
//! $\Omega$ has many minima, and searches at neighbouring prices end in different ones: what is good at
//! one pair is often better at the next than what was found there. So first, for every $C$, prices
//! $\mu$ ascend, each search beginning where the one before it ended and from the start as well.
//! Then every pair looks at the weights of its neighbours, in $C$ and in $\mu$, and goes on from those
//! that have a smaller $\Omega$ under its own prices, until no pair gains any more. All of
//! it looks at $\Omega$ on the training rows only.

use super::alternate::Found;
use super::kernel::Points;
use super::params::{KernelWeightsParams, WeightStart};
use crate::Result;
use crate::parallel::{Grain, try_map};

/// Rounds in which pairs look at their neighbours.
const EXCHANGES: usize = 4;
/// Share of its own $\Omega$ that a pair must gain to take over weights of a neighbour.
const LEAST_GAIN: f64 = 1e-3;

/// Pairs of prices.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    pub(super) costs: Vec<f64>,
    /// The prices $\mu$ of each $C$, ascending, as many of each.
    pub(super) mus: Vec<Vec<f64>>,
}

impl Grid {
    /// One pair.
    pub(super) fn single(cost: f64, mu: f64) -> Self {
        Self {
            costs: vec![cost],
            mus: vec![vec![mu]],
        }
    }

    fn width(&self) -> usize {
        self.mus.first().map_or(0, Vec::len)
    }

    pub(super) fn n_pairs(&self) -> usize {
        self.costs.len() * self.width()
    }

    /// The prices of a pair; pairs are numbered $C$ by $C$.
    pub(super) fn pair(&self, at: usize) -> (f64, f64) {
        let (row, column) = (at / self.width(), at % self.width());
        (self.costs[row], self.mus[row][column])
    }

    /// Pairs next to one.
    fn neighbours(&self, at: usize) -> Vec<usize> {
        let width = self.width();
        let (row, column) = (at / width, at % width);
        let mut out = Vec::with_capacity(4);
        if column > 0 {
            out.push(at - 1);
        }
        if column + 1 < width {
            out.push(at + 1);
        }
        if row > 0 {
            out.push(at - width);
        }
        if row + 1 < self.costs.len() {
            out.push(at + width);
        }
        out
    }
}

/// What was found at a pair, and from which start it came.
pub(super) type AtPair = (Found, WeightStart);

/// What is looked at: rows, classes, rows of the kernel functions if not all.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) points: &'a Points,
    pub(super) signs: &'a [f64],
    pub(super) landmarks: Option<&'a [usize]>,
}

impl KernelWeightsParams {
    /// What is found at every pair of a grid.
    pub(super) fn on_grid(&self, rows: Rows<'_>, grid: &Grid) -> Result<Vec<AtPair>> {
        let paths = try_map(grid.costs.len(), Grain::ONE, &|row| {
            self.path(rows, grid.costs[row], &grid.mus[row])
        })?;
        let mut found = paths.concat();
        let mut changed = vec![true; found.len()];
        for _ in 0..EXCHANGES {
            let (now, news) = (&found, &changed);
            let better = try_map(found.len(), Grain::ONE, &|at| {
                self.gain_of_neighbours(rows, grid, at, now, news)
            })?;
            changed = better.iter().map(Option::is_some).collect();
            for (own, better) in found.iter_mut().zip(better) {
                if let Some(better) = better {
                    *own = better;
                }
            }
            if !changed.contains(&true) {
                break;
            }
        }
        Ok(found)
    }

    /// One $C$: prices $\mu$ ascend.
    fn path(&self, rows: Rows<'_>, cost: f64, mus: &[f64]) -> Result<Vec<AtPair>> {
        let mut out: Vec<AtPair> = Vec::with_capacity(mus.len());
        for &mu in mus {
            let search = self.search(rows, (cost, mu));
            let mut all = Vec::new();
            for &kind in self.starts() {
                all.push((search.from(kind)?, kind));
            }
            if let Some((before, kind)) = out.last() {
                let machine = Some(&before.machine);
                all.push((search.run(before.variables.clone(), machine)?, *kind));
            }
            let best = all
                .into_iter()
                .min_by(|a, b| a.0.objective.total_cmp(&b.0.objective));
            out.extend(best);
        }
        Ok(out)
    }

    /// Goes on from the weights of the neighbour that has the smallest $\Omega$ here, if that is
    /// less than what was found here. `news`: whose weights changed since they were looked at last.
    fn gain_of_neighbours(
        &self,
        rows: Rows<'_>,
        grid: &Grid,
        at: usize,
        found: &[AtPair],
        news: &[bool],
    ) -> Result<Option<AtPair>> {
        let own = &found[at].0;
        let (cost, mu) = grid.pair(at);
        let search = self.search(rows, (cost, mu));
        let mut best: Option<(f64, usize)> = None;
        let mut least = own.objective * (1.0 - LEAST_GAIN);
        for other in grid.neighbours(at).into_iter().filter(|&other| news[other]) {
            let Found {
                variables, machine, ..
            } = &found[other].0;
            let here = if grid.pair(other).0 == cost {
                // The same machine is the best one: only the price of the weights differs.
                search.omega(machine, variables)
            } else {
                let near = search.warm(machine, 1.0);
                let machine = search.machine(variables, Some((&near.0, near.1)))?;
                search.omega(&machine, variables)
            };
            if here < least {
                least = here;
                best = Some((here, other));
            }
        }
        let Some((_, other)) = best else {
            return Ok(None);
        };
        let (near, kind) = &found[other];
        let again = search.run(near.variables.clone(), Some(&near.machine))?;
        Ok((again.objective < own.objective).then_some((again, *kind)))
    }
}
