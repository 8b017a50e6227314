//! The options of everything that trains a model from a file.

use super::columns::ColumnArgs;
use super::metric::MetricArgs;
use super::options::editor_of_text;
use super::scaling::ScalingArgs;
use super::selection::SelectionArgs;
use super::verbs::DataArgs;
use crate::commands::check_precomputed;
use crate::failure::Failure;
use crate::input::Input;
use crate::session::Session;
use clap::ValueEnum;
use hedgerow::clean::Purpose;
use hedgerow::data::Scaling;
use hedgerow::method::Task;
use hedgerow::params::Value;
use hedgerow::select::Selector;
use hedgerow_methods::{Calibrating, Choice, Editing, MetricChoice, Pipeline, Trainer};

/// A map from scores to probabilities by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CalibrationWord {
    Sigmoid,
    Isotonic,
}

/// Training data.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TrainingArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    /// Leave out rows that repeat an earlier one in all features and in the label
    #[arg(long, help_heading = "Reading", conflicts_with = "weights")]
    pub(crate) unique: bool,
    /// File with one weight a row: multiplies the cost of the row
    #[arg(short = 'W', long, value_name = "FILE", help_heading = "Reading")]
    pub(crate) weights: Option<String>,
    /// The classes are levels of an ordered scale: numbers in their order, or the names given, lowest
    /// first (--levels=low,middle,high); for rank-rc, rank-rnd and rank-svm
    #[arg(
        long,
        value_name = "A,B,...",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        help_heading = "Reading"
    )]
    pub(crate) levels: Option<String>,
    #[command(flatten)]
    pub(crate) scaling: ScalingArgs,
    /// Keep only the best features by this method of `hedgerow select`, with its options after a
    /// colon, for example qpfs:alpha=0.2,rate=0.1; the choice is stored in the model. With ao-ii and
    /// the other methods that weigh features, columns are multiplied by their weights
    #[arg(long, value_name = "METHOD[:OPTIONS]", help_heading = "Selection")]
    pub(crate) select: Option<String>,
    /// How many features are kept [default with weights: all that have one]
    #[arg(
        long,
        value_name = "M",
        requires = "select",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Selection"
    )]
    pub(crate) top: Option<u32>,
    #[command(flatten)]
    pub(crate) metric: MetricArgs,
    /// Train only on the rows that this method of `hedgerow clean` keeps, with its options after a
    /// colon, for example falknr:neighbours=500; in cross-validation only training parts are cleaned
    #[arg(long, value_name = "METHOD[:OPTIONS]", help_heading = "Cleaning")]
    pub(crate) clean: Option<String>,
    /// Train on rows that this method of `hedgerow resample` leaves or makes, with its options after
    /// a colon, for example smote:neighbours=3; in cross-validation only training parts are
    /// resampled. Probabilities are corrected for the changed sizes of the classes
    #[arg(long, value_name = "METHOD[:OPTIONS]", help_heading = "Cleaning")]
    pub(crate) resample: Option<String>,
    /// Probabilities of two classes by this map of the scores of rows that were held out: sigmoid is
    /// what --probability fits, isotonic any map that never falls
    #[arg(long, value_name = "WORD", help_heading = "Probabilities")]
    pub(crate) calibration: Option<CalibrationWord>,
}

/// Parts of the rows that an isotonic map is fitted to.
const CALIBRATION_FOLDS: usize = 5;

impl TrainingArgs {
    /// What is to be done to the data and then with the method. Columns to be coded by targets, and
    /// the metric, are known when the file has been read.
    pub(crate) fn pipeline(
        &self,
        mut trainer: Box<dyn Trainer>,
        seed: u64,
    ) -> Result<Pipeline, Failure> {
        self.columns.check()?;
        self.metric.prepare(&mut *trainer)?;
        let has_own = trainer.table().iter().any(|row| row.name == "probability");
        let calibrating = match self.calibration {
            None => None,
            Some(CalibrationWord::Sigmoid) if has_own => {
                trainer.set("probability", &Value::Flag(true))?;
                None
            }
            Some(CalibrationWord::Sigmoid) => {
                return Err(Failure::usage(format!(
                    "--calibration sigmoid: {} fits none; --calibration isotonic works with any score",
                    trainer.card().name
                )));
            }
            Some(CalibrationWord::Isotonic) => {
                if trainer.card().task != Task::Classes {
                    return Err(Failure::usage(format!(
                        "--calibration: {} does not answer with classes",
                        trainer.card().name
                    )));
                }
                if has_own {
                    trainer.set("probability", &Value::Flag(false))?;
                }
                let folds = CALIBRATION_FOLDS;
                Some(Calibrating { folds, seed })
            }
        };
        Ok(Pipeline {
            coding: None,
            scaling: self.scaling.asked().unwrap_or_default(),
            choice: self.choice(seed)?,
            metric: None,
            cleaning: self.cleaning(seed)?,
            resampling: self.resampling(seed)?,
            trainer,
            calibrating,
        })
    }

    /// Completes a pipeline by what depends on the data: scaling, codes of columns and metric.
    pub(crate) fn settle(
        &self,
        session: &Session,
        input: &Input,
        pipeline: &mut Pipeline,
        libsvm_model: bool,
    ) -> Result<(), Failure> {
        // LIBSVM's text has no place for what was not asked for.
        pipeline.scaling = match self.scaling.asked() {
            None if libsvm_model => Scaling::None,
            _ => self.scaling.of(session, input),
        };
        check_precomputed(
            &input.name,
            input.loaded.precomputed,
            pipeline.trainer.is_precomputed(),
            pipeline.scaling,
        )?;
        let encoding = input.loaded.encoding.as_ref();
        pipeline.coding = self.columns.coding(encoding, session.seed)?;
        pipeline.metric = self.metric(session, input, &*pipeline.trainer)?;
        Ok(())
    }

    /// The metric asked for, for data that have been read.
    fn metric(
        &self,
        session: &Session,
        input: &Input,
        trainer: &dyn Trainer,
    ) -> Result<Option<MetricChoice>, Failure> {
        let choice = self.metric.choice(session, input)?;
        if let Some(choice) = &choice {
            choice.check(trainer).map_err(Failure::Option)?;
        }
        Ok(choice)
    }

    /// The cleaning asked for.
    fn cleaning(&self, seed: u64) -> Result<Option<Editing>, Failure> {
        editing(self.clean.as_ref(), Purpose::Clean, seed)
    }

    /// The resampling asked for.
    fn resampling(&self, seed: u64) -> Result<Option<Editing>, Failure> {
        editing(self.resample.as_ref(), Purpose::Resample, seed)
    }

    /// The choice of features asked for.
    fn choice(&self, seed: u64) -> Result<Option<Choice>, Failure> {
        let Some(text) = &self.select else {
            return Ok(None);
        };
        let selector = SelectionArgs::parse_text(text)?.selector(seed)?;
        if self.top.is_none() && !matches!(selector, Selector::KernelWeights(_)) {
            return Err(Failure::usage(format!(
                "--select {text}: say with --top how many features are kept"
            )));
        }
        Ok(Some(Choice {
            selector,
            top: self.top.map(|top| top as usize),
            text: text.clone(),
        }))
    }
}

/// The editing that a text asks for.
fn editing(text: Option<&String>, purpose: Purpose, seed: u64) -> Result<Option<Editing>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    let editor = editor_of_text(text, purpose, seed)?;
    let text = text.clone();
    Ok(Some(Editing { editor, text }))
}
