//! Local model selection in the terms of a method's own search.

use super::{Around, FalkGrid, FalkParams, FalkSelection, Validate};
use crate::data::Dataset;
use crate::kernel::KernelSpec;
use crate::params::{Parameters, Value, read_as};
use crate::{Compared, Error, OwnSearch, Result, Searched, Views};

impl OwnSearch for FalkParams {
    fn search(
        &self,
        data: &Dataset,
        axes: &[(String, Vec<Value>)],
        settings: &[(String, Value)],
        progress: &(dyn Fn(&str) -> Result<()> + Sync),
    ) -> Result<Searched> {
        if settings.is_empty() {
            let grid = self.grid_of(axes, FalkGrid::for_race())?;
            let selection = self.race(data, &grid, &|done, total| {
                progress(&format!("{done} of {total} machines"))
            })?;
            return Ok(searched(&selection));
        }
        let mut grid = self.grid_of(axes, FalkGrid::default())?;
        for (name, value) in settings {
            match name.as_str() {
                "models" => grid.models = read_as("models", value)?,
                "folds" => grid.folds = read_as("folds", value)?,
                "balance" => grid.balance = read_as("balance", value)?,
                "inner_half" => {
                    if read_as("inner_half", value)? {
                        grid.validate = Validate::InnerHalf;
                    }
                }
                "centres" => {
                    if read_as("centres", value)? {
                        grid.around = Around::Centres;
                    }
                }
                _ => {
                    return Err(Error::UnknownName {
                        what: "setting of local model selection",
                        name: name.clone(),
                        known: "models, folds, balance, inner_half, centres".to_owned(),
                    });
                }
            }
        }
        let (_, selection) = self.select_with(data, &grid, &|state| {
            let (k, done, total) = (state.neighbours, state.done, state.total);
            progress(&format!("neighbourhoods of {k}: {done} of {total}"))
        })?;
        Ok(searched(&selection))
    }

    fn compare(
        &self,
        views: &Views<'_>,
        axes: Option<&[(String, Vec<Value>)]>,
    ) -> Result<Compared> {
        let grid = match axes {
            None => FalkGrid::for_race()
                .with_neighbours(&[self.neighbours])
                .with_costs(&[self.local.cost])
                .with_kernels(vec![self.local.solver.kernel.clone()]),
            Some(axes) => {
                let mut grid = self.grid_of(axes, FalkGrid::for_race())?;
                grid.neighbours = vec![middle(&grid.neighbours)];
                grid.costs = some(&grid.costs, COMPARED_COSTS);
                grid.kernels = some(&grid.kernels, COMPARED_KERNELS);
                grid
            }
        };
        self.compare_views(views, &grid.with_models(COMPARED_ON))
    }
}

/// Neighbourhoods that views are compared on, and values of C and kernels.
const COMPARED_ON: usize = 128;
const COMPARED_COSTS: usize = 1;
const COMPARED_KERNELS: usize = 3;

/// The middle of some sizes.
fn middle(sizes: &[usize]) -> usize {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    sizes[(sizes.len() - 1) / 2]
}

/// So many values, evenly from within a list.
fn some<T: Clone>(all: &[T], most: usize) -> Vec<T> {
    if all.len() <= most {
        return all.to_vec();
    }
    let place = |at: usize| (2 * at + 1) * all.len() / (2 * most);
    (0..most).map(|at| all[place(at)].clone()).collect()
}

impl FalkParams {
    /// What is tried: the usual values, or the axes that are named, with what the parameters say of
    /// all others.
    fn grid_of(&self, axes: &[(String, Vec<Value>)], usual: FalkGrid) -> Result<FalkGrid> {
        if axes.is_empty() {
            return Ok(usual);
        }
        let mut grid = usual
            .with_neighbours(&[self.neighbours])
            .with_costs(&[self.local.cost]);
        let mut kernels = vec![self.local.solver.kernel.clone()];
        for (name, values) in axes {
            match name.as_str() {
                "neighbours" | "k" => {
                    let sizes = values.iter().map(|value| read_as("neighbours", value));
                    grid.neighbours = sizes.collect::<Result<_>>()?;
                }
                "cost" => {
                    let costs = values.iter().map(|value| read_as("cost", value));
                    grid.costs = costs.collect::<Result<_>>()?;
                }
                name => {
                    kernels = varied(&kernels, name, values)?;
                }
            }
        }
        Ok(grid.with_kernels(kernels))
    }
}

/// Every kernel with every value of one of its parameters.
fn varied(kernels: &[KernelSpec], name: &str, values: &[Value]) -> Result<Vec<KernelSpec>> {
    let mut all = Vec::with_capacity(kernels.len() * values.len());
    for kernel in kernels {
        for value in values {
            let mut other = kernel.clone();
            if !other.set(name, value)? {
                return Err(Error::UnknownName {
                    what: "axis of local model selection",
                    name: name.to_owned(),
                    known: "neighbours, cost, kernel, gamma, degree, coef0, sigma, eta".to_owned(),
                });
            }
            all.push(other);
        }
    }
    Ok(all)
}

fn searched(selection: &FalkSelection) -> Searched {
    let candidates = selection.candidates.iter().map(|one| {
        let values = vec![
            one.neighbours.into(),
            one.kernel.to_string().into(),
            one.cost.into(),
        ];
        (values, one.score, one.deviation)
    });
    Searched {
        names: vec!["neighbours", "kernel", "cost"],
        candidates: candidates.collect(),
        best: selection.best,
        measure: selection.measure.name(),
        status: selection.status,
        seconds: selection.seconds,
        facts: vec![
            (
                "skipped_neighbours",
                selection.skipped_neighbours.clone().into(),
            ),
            ("neighbourhoods", selection.rows.len().into()),
        ],
    }
}
