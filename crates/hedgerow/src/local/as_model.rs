//! What local machines tell of themselves, and what they can do.

use super::bounds::{BoundParams, RiskBound};
use super::{Explanation, FalkSvm, Knn, KnnSvm, LocalMachines, LocalModel, UpdateParams};
use crate::capability::{
    Adjust, Bounds, CoveringDrawing, DiscDrawing, Draw, Drawing, Explain, Facts, Update,
};
use crate::data::{Dataset, SamplesView};
use crate::kernel::Gram;
use crate::params::{Parameters, Value, read_as};
use crate::{Error, Model, Predictor, Result};

/// Nodes along a side of the square around a neighbourhood.
const NODES: usize = 61;

impl Model for Knn {
    fn facts(&self) -> Facts {
        vec![
            ("rows", self.n_rows().into()),
            ("neighbours", self.params().neighbours.into()),
        ]
    }

    fn has_probabilities(&self) -> bool {
        self.classes().is_some()
    }
}

impl Model for KnnSvm {
    fn facts(&self) -> Facts {
        vec![
            ("rows", self.n_rows().into()),
            ("neighbours", self.params().neighbours.into()),
        ]
    }

    fn has_probabilities(&self) -> bool {
        self.classes().is_some() && self.params().local.probability
    }
}

impl Model for FalkSvm {
    fn facts(&self) -> Facts {
        let sizes = self.radii().iter().map(|radii| radii.size);
        let params = self.params();
        let mut facts = vec![
            ("rows", self.n_rows().into()),
            ("centres", self.centres().len().into()),
            ("trained_machines", self.n_trained().into()),
            ("neighbourhood", sizes.max().into()),
            ("support_vectors", self.n_distinct_support().into()),
            ("neighbours", params.neighbours.into()),
            ("cost", params.local.cost.into()),
        ];
        for name in ["assign", "voters"] {
            match params.assign.get(name) {
                None | Some(Value::Nothing) => {}
                Some(value) => facts.push((name, value)),
            }
        }
        facts
    }

    fn has_probabilities(&self) -> bool {
        self.classes().is_some() && self.params().local.probability
    }

    fn as_update(&mut self) -> Option<&mut dyn Update> {
        Some(self)
    }

    fn as_adjust(&mut self) -> Option<&mut dyn Adjust> {
        Some(self)
    }

    fn as_explain(&self) -> Option<&dyn Explain> {
        Some(self)
    }

    fn as_bounds(&self) -> Option<&dyn Bounds> {
        Some(self)
    }

    fn as_draw(&self) -> Option<&dyn Draw> {
        Some(self)
    }

    fn centre_rows(&self) -> Option<Vec<u32>> {
        let centres = self.centres().iter();
        Some(centres.map(|&row| self.number_of(row)).collect())
    }
}

impl Update for FalkSvm {
    fn update(
        &mut self,
        added: Option<&Dataset>,
        removed: &[u32],
        settings: &[(String, Value)],
    ) -> Result<Facts> {
        let mut params = UpdateParams::default();
        for (name, value) in settings {
            match name.as_str() {
                "refresh" => params.refresh = read_as("refresh", value)?,
                _ => return Err(no_setting(name)),
            }
        }
        let report = FalkSvm::update(self, added, removed, &params)?;
        Ok(vec![
            ("added", report.added.into()),
            ("removed", report.removed.into()),
            ("retrained", report.retrained.into()),
            ("new_centres", report.new_centres.into()),
            ("lost_centres", report.lost_centres.into()),
            ("seconds", report.seconds.into()),
        ])
    }
}

fn no_setting(name: &str) -> Error {
    Error::UnknownName {
        what: "setting",
        name: name.to_owned(),
        known: "refresh, eta, vc_dimension".to_owned(),
    }
}

impl Adjust for FalkSvm {
    fn adjust(&mut self, name: &str, value: &Value) -> Result<bool> {
        let mut assign = self.params().assign;
        if !assign.set(name, value)? {
            return Ok(false);
        }
        assign.check()?;
        self.set_assign(assign);
        Ok(true)
    }
}

impl Explain for FalkSvm {
    fn explain(&self, samples: SamplesView<'_>, top: usize) -> Result<Vec<Value>> {
        let told = FalkSvm::explain(self, samples, top)?;
        Ok(told.iter().map(|one| self.in_words(one)).collect())
    }
}

impl FalkSvm {
    /// An explanation with class names, and rows numbered from 1.
    fn in_words(&self, told: &Explanation) -> Value {
        let name = |answer: f64| match self.classes() {
            Some(classes) => classes[answer as usize].to_string().into(),
            None => answer.into(),
        };
        let table = |entries: Vec<(&str, Value)>| {
            let entries = entries.into_iter();
            Value::Table(
                entries
                    .map(|(key, value)| (key.to_owned(), value))
                    .collect(),
            )
        };
        let influences = told.influences.iter().map(|one| {
            table(vec![
                ("row", (one.row + 1).into()),
                ("weight", one.weight.into()),
                ("label", name(one.answer)),
            ])
        });
        let columns = told.columns.iter().map(|&(column, part)| {
            table(vec![
                ("column", (column + 1).into()),
                ("squared_distance", part.into()),
            ])
        });
        table(vec![
            ("label", name(told.answer)),
            ("margin", told.margin.into()),
            ("model", told.model.into()),
            ("centre_row", (told.centre + 1).into()),
            ("distance_to_centre", told.distance.into()),
            ("rows_of_neighbourhood", told.size.into()),
            ("distance_by_column", Value::List(columns.collect())),
            ("radius_of_neighbourhood", told.radius.into()),
            (
                "kernel",
                told.kernel.as_ref().map(ToString::to_string).into(),
            ),
            ("support_vectors", told.support_vectors.into()),
            ("influences", Value::List(influences.collect())),
        ])
    }

    /// Decision values of the only machine of a neighbourhood, on a grid around its centre.
    fn grid_values(&self, machines: &LocalMachines, disc: &DiscDrawing) -> Result<Vec<f64>> {
        let offset = |i: usize| disc.neighbourhood * (2.0 * i as f64 / (NODES - 1) as f64 - 1.0);
        let place = |at: usize| {
            [
                disc.at.0 + offset(at % NODES),
                disc.at.1 + offset(at / NODES),
            ]
        };
        let nodes: Vec<f64> = (0..NODES * NODES).flat_map(place).collect();
        let gram = Gram::in_double(&machines.kernel, self.samples(), machines.support.clone())?;
        let values = gram.values(SamplesView::dense(2, &nodes)?)?;
        let machine = &machines.machines[0];
        // With one machine every support vector counts.
        let rows = values.chunks(machines.support.len().max(1));
        let value = |row: &[f64]| {
            let terms = row.iter().zip(&machine.coefficients);
            terms.map(|(value, beta)| value * beta).sum::<f64>() - machine.rho
        };
        Ok(rows.map(value).collect())
    }
}

impl Bounds for FalkSvm {
    fn bounds(&self, settings: &[(String, Value)]) -> Result<Facts> {
        let mut params = BoundParams {
            vc_dimension: self.n_features() as f64 + 1.0,
            ..BoundParams::default()
        };
        for (name, value) in settings {
            match name.as_str() {
                "eta" => params.eta = read_as("eta", value)?,
                "vc_dimension" => params.vc_dimension = read_as("vc_dimension", value)?,
                _ => return Err(no_setting(name)),
            }
        }
        params.check()?;
        let found = FalkSvm::bounds(self, &params)?;
        let number = |value: f64| format!("{value:.4}");
        let (bound, note) = match found.mean {
            RiskBound::AtMost(value) => (
                Some(value),
                format!(
                    "at most {}, with probability {}",
                    number(value),
                    Value::Number(1.0 - params.eta)
                ),
            ),
            RiskBound::TooLocal { share, needed } => (
                None,
                format!(
                    "none: a neighbourhood is {} of the rows and would have to be more than {} ({} neighbours)",
                    number(share),
                    number(needed),
                    found.least_neighbours
                ),
            ),
        };
        Ok(vec![
            ("local_training_error", found.training_error.into()),
            ("risk", note.into()),
            ("risk_bound", bound.into()),
            ("bound_needs_neighbours", found.least_neighbours.into()),
        ])
    }
}

impl Draw for FalkSvm {
    /// The covering of data in the plane.
    fn drawing(&self, _at: usize) -> Result<Drawing> {
        if self.n_features() != 2 {
            return Err(Error::Shape {
                what: "features of a model that is drawn",
                expected: 2,
                found: self.n_features(),
            });
        }
        let view = self.samples();
        let at = |row: usize| {
            let mut values = [0.0; 2];
            view.row(row).write_dense(&mut values);
            (values[0], values[1])
        };
        let (k, core) = self.params().sizes(self.n_rows());
        let title = format!(
            "{} rows, {} centres, {} machines (k = {k}, k' = {core})",
            self.n_rows(),
            self.centres().len(),
            self.n_trained(),
        );
        let codes = self.training_codes().unwrap_or(&[]);
        let points = (0..self.n_rows()).map(|row| {
            let (x, y) = at(row);
            (x, y, codes.get(row).copied().unwrap_or(0))
        });
        let classes = self.classes().unwrap_or_default().iter();
        let mut discs = Vec::new();
        let centres = self.centres().iter().zip(self.radii());
        for ((&row, radii), local) in centres.zip(self.local_models()) {
            let mut disc = DiscDrawing {
                at: at(row as usize),
                core: radii.core,
                neighbourhood: radii.neighbourhood,
                values: None,
            };
            if let LocalModel::Machines(machines) = local
                && machines.machines.len() == 1
            {
                disc.values = Some(self.grid_values(machines, &disc)?);
            }
            discs.push(disc);
        }
        Ok(Drawing::Covering(CoveringDrawing {
            title,
            points: points.collect(),
            classes: classes.map(|name| format!("class {name}")).collect(),
            discs,
            nodes: NODES,
        }))
    }
}
