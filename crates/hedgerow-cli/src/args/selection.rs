//! Options of feature selection: typed as such for `select`, as one text for `train --select`.

use super::{ColumnArgs, DataArgs};
use crate::failure::Failure;
use clap::{Args, Command, FromArgMatches, ValueEnum};
use hedgerow::select::{
    Alpha, Binning, CfsParams, CorrelationParams, CorrelationRelevance, DependencySearch,
    Direction, Domain, Elimination, KernelWeightsParams, MrmrParams, MrmrScheme,
    MutualInformationParams, Penalised, QpfsParams, ReliefParams, ReliefVariant, RfeKernel,
    RfeParams, Sampling, Selector, SimilarityKind, SimilarityMean, StreamwiseParams,
    SubsetErrorParams, WeightStart, WeightSteps, WeightedKernel, WeightingMethod, WrapperParams,
};

/// A method by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelectMethod {
    /// Relevance to the class alone
    Maxrel,
    /// Relevance minus redundancy, feature after feature
    Mrmr,
    /// Relevance and redundancy weighed by a quadratic programme
    Qpfs,
    /// The subset of best merit, searched best first
    Cfs,
    /// Differences between near rows
    Relieff,
    /// Streamwise selection by α-investing; two classes
    Sfs,
    /// Elimination by the weights of a support vector machine
    RfeSvm,
    /// The set of largest joint information with the class; few features
    Maxdep,
    /// Greedy search by the cross-validated error of a support vector machine
    Wrapper,
    /// Weights inside a Gaussian kernel, with the machine at once; two classes or each against the
    /// rest
    FullFs,
    /// … machine and weights in turn
    Ao,
    /// … in turn with a shared margin
    AoI,
    /// … in turn with an explicit margin: the one to begin with
    AoIi,
    /// … projected gradient on the optimum of the machine
    Gmkl,
    /// Random order, the floor of every comparison
    Random,
}

impl SelectMethod {
    /// The method of weighting, if it is one.
    fn weighting(self) -> Option<WeightingMethod> {
        Some(match self {
            Self::FullFs => WeightingMethod::Full,
            Self::Ao => WeightingMethod::Simple,
            Self::AoI => WeightingMethod::AoOne,
            Self::AoIi => WeightingMethod::AoTwo,
            Self::Gmkl => WeightingMethod::Gmkl,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimilarityWord {
    /// Mutual information of discretised features
    Mi,
    /// Absolute correlation
    Correlation,
    /// Absolute covariance
    Covariance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BinningWord {
    Deviations,
    Quantiles,
    Values,
}

/// Words of the command line that stand for the variants of a type of the library.
macro_rules! words {
    ($($name:ident for $type:ident { $($variant:ident),+ })+) => {$(
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name {
            $($variant),+
        }

        impl From<$name> for $type {
            fn from(word: $name) -> Self {
                match word {
                    $($name::$variant => Self::$variant),+
                }
            }
        }
    )+};
}

words! {
    RelevanceWord for CorrelationRelevance { Priors, FStatistic }
    MeanWord for SimilarityMean { Computed, Approximated, UpperTriangle }
    SamplingWord for Sampling { Uniform, ColumnNorm, Diagonal }
    DomainWord for Domain { Simplex, Subspace }
    SchemeWord for MrmrScheme { Difference, Quotient }
    VariantWord for ReliefVariant { Ratio, Classic }
    EliminationWord for Elimination { Halving, OneByOne }
    DirectionWord for Direction { Forward, Backward }
    SearchWord for DependencySearch { Greedy, Exhaustive }
    StartWord for WeightStart { Ones, Scaled, Relief, Several }
    StepsWord for WeightSteps { Auto, Exact, Subspace }
    PenalisedWord for Penalised { Weights, Squares }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelWord {
    Gaussian,
    Polynomial,
    Linear,
}

/// A method of selection and its options, those of a method or a kind together.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SelectionArgs {
    /// The method
    #[arg(value_name = "METHOD")]
    pub(crate) method: SelectMethod,
    #[command(flatten)]
    comparison: ComparisonArgs,
    #[command(flatten)]
    qpfs: QpfsArgs,
    #[command(flatten)]
    mrmr: MrmrArgs,
    #[command(flatten)]
    cfs: CfsArgs,
    #[command(flatten)]
    relief: ReliefArgs,
    #[command(flatten)]
    streamwise: StreamwiseArgs,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    rfe: RfeArgs,
    #[command(flatten)]
    wrapper: WrapperArgs,
    #[command(flatten)]
    dependency: DependencyArgs,
    #[command(flatten)]
    weights: WeightsArgs,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Similarity")]
struct ComparisonArgs {
    /// What features are compared by (maxrel, mrmr, qpfs, cfs) [default: mi; cfs: correlation]
    #[arg(long, value_name = "NAME")]
    similarity: Option<SimilarityWord>,
    /// What makes a feature relevant for correlation
    #[arg(long, value_name = "NAME", default_value = "priors")]
    relevance: RelevanceWord,
    /// How features become discrete for mi
    #[arg(long, value_name = "NAME", default_value = "deviations")]
    binning: BinningWord,
    /// Number of segments; odd for deviations
    #[arg(long, value_name = "N", default_value_t = 3)]
    bins: usize,
    /// Deviations on either side of the mean that the inner segments cover
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    deviations: f64,
    /// Features with no more values than segments keep them
    #[arg(long)]
    keep_discrete: bool,
    /// Judge a pair by the rows where neither feature is 0
    #[arg(long)]
    nonzero_only: bool,
}

impl ComparisonArgs {
    fn information(&self) -> MutualInformationParams {
        let binning = match self.binning {
            BinningWord::Deviations => Binning::Deviations {
                bins: self.bins,
                deviations: self.deviations,
            },
            BinningWord::Quantiles => Binning::Quantiles { bins: self.bins },
            BinningWord::Values => Binning::Values,
        };
        MutualInformationParams::default()
            .with_binning(binning)
            .with_keep_discrete(self.keep_discrete)
            .with_nonzero_only(self.nonzero_only)
    }

    fn kind(&self, default: SimilarityWord) -> SimilarityKind {
        let word = self.similarity.unwrap_or(default);
        if word == SimilarityWord::Mi {
            return SimilarityKind::MutualInformation(self.information());
        }
        SimilarityKind::Correlation(
            CorrelationParams::default()
                .with_normalized(word == SimilarityWord::Correlation)
                .with_relevance(self.relevance.into()),
        )
    }
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "qpfs")]
struct QpfsArgs {
    /// Trade-off from 0 (redundancy) to 1 (relevance) [default: from the data]
    #[arg(long, value_name = "X")]
    alpha: Option<f64>,
    /// Which mean similarity the default of --alpha uses
    #[arg(long, value_name = "NAME", default_value = "computed")]
    mean: MeanWord,
    /// Compute only this part of the similarities (Nyström) [default: all]
    #[arg(long, value_name = "P")]
    rate: Option<f64>,
    /// How they are sampled
    #[arg(long, value_name = "NAME", default_value = "uniform")]
    sampling: SamplingWord,
    /// Where the weights may lie
    #[arg(long, value_name = "NAME", default_value = "simplex")]
    domain: DomainWord,
    /// Eigenvalues up to this part of the largest are dropped
    #[arg(long, value_name = "X", default_value_t = 1e-8)]
    eigen_threshold: f64,
    /// Constant features take part
    #[arg(long)]
    keep_constant: bool,
}

impl QpfsArgs {
    fn params(&self, seed: u64) -> QpfsParams {
        let heuristic = || Alpha::Heuristic(self.mean.into());
        let params = QpfsParams::default()
            .with_alpha(self.alpha.map_or_else(heuristic, Alpha::Fixed))
            .with_sampling(self.sampling.into())
            .with_domain(self.domain.into())
            .with_eigen_threshold(self.eigen_threshold)
            .with_keep_constant(self.keep_constant)
            .with_seed(seed);
        match self.rate {
            Some(rate) => params.with_rate(rate),
            None => params,
        }
    }
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "mrmr")]
struct MrmrArgs {
    /// How relevance and redundancy are joined: MID or MIQ
    #[arg(long, value_name = "NAME", default_value = "difference")]
    scheme: SchemeWord,
    /// Added to the denominator of the quotient
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    quotient_offset: f64,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "cfs")]
struct CfsArgs {
    /// Expansions without success after which the search ends
    #[arg(long, value_name = "N", default_value_t = 5)]
    patience: usize,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "relieff")]
struct ReliefArgs {
    /// Hits and misses of a row
    #[arg(long, value_name = "K", default_value_t = 3)]
    neighbours: usize,
    /// How hits and misses make a weight
    #[arg(long, value_name = "NAME", default_value = "ratio")]
    variant: VariantWord,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "sfs")]
struct StreamwiseArgs {
    /// Wealth at the beginning
    #[arg(long, value_name = "X", default_value_t = 0.5)]
    wealth: f64,
    /// What a discovery earns
    #[arg(long, value_name = "X", default_value_t = 0.5)]
    payout: f64,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "rfe-svm, wrapper and weights")]
struct MachineArgs {
    /// Price of a violated margin [default: 1; where features have weights: by cross-validation]
    #[arg(long, value_name = "X")]
    cost: Option<f64>,
    /// Gaussian kernel of this width [default: linear]
    #[arg(long, value_name = "X")]
    gamma: Option<f64>,
}

impl MachineArgs {
    fn cost(&self) -> f64 {
        self.cost.unwrap_or(1.0)
    }

    fn kernel(&self) -> RfeKernel {
        self.gamma
            .map_or(RfeKernel::Linear, |gamma| RfeKernel::Gaussian { gamma })
    }
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "rfe-svm")]
struct RfeArgs {
    /// How many features a round drops
    #[arg(long, value_name = "NAME", default_value = "halving")]
    elimination: EliminationWord,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "wrapper and weights")]
struct WrapperArgs {
    /// Whether features are added one by one or removed
    #[arg(long, value_name = "NAME", default_value = "forward")]
    direction: DirectionWord,
    /// Folds by which a set of features is judged, or prices of weights are chosen
    #[arg(long, value_name = "K", default_value_t = 5)]
    inner_folds: usize,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "maxdep")]
struct DependencyArgs {
    /// How the set is looked for; all sets only of 20 features or less
    #[arg(long, value_name = "NAME", default_value = "greedy")]
    search: SearchWord,
}

#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "full-fs, ao, ao-i, ao-ii, gmkl")]
struct WeightsArgs {
    /// Price of a weight [default: by cross-validation]
    #[arg(long, value_name = "X")]
    mu: Option<f64>,
    /// The kernel whose features are weighted
    #[arg(long, value_name = "NAME", default_value = "gaussian")]
    kernel: KernelWord,
    /// Degree of the polynomial kernel
    #[arg(long, value_name = "P", default_value_t = 2)]
    degree: u32,
    /// Offset of the polynomial kernel
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    offset: f64,
    /// Where the search begins
    #[arg(long, value_name = "NAME", default_value = "scaled")]
    start: StartWord,
    /// How steps of the weights are computed
    #[arg(long, value_name = "NAME", default_value = "auto")]
    steps: StepsWord,
    /// Whether weights or their squares have a price
    #[arg(long, value_name = "NAME", default_value = "weights")]
    penalised: PenalisedWord,
    /// ao-ii as printed, with coefficients that are not brought to norm 1
    #[arg(long)]
    printed: bool,
    /// Features that fell to 0 are not tried again at the end
    #[arg(long)]
    keep_zeros: bool,
    /// Kernel functions at so many random rows only, for many rows [default: at all]
    #[arg(long, value_name = "N")]
    landmarks: Option<usize>,
}

impl SelectionArgs {
    fn weights(&self, method: WeightingMethod, seed: u64, labels: bool) -> KernelWeightsParams {
        let args = &self.weights;
        KernelWeightsParams::default()
            .with_method(method)
            .with_kernel(match args.kernel {
                KernelWord::Gaussian => WeightedKernel::Gaussian,
                KernelWord::Linear => WeightedKernel::Linear,
                KernelWord::Polynomial => WeightedKernel::Polynomial {
                    degree: args.degree,
                    offset: args.offset,
                },
            })
            .with_cost(self.machine.cost)
            .with_mu(args.mu)
            .with_start(args.start.into())
            .with_steps(args.steps.into())
            .with_penalised(args.penalised.into())
            .with_printed(args.printed)
            .with_reactivate(!args.keep_zeros)
            .with_landmarks(args.landmarks)
            .with_folds(self.wrapper.inner_folds)
            .with_labels(labels)
            .with_seed(seed)
    }

    /// Reads `method:name=value,switch`.
    pub(crate) fn parse_text(text: &str) -> Result<Self, Failure> {
        let (method, options) = text.split_once(':').unwrap_or((text, ""));
        let mut words = vec!["--select".to_owned(), method.trim().to_owned()];
        for option in options.split(',').map(str::trim).filter(|o| !o.is_empty()) {
            words.push(format!("--{option}"));
        }
        let command = Self::augment_args(Command::new("--select")).disable_help_flag(true);
        let matches = command.try_get_matches_from(words).map_err(|error| {
            let message = error.to_string();
            let first = message.lines().next().unwrap_or_default();
            let cause = first.strip_prefix("error: ").unwrap_or(first);
            Failure::usage(format!("--select {text}: {cause}"))
        })?;
        Ok(Self::from_arg_matches(&matches)?)
    }

    fn similarity(&self) -> SimilarityKind {
        self.comparison.kind(if self.method == SelectMethod::Cfs {
            SimilarityWord::Correlation
        } else {
            SimilarityWord::Mi
        })
    }

    /// The method with its parameters, checked.
    pub(crate) fn selector(&self, seed: u64) -> Result<Selector, Failure> {
        self.labelled_selector(seed, false)
    }

    /// As [`Self::selector`]; `labels` tells every round of a weighting apart as minimum or saddle.
    pub(crate) fn labelled_selector(&self, seed: u64, labels: bool) -> Result<Selector, Failure> {
        if let Some(method) = self.method.weighting() {
            let selector = Selector::KernelWeights(self.weights(method, seed, labels));
            selector.check().map_err(Failure::Option)?;
            return Ok(selector);
        }
        let selector = match self.method {
            SelectMethod::Maxrel => Selector::MaxRelevance(self.similarity()),
            SelectMethod::Mrmr => Selector::Mrmr(
                self.similarity(),
                MrmrParams::default()
                    .with_scheme(self.mrmr.scheme.into())
                    .with_quotient_offset(self.mrmr.quotient_offset),
            ),
            SelectMethod::Qpfs => Selector::Qpfs(self.similarity(), self.qpfs.params(seed)),
            SelectMethod::Cfs => Selector::Cfs(
                self.similarity(),
                CfsParams::default().with_patience(self.cfs.patience),
            ),
            SelectMethod::Relieff => Selector::Relief(
                ReliefParams::default()
                    .with_neighbours(self.relief.neighbours)
                    .with_variant(self.relief.variant.into()),
            ),
            SelectMethod::Sfs => Selector::Streamwise(
                StreamwiseParams::default()
                    .with_wealth(self.streamwise.wealth)
                    .with_payout(self.streamwise.payout),
            ),
            SelectMethod::RfeSvm => Selector::Rfe(
                RfeParams::default()
                    .with_cost(self.machine.cost())
                    .with_elimination(self.rfe.elimination.into())
                    .with_kernel(self.machine.kernel()),
            ),
            SelectMethod::Maxdep => Selector::MaxDependency(
                self.comparison.information(),
                self.dependency.search.into(),
            ),
            SelectMethod::Wrapper => Selector::Wrapper(
                WrapperParams::default().with_direction(self.wrapper.direction.into()),
                SubsetErrorParams::default()
                    .with_cost(self.machine.cost())
                    .with_kernel(self.machine.kernel())
                    .with_folds(self.wrapper.inner_folds)
                    .with_seed(seed),
            ),
            // Those that weigh features were seen above.
            _ => Selector::Random { seed },
        };
        selector.check().map_err(Failure::Option)?;
        Ok(selector)
    }
}

/// `select`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SelectArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    /// Keep only the best M features in the ranking
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) top: Option<u32>,
    /// Write the data with the kept features only, in the order of their columns
    #[arg(long, value_name = "FILE")]
    pub(crate) reduced: Option<String>,
    /// Write round after round of a weighting: class, objective, features, margin, least eigenvalue,
    /// M for a minimum or S for a saddle (CSV; eigenvalues for up to 1500 rows)
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<String>,
    /// Draw what the best features weigh as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) bars: Option<String>,
    /// Training data; - for standard input
    #[arg(value_name = "TRAIN")]
    pub(crate) train: String,
    /// The ranking (CSV); - for standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: String,
    // Last, because its heading in the help holds for what follows.
    #[command(flatten)]
    pub(crate) curve: CurveArgs,
}

/// The curve of `select`.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Curve")]
pub(crate) struct CurveArgs {
    /// Cross-validate a classifier with growing numbers of features, selected inside each fold
    #[arg(long = "curve")]
    pub(crate) wanted: bool,
    /// The classifier of the curve, as words of `hedgerow train`
    #[arg(long, value_name = "WORDS", default_value = "svm -t 0 -c 1")]
    pub(crate) classifier: String,
    /// Numbers of features of the curve [default: 1, 2, 5, 10, 20, 50, … up to all or --top]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) sizes: Vec<usize>,
    /// Folds of the curve
    #[arg(short = 'v', long, value_name = "K", default_value_t = 5)]
    pub(crate) folds: usize,
    /// Repetitions of the folds, each drawn anew
    #[arg(long, value_name = "R", default_value_t = 1)]
    pub(crate) repeats: usize,
    /// Draw the curve as SVG
    #[arg(long, value_name = "FILE", requires = "wanted")]
    pub(crate) svg: Option<String>,
}
