//! Rows packed for a kernel, without the samples that they came from.

use super::composite::{Composite, CompositeQueries};
use super::layout::{Formula, Precision, Survey};
use super::packed::{Packed, Queries};
use super::{Kernel, Radial};
use crate::Result;
use crate::data::SamplesView;
use crate::linalg::Real;
use std::ops::Range;

/// A kernel bound to rows that are packed as its formula and their numbers want it.
pub(crate) struct BoundRows {
    engine: Engine,
    n_rows: usize,
    rounding: f64,
}

enum Engine {
    Single(Packed<f32>),
    Double(Packed<f64>),
    Composite(Composite),
}

/// Query rows prepared for one [`super::Gram`].
pub struct GramQueries {
    count: usize,
    form: QueryForm,
}

impl GramQueries {
    /// Number of queries.
    pub(super) fn len(&self) -> usize {
        self.count
    }
}

enum QueryForm {
    Single(Queries<f32>),
    Double(Queries<f64>),
    Composite(CompositeQueries),
}

/// The formula of a kernel that needs one accumulated number only.
pub(super) fn simple_formula(kernel: &Kernel) -> Option<Formula> {
    match *kernel {
        Kernel::Linear => Some(Formula::Dot),
        Kernel::Polynomial {
            gamma,
            coef0,
            degree,
        } => Some(Formula::Polynomial {
            gamma,
            coef0,
            degree,
        }),
        Kernel::Sigmoid { gamma, coef0 } => Some(Formula::Sigmoid { gamma, coef0 }),
        Kernel::CityBlock { gamma } => Some(Formula::CityBlock { gamma }),
        Kernel::Radial(Radial::Gaussian { gamma }) => Some(Formula::Gaussian { gamma }),
        Kernel::Radial(radial) => Some(Formula::Radial(radial)),
        _ => None,
    }
}

impl BoundRows {
    pub(super) fn new(
        kernel: &Kernel,
        view: SamplesView<'_>,
        rows: &[u32],
        precision: Precision,
    ) -> Result<Self> {
        kernel.check()?;
        let mut rounding = 0.0;
        let engine = if let Some(formula) = simple_formula(kernel) {
            let survey = Survey::new(view, rows);
            let (layout, offset) = survey.choose(formula, precision);
            rounding = survey.rounding(formula, layout);
            if layout.single {
                Engine::Single(Packed::new(formula, view, rows, layout, offset))
            } else {
                Engine::Double(Packed::new(formula, view, rows, layout, offset))
            }
        } else {
            Engine::Composite(Composite::new(kernel, view, rows)?)
        };
        Ok(Self {
            engine,
            n_rows: rows.len(),
            rounding,
        })
    }

    /// Other rows, packed in the same way.
    pub(super) fn rebind(&self, view: SamplesView<'_>, rows: &[u32]) -> Result<Self> {
        let engine = match &self.engine {
            Engine::Single(packed) => Engine::Single(packed.rebind(view, rows)),
            Engine::Double(packed) => Engine::Double(packed.rebind(view, rows)),
            Engine::Composite(composite) => Engine::Composite(composite.rebind(view, rows)?),
        };
        Ok(Self {
            engine,
            n_rows: rows.len(),
            rounding: self.rounding,
        })
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.n_rows
    }

    /// Whether values are rounded to single precision when they are computed.
    pub(super) fn is_single(&self) -> bool {
        matches!(self.engine, Engine::Single(_))
    }

    /// Typical error of a value; 0 where they are computed in double precision.
    pub(super) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match &self.engine {
            Engine::Single(packed) => packed.bytes(),
            Engine::Double(packed) => packed.bytes(),
            Engine::Composite(composite) => composite.bytes(),
        }
    }

    /// Prepares rows of any samples as queries.
    pub(super) fn queries(
        &self,
        view: SamplesView<'_>,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<GramQueries> {
        let count = rows.len();
        let form = match &self.engine {
            Engine::Single(packed) => QueryForm::Single(packed.queries(view, rows)),
            Engine::Double(packed) => QueryForm::Double(packed.queries(view, rows)),
            Engine::Composite(composite) => {
                QueryForm::Composite(composite.queries(view, &rows.collect::<Vec<_>>())?)
            }
        };
        Ok(GramQueries { count, form })
    }

    /// Writes the kernel values of every query against the rows at `columns` into `out`, one slice
    /// a query, each `columns.len()` long.
    pub(super) fn block<O: Real>(
        &self,
        queries: &GramQueries,
        columns: Range<usize>,
        out: &mut [&mut [O]],
    ) {
        let span = (columns.start, columns.end);
        match (&self.engine, &queries.form) {
            (Engine::Single(packed), QueryForm::Single(queries)) => {
                packed.block(queries, span, out);
            }
            (Engine::Double(packed), QueryForm::Double(queries)) => {
                packed.block(queries, span, out);
            }
            (Engine::Composite(composite), QueryForm::Composite(queries)) => {
                composite.block(queries, span, out);
            }
            _ => unreachable!("invariant: queries are prepared by the engine that reads them"),
        }
    }
}
