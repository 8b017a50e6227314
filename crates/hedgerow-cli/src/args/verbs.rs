//! The options of each command.

use super::columns::ColumnArgs;
use super::decisions::DecisionArgs;
use super::training::TrainingArgs;
use clap::ValueEnum;
use hedgerow_io::{DataFormat, LabelColumn, Missing};

/// A format by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Libsvm,
    Csv,
    Tsv,
}

impl From<Format> for DataFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Libsvm => Self::LibSvm,
            Format::Csv => Self::Csv,
            Format::Tsv => Self::Tsv,
        }
    }
}

/// What is done about gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Gaps {
    Error,
    MeanMode,
}

/// How data files are read.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct DataArgs {
    /// Format of the data [default: by ending or content]
    #[arg(long)]
    pub(crate) format: Option<Format>,
    /// Label column of a table: its name, its position from 1, or none [default: class, label,
    /// target or y, otherwise the last]
    #[arg(long, value_name = "COLUMN", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,
    /// Missing values of a table: filled by mean and most frequent category, or an error
    #[arg(long, default_value = "mean-mode")]
    pub(crate) missing: Gaps,
    /// Sign before the decimals of a table's numbers: . or , [default: a comma too where semicolons
    /// separate the cells]
    #[arg(long, value_name = "SIGN", value_parser = [".", ","])]
    pub(crate) decimal: Option<String>,
}

impl DataArgs {
    /// The label column asked for.
    pub(crate) fn label_column(&self) -> LabelColumn {
        match self.label.as_deref() {
            None => LabelColumn::Auto,
            Some("none") => LabelColumn::None,
            Some(text) => match text.parse() {
                Ok(position) => LabelColumn::Position(position),
                Err(_) => LabelColumn::Name(text.to_owned()),
            },
        }
    }

    /// True for `--label none`.
    pub(crate) fn unlabelled(&self) -> bool {
        self.label.as_deref() == Some("none")
    }

    /// What is done about gaps.
    pub(crate) fn missing(&self) -> Missing {
        match self.missing {
            Gaps::Error => Missing::Error,
            Gaps::MeanMode => Missing::MeanMode,
        }
    }
}

fn folds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count >= 2 => Ok(count),
        _ => Err("expected a whole number of at least 2".to_owned()),
    }
}

fn setting(text: &str) -> Result<(String, f64), String> {
    let parsed = text
        .split_once('=')
        .and_then(|(key, value)| Some((key.trim().to_owned(), value.trim().parse().ok()?)));
    parsed.ok_or_else(|| "expected name=number".to_owned())
}

/// `train`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,
    /// Leave parameters that are not given at their usual values; otherwise cost, width, neighbours and
    /// the like are chosen from the data
    #[arg(long, help_heading = "Search")]
    pub(crate) defaults: bool,
    /// Write LIBSVM model text
    #[arg(long)]
    pub(crate) libsvm_model: bool,
    /// Cross-validate with this many folds in place of writing a model, as svm-train does
    #[arg(short = 'v', long, value_name = "K", value_parser = folds)]
    pub(crate) folds: Option<usize>,
    /// Training data; - for standard input
    #[arg(value_name = "TRAIN")]
    pub(crate) train: String,
    /// The model file; - for standard output
    #[arg(value_name = "MODEL", required_unless_present = "folds")]
    pub(crate) model: Option<String>,
}

/// `cv`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CvArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,
    /// Leave parameters that are not given at their usual values; otherwise cost, width, neighbours and
    /// the like are chosen from the data
    #[arg(long, help_heading = "Search")]
    pub(crate) defaults: bool,
    /// Number of folds
    #[arg(short = 'v', long, value_name = "K", value_parser = folds, default_value = "5")]
    pub(crate) folds: usize,
    /// Training data; - for standard input
    #[arg(value_name = "TRAIN")]
    pub(crate) train: String,
}

/// `tune`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) training: TrainingArgs,
    /// An axis of the grid: name=values, with values as 0.1,1,10 or 0.1:0.1:0.5 or 2^-5:2:15;
    /// may be repeated [default: depends on the method]
    #[arg(long, value_name = "AXIS", help_heading = "Search")]
    pub(crate) grid: Vec<String>,
    /// Number of folds [default: 5; local search: 10]
    #[arg(
        short = 'v',
        long,
        value_name = "K",
        value_parser = folds,
        help_heading = "Search"
    )]
    pub(crate) folds: Option<usize>,
    /// What is compared [default: accuracy or mean-squared-error]; --metric takes these names too
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    pub(crate) measure: Option<String>,
    /// Also give up points that are worse than the best by this many standard errors
    #[arg(long, value_name = "X", help_heading = "Search")]
    pub(crate) margin: Option<f64>,
    /// Draw the results of two axes as an SVG heat map
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    pub(crate) svg: Option<String>,
    #[command(flatten)]
    pub(crate) local: LocalSearchArgs,
    /// Write LIBSVM model text
    #[arg(long)]
    pub(crate) libsvm_model: bool,
    /// Training data; - for standard input
    #[arg(value_name = "TRAIN")]
    pub(crate) train: String,
    /// Train on all rows with the best parameters and write this model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: Option<String>,
}

impl TuneArgs {
    /// What is compared, if it was said.
    pub(crate) fn measure(&self) -> Option<&str> {
        let named = self.measure.as_deref();
        named.or_else(|| self.training.metric.measure())
    }
}

/// How methods of local machines are tuned on a few neighbourhoods.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Local search (falk-svm, falk-svr)")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct LocalSearchArgs {
    /// Cross-validate whole models in place of a few neighbourhoods
    #[arg(long)]
    pub(crate) ordinary: bool,
    /// Neighbourhoods that candidates are compared on [default: 10]
    #[arg(long, value_name = "M")]
    pub(crate) models: Option<usize>,
    /// Hold out only the inner half of a core
    #[arg(long)]
    pub(crate) inner_half: bool,
    /// Neighbourhoods of centres, not of any training rows
    #[arg(long)]
    pub(crate) at_centres: bool,
    /// Also neighbourhoods in which a class hardly occurs
    #[arg(long)]
    pub(crate) unbalanced: bool,
}

impl LocalSearchArgs {
    /// The first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            (self.ordinary, "--ordinary"),
            (self.models.is_some(), "--models"),
            (self.inner_half, "--inner-half"),
            (self.at_centres, "--at-centres"),
            (self.unbalanced, "--unbalanced"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }
}

/// `predict`.
#[derive(Debug, Clone, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Refuse categories that the training data did not have, in place of reading them as zeros
    #[arg(long, help_heading = "Reading")]
    pub(crate) refuse_unseen: bool,
    /// Write decision values: a line of column names, then one line a row
    #[arg(long, conflicts_with_all = ["probability", "libsvm_probability"])]
    pub(crate) scores: bool,
    /// Which local machine answers: nearest, centre, vote or blend [default: as trained]
    #[arg(long, value_name = "WORD")]
    pub(crate) assign: Option<String>,
    /// Centres that speak with --assign vote or blend [default: as trained, or 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) voters: Option<u32>,
    /// Write why each row is answered as it is: one JSON object a row
    #[arg(long, conflicts_with_all = ["scores", "probability", "libsvm_probability"])]
    pub(crate) explain: bool,
    /// Support vectors that --explain names
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) top: usize,
    /// Time single-row calls and print the median and the quantiles 99 % and 99.9 %
    #[arg(long)]
    pub(crate) latency: bool,
    /// Write the label and the probability of every class; the label is the one without this option
    #[arg(long)]
    pub(crate) probability: bool,
    /// With --probability: the label is the most probable class
    #[arg(long, requires = "probability")]
    pub(crate) most_probable: bool,
    /// Column that names the rows; its cells are written beside the answers of a table
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
    /// LIBSVM's letter of --probability with --most-probable
    #[arg(short = 'b', value_name = "0|1", value_parser = switch)]
    pub(crate) libsvm_probability: Option<bool>,
    #[command(flatten)]
    pub(crate) decisions: DecisionArgs,
    /// Data to predict; - for standard input
    #[arg(value_name = "TEST")]
    pub(crate) test: String,
    /// A model file of hedgerow or LIBSVM
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// One prediction a line; - for standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: String,
}

impl PredictArgs {
    /// True if the label is to be the most probable class.
    pub(crate) fn most_probable(&self) -> bool {
        self.most_probable || self.libsvm_probability == Some(true)
    }

    /// True if probabilities are to be written.
    pub(crate) fn with_probabilities(&self) -> bool {
        self.probability || self.libsvm_probability == Some(true)
    }
}

/// Reads `0` or `1`.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err("expected 0 or 1".to_owned()),
    }
}

/// `scale`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ScaleArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    /// Lower end of the range
    #[arg(
        short,
        long,
        value_name = "X",
        default_value_t = -1.0,
        allow_negative_numbers = true
    )]
    pub(crate) lower: f64,
    /// Upper end of the range
    #[arg(
        short,
        long,
        value_name = "X",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    pub(crate) upper: f64,
    /// Mean 0 and variance 1 in place of a range
    #[arg(long, conflicts_with_all = ["lower", "upper"])]
    pub(crate) standard: bool,
    /// Ranks among the values of the column, evenly spread with deviation 1, in place of a range
    #[arg(long, conflicts_with_all = ["lower", "upper", "standard", "save"])]
    pub(crate) quantile: bool,
    /// Save the ranges, in the format of svm-scale
    #[arg(short, long, value_name = "FILE")]
    pub(crate) save: Option<String>,
    /// Apply saved ranges in place of learning them
    #[arg(
        short,
        long,
        value_name = "FILE",
        conflicts_with_all = ["lower", "upper", "standard", "quantile", "save"]
    )]
    pub(crate) restore: Option<String>,
    /// Data to scale; - for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// The scaled data; - for standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: String,
}

/// `generate`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GenerateArgs {
    /// List the generators with their options
    #[arg(long)]
    pub(crate) list: bool,
    /// Number of rows [default: depends on the generator]
    #[arg(long, value_name = "N")]
    pub(crate) rows: Option<usize>,
    /// An option of the generator; may be repeated
    #[arg(
        long,
        value_name = "NAME=NUMBER",
        value_parser = setting,
        allow_hyphen_values = true
    )]
    pub(crate) set: Vec<(String, f64)>,
    /// Format of the output [default: by ending, otherwise libsvm]
    #[arg(long)]
    pub(crate) format: Option<Format>,
    /// The generator
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub(crate) name: Option<String>,
    /// The data; - for standard output
    #[arg(value_name = "OUT", required_unless_present = "list")]
    pub(crate) out: Option<String>,
}

/// `inspect`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    /// Bound the risk of a model of local machines, or how far a ranker may be from one with all rows
    /// in its basis
    #[arg(long, help_heading = "Models")]
    pub(crate) bounds: bool,
    /// The data that the model was trained on, for bounds that read them
    #[arg(
        long = "data",
        value_name = "TRAIN",
        requires = "bounds",
        help_heading = "Rankers"
    )]
    pub(crate) training: Option<String>,
    /// Also bounds that take a kernel value of each two rows: some hundred passes over all of them
    #[arg(long, requires = "training", help_heading = "Rankers")]
    pub(crate) all_pairs: bool,
    /// The bounds fail with at most this probability
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.05,
        requires = "bounds",
        help_heading = "Local machines"
    )]
    pub(crate) eta: f64,
    /// VC dimension of the local decision functions [default: features + 1, that of hyperplanes]
    #[arg(
        long,
        value_name = "X",
        requires = "bounds",
        help_heading = "Local machines"
    )]
    pub(crate) vc_dimension: Option<f64>,
    /// Draw a tree, the weights of columns that a model was trained with, or neighbourhoods and
    /// boundaries of local machines with two features
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<String>,
    /// Which tree --svg draws, if there are several: from 1
    #[arg(long, value_name = "N", default_value_t = 1, requires = "svg")]
    pub(crate) tree: usize,
    /// Levels of a tree that --svg draws
    #[arg(long, value_name = "N", default_value_t = 8, requires = "svg")]
    pub(crate) levels: usize,
    /// A model or data; - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
}

/// `demo`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DemoArgs {
    /// Where the picture of the decision boundary goes
    #[arg(long, value_name = "FILE", default_value = "hedgerow-demo.svg")]
    pub(crate) svg: String,
    /// Rows of the training data
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub(crate) rows: usize,
}

/// Options of `update`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// File of rows to add, with their labels
    #[arg(long, value_name = "FILE")]
    pub(crate) add: Option<String>,
    /// File of row numbers to remove, one a line: lines of the training file from 1, then added rows
    #[arg(long, value_name = "FILE")]
    pub(crate) remove: Option<String>,
    /// For falk-svm: share of a neighbourhood that may violate its machine before that is trained
    /// anew; 0 keeps every machine up to date [default: 0.02]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) refresh: Option<f64>,
    /// The model file
    pub(crate) model: String,
    /// Where the new model goes; in place of the old one if left out
    pub(crate) out: Option<String>,
}
