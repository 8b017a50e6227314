//! From data to surfaces.

use super::assemble::{Found, Setting, model};
use super::calibration::calibrated;
use super::centres;
use super::design::Design;
use super::model::{Figures, ProximalModel};
use super::params::{GepsvmParams, RegecParams, SurfaceParams, is_linear};
use super::problem::{Problem, Recipe, Route};
use super::words::{CentreWord, PlaneScheme, Regularisation};
use crate::data::{Dataset, ensure_equal_weights, numbers_of_weighty, without_weightless_rows};
use crate::kernel::Kernel;
use crate::linalg::ensure_finite_norms;
use crate::machines::{ClassRows, Multiclass, pairs};
use crate::{Error, Fitted, Report, Result, Status};
use std::time::Instant;

/// Rows by class, checked for what all proximal methods need.
pub(super) fn class_rows(data: &Dataset) -> Result<ClassRows> {
    ensure_equal_weights(data)?;
    let view = data.samples().view();
    view.ensure_finite()?;
    if view.n_rows() == 0 {
        return Err(Error::NoRows);
    }
    let rows = ClassRows::new(data.classes()?);
    if rows.members.len() < 2 {
        return Err(Error::TooFewClasses {
            needed: 2,
            found: rows.members.len(),
        });
    }
    if view.n_features() == 0 {
        return Err(Error::Shape {
            what: "features",
            expected: 1,
            found: 0,
        });
    }
    Ok(rows)
}

/// The class that is offered first and wins ties: of two the positive one, of more the first.
pub(super) fn leading_class(data: &Dataset, rows: &ClassRows) -> Result<usize> {
    if rows.members.len() > 2 {
        return Ok(0);
    }
    let positive = data.classes()?.positive();
    Ok(rows
        .codes
        .iter()
        .position(|&code| code == positive)
        .unwrap_or(0))
}

pub(super) fn fit_gepsvm(params: &GepsvmParams, data: &Dataset) -> Result<Fitted<ProximalModel>> {
    let recipe = Recipe::Apart(params.delta);
    fit(&params.surface, recipe, params.delta, data)
}

pub(super) fn fit_regec(params: &RegecParams, data: &Dataset) -> Result<Fitted<ProximalModel>> {
    let recipe = Recipe::Shared(params.rule(), params.shares());
    fit(&params.surface, recipe, params.delta, data)
}

fn fit(
    params: &SurfaceParams,
    recipe: Recipe,
    delta: f64,
    data: &Dataset,
) -> Result<Fitted<ProximalModel>> {
    let start = Instant::now();
    let given = data;
    let data = without_weightless_rows(data)?;
    let (mut model, kept) = once(params, recipe, delta, &data)?;
    if params.probability {
        let again = |part: &Dataset| Ok(once(params, recipe, delta, part)?.0);
        model = calibrated(model, &data, params.seed, again)?;
    }
    let kept: Vec<usize> = kept.iter().map(|&row| row as usize).collect();
    let objective = match model.figures() {
        Figures::Surfaces { facts, .. } => facts.iter().map(|one| one.quotient).sum(),
        Figures::Directions { .. } => 0.0,
    };
    let report = Report {
        status: Status::Converged,
        iterations: 1,
        objective,
        support_vectors: kept.len(),
        bounded: 0,
        seconds: start.elapsed().as_secs_f64(),
    };
    let fitted = Fitted::new(model, report);
    Ok(if kept.is_empty() {
        fitted
    } else {
        fitted.with_support(numbers_of_weighty(given, &kept))
    })
}

/// One fit without calibration, and the rows that it keeps.
fn once(
    params: &SurfaceParams,
    recipe: Recipe,
    delta: f64,
    data: &Dataset,
) -> Result<(ProximalModel, Vec<u32>)> {
    let rows = class_rows(data)?;
    let view = data.samples().view();
    let linear = is_linear(&params.kernel);
    let kernel = if linear {
        ensure_finite_norms(view)?;
        None
    } else {
        Some(params.kernel.resolve(view, params.seed)?)
    };
    let reduced = match (&kernel, params.centres) {
        (None, _) | (_, CentreWord::All) => None,
        (Some(_), CentreWord::Chunk) => Some(centres::of_chunk(
            &params.kernel,
            delta,
            params.centre_count,
            data,
        )?),
        (Some(kernel), word) => {
            let size = params.centre_count;
            Some(centres::choose(word, size, kernel, view, params.seed)?)
        }
    };
    let work = Work {
        params,
        recipe,
        kernel: kernel.as_ref(),
        reduced,
        data,
        rows: &rows,
    };
    let pairwise = rows.members.len() == 2 || params.multiclass == PlaneScheme::OneVsOne;
    let lead = leading_class(data, &rows)?;
    let found = if pairwise {
        work.pairs(lead)?
    } else {
        work.one_each()?
    };
    let setting = Setting {
        kernel: kernel.as_ref(),
        view,
        norm: params.norm,
        classes: rows.names.clone(),
        tie: lead as u32,
        multiclass: match params.multiclass {
            PlaneScheme::OneVsRest => Multiclass::OneVsRest,
            PlaneScheme::OneVsOne => Multiclass::OneVsOne,
        },
    };
    model(setting, found)
}

/// A fit under way.
struct Work<'a> {
    params: &'a SurfaceParams,
    recipe: Recipe,
    kernel: Option<&'a Kernel>,
    /// Centres, unless every row of a problem is one.
    reduced: Option<Vec<u32>>,
    data: &'a Dataset,
    rows: &'a ClassRows,
}

impl Work<'_> {
    /// Two surfaces a pair of classes, those of the earlier class first.
    fn pairs(&self, lead: usize) -> Result<Vec<Found>> {
        let members = &self.rows.members;
        let mut all = Vec::new();
        for (a, b) in pairs(members.len()) {
            let (first, second) = if b == lead { (b, a) } else { (a, b) };
            let (own, other) = (&members[first], &members[second]);
            let [one, two] = self.solve(own, other, |problem: &Problem<'_>| {
                let both = problem.both()?;
                Ok(both)
            })?;
            if first == a {
                all.extend([one, two]);
            } else {
                all.extend([two, one]);
            }
        }
        Ok(all)
    }

    /// One surface a class.
    fn one_each(&self) -> Result<Vec<Found>> {
        let members = &self.rows.members;
        (0..members.len())
            .map(|c| {
                let others: Vec<u32> = (0..members.len())
                    .filter(|&o| o != c)
                    .flat_map(|o| members[o].iter().copied())
                    .collect();
                let [found] = self.solve(&members[c], &others, |problem| Ok([problem.first()?]))?;
                Ok(found)
            })
            .collect()
    }

    fn solve<const N: usize>(
        &self,
        first: &[u32],
        second: &[u32],
        solve: impl Fn(&Problem<'_>) -> Result<[super::pencil::Surface; N]>,
    ) -> Result<[Found; N]> {
        let view = self.data.samples().view();
        let (design, centres, origin) = if let Some(kernel) = self.kernel {
            let centres = match &self.reduced {
                Some(centres) => centres.clone(),
                None => [first, second].concat(),
            };
            let design = Design::of_kernel(kernel, view, centres.clone())?;
            (design, centres, Vec::new())
        } else {
            let origin = self.origin();
            let design = Design::of_features(view, origin.clone());
            (design, Vec::new(), origin)
        };
        let problem = Problem {
            design: &design,
            first,
            second,
            recipe: self.recipe,
            memory_bytes: self.params.memory_bytes(),
            route: if self.kernel.is_some() && self.reduced.is_none() {
                Route::RowsIfMany
            } else {
                Route::Matrices
            },
        };
        let surfaces = solve(&problem)?;
        Ok(surfaces.map(|mut surface| {
            // Planes were found relative to the origin.
            surface.offset += crate::linalg::dot(&surface.coefficients[..origin.len()], &origin);
            Found {
                centres: centres.clone(),
                surface,
            }
        }))
    }

    /// The mean of all rows where a shift of the data only shifts the planes; otherwise zeros.
    fn origin(&self) -> Vec<f64> {
        let view = self.data.samples().view();
        let mut origin = vec![0.0; view.n_features()];
        let free = match self.recipe {
            Recipe::Shared(rule, _) => rule == Regularisation::Cross,
            Recipe::Apart(delta) => delta == 0.0,
        };
        if free {
            let share = (view.n_rows() as f64).recip();
            for i in 0..view.n_rows() {
                view.row(i).for_each(|f, x| origin[f] += share * x);
            }
        }
        origin
    }
}
