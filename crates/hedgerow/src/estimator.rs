//! What all methods have in common before they are trained.

use crate::data::Dataset;
use crate::method::Card;
use crate::params::{Parameters, Value};
use crate::{Fitted, Model, Result, Status};

/// Parameters of a method that learns a model from data.
///
/// Every method has `check` and `fit` of its own, which this forwards to: it is for code that does
/// not care which method it trains.
///
/// ```
/// use hedgerow::data::{Dataset, generate};
/// use hedgerow::svm::{SvcParams, linear::LinearSvmParams};
/// use hedgerow::{Estimator, Prediction, Predictor};
///
/// fn agreement(method: &impl Estimator, data: &Dataset) -> hedgerow::Result<f64> {
///     let model = method.fit(data)?.model;
///     let right = match model.predict(data.samples().view())? {
///         Prediction::Classes(codes) => {
///             let pairs = codes.iter().zip(data.classes()?.codes());
///             pairs.filter(|(predicted, known)| predicted == known).count()
///         }
///         Prediction::Real(_) => 0,
///     };
///     Ok(right as f64 / data.n_rows() as f64)
/// }
///
/// let board = generate::checkerboard(300, 2, 0.0, 1)?;
/// let curved = agreement(&SvcParams::default().with_cost(100.0), &board)?;
/// let straight = agreement(&LinearSvmParams::default(), &board)?;
/// assert!(curved > straight);
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub trait Estimator: Parameters + Clone + std::fmt::Debug + Send + Sync + 'static {
    /// What is learnt.
    type Model: Model;

    /// The methods that these parameters stand for.
    const METHODS: &'static [Card];

    /// An error that names the first parameter out of its range.
    fn check(&self) -> Result<()>;

    /// Trains on all rows.
    fn fit(&self, data: &Dataset) -> Result<Fitted<Self::Model>>;

    /// A search for parameters of its own, where the method has one that is cheaper than a grid
    /// of whole models.
    fn own_search(&self) -> Option<&dyn OwnSearch> {
        None
    }
}

/// A method's own search for parameters.
pub trait OwnSearch {
    /// Compares candidates. `axes` are parameters with the values to try, none for the usual ones;
    /// `settings` say how to compare; `progress` is told how far it is and may stop it by an error.
    fn search(
        &self,
        data: &Dataset,
        axes: &[(String, Vec<Value>)],
        settings: &[(String, Value)],
        progress: &(dyn Fn(&str) -> Result<()> + Sync),
    ) -> Result<Searched>;

    /// Which of several views of the same rows the method answers best, with its parameters as they
    /// are (`None`), or with the best of some points of the search over `axes`.
    fn compare(&self, views: &Views<'_>, axes: Option<&[(String, Vec<Value>)]>)
    -> Result<Compared>;
}

/// The same rows with their columns in several ways.
#[derive(Debug, Clone)]
pub struct Views<'a> {
    /// Of each way and each part of the rows, the data: all rows, of which those of the part judge.
    pub data: Vec<Vec<&'a Dataset>>,
    /// The part of each row; empty if there is only one.
    pub part_of: &'a [u32],
}

/// What [`OwnSearch::compare`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The view to take: the first, until a later one is better by more than the standard error.
    pub best: usize,
    /// The mean score of each view.
    pub scores: Vec<f64>,
    /// Rows that judged the best.
    pub judged: usize,
}

/// What a method's own search found.
#[derive(Debug, Clone)]
pub struct Searched {
    /// Names of the parameters that were varied.
    pub names: Vec<&'static str>,
    /// Values of the parameters of every candidate, with its score and its deviation.
    pub candidates: Vec<(Vec<Value>, f64, f64)>,
    /// Position of the chosen candidate.
    pub best: usize,
    /// What the score is.
    pub measure: &'static str,
    /// The worst status of a solver.
    pub status: Status,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Further facts, for people and machines.
    pub facts: Vec<(&'static str, Value)>,
}

/// Makes params an [`Estimator`] with their own `check` and `fit`; cards follow the model.
macro_rules! estimator {
    ($params:ty => $model:ty, [$($card:expr),+ $(,)?] $(, $own:ident)?) => {
        impl crate::Estimator for $params {
            type Model = $model;

            const METHODS: &'static [crate::method::Card] = &[$($card),+];

            fn check(&self) -> crate::Result<()> {
                Self::check(self)
            }

            fn fit(&self, data: &crate::data::Dataset) -> crate::Result<crate::Fitted<$model>> {
                Self::fit(self, data)
            }

            $(
                fn $own(&self) -> Option<&dyn crate::OwnSearch> {
                    Some(self)
                }
            )?
        }
    };
}
pub(crate) use estimator;
