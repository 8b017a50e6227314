//! What all methods have in common before they are trained.

use crate::data::Dataset;
use crate::{Fitted, Predictor, Result};

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
pub trait Estimator: Clone + Send + Sync {
    /// What is learnt.
    type Model: Predictor;

    /// An error that names the first parameter out of its range.
    fn check(&self) -> Result<()>;

    /// Trains on all rows.
    fn fit(&self, data: &Dataset) -> Result<Fitted<Self::Model>>;
}

macro_rules! estimators {
    ($($params:ty => $model:ty),* $(,)?) => {$(
        impl Estimator for $params {
            type Model = $model;

            fn check(&self) -> Result<()> {
                <$params>::check(self)
            }

            fn fit(&self, data: &Dataset) -> Result<Fitted<$model>> {
                <$params>::fit(self, data)
            }
        }
    )*};
}

estimators! {
    crate::local::FalkParams => crate::local::FalkSvm,
    crate::local::KnnParams => crate::local::Knn,
    crate::local::KnnSvmParams => crate::local::KnnSvm,
    crate::svm::linear::FisherParams => crate::svm::linear::LinearClassifier,
    crate::svm::linear::LinearSvmParams => crate::svm::linear::LinearClassifier,
    crate::svm::linear::LogisticParams => crate::svm::linear::LinearClassifier,
    crate::svm::NuSvcParams => crate::svm::SvmClassifier,
    crate::svm::NuSvrParams => crate::svm::SvmRegressor,
    crate::svm::OneClassParams => crate::svm::OneClassSvm,
    crate::svm::linear::PegasosParams => crate::svm::linear::LinearClassifier,
    crate::svm::SvcParams => crate::svm::SvmClassifier,
    crate::svm::SvrParams => crate::svm::SvmRegressor,
    crate::tree::HlsvmParams => crate::tree::LinearTrees,
    crate::tree::SvmTreesParams => crate::tree::LinearTrees,
}
