//! Options of `predict` for models of two classes: where the line is drawn, and what that means.

use crate::failure::Failure;
use hedgerow::evaluate::operating::Aim;

/// Where two classes are parted.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Two classes")]
pub(crate) struct DecisionArgs {
    /// The class that is looked for [default: the model's, else the one whose name sorts last]
    #[arg(long, value_name = "CLASS", allow_hyphen_values = true)]
    pub(crate) positive: Option<String>,
    /// Share of positive rows expected in the data: probabilities are corrected from the share in the
    /// training data; needs --probability
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) prior: Option<f64>,
    /// Call rows positive whose score (with --probability: probability) is at least this
    #[arg(
        long,
        value_name = "X",
        allow_negative_numbers = true,
        conflicts_with = "alerts"
    )]
    pub(crate) threshold: Option<f64>,
    /// Call at most so many rows positive, those with the highest scores
    #[arg(long, value_name = "N")]
    pub(crate) alerts: Option<usize>,
    /// Print thresholds for these aims on labelled rows: recall=0.9, precision=0.5, alerts=100,
    /// cost=10:1 (a missed positive to a false alarm), f1; separated by commas
    #[arg(long, value_name = "AIMS", value_delimiter = ',')]
    pub(crate) operating: Vec<String>,
    /// Draw the ROC curve of labelled rows as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) roc: Option<String>,
    /// Draw the precision-recall curve of labelled rows as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) precision_recall: Option<String>,
}

impl DecisionArgs {
    /// The first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            (self.positive.is_some(), "--positive"),
            (self.prior.is_some(), "--prior"),
            (self.threshold.is_some(), "--threshold"),
            (self.alerts.is_some(), "--alerts"),
            (!self.operating.is_empty(), "--operating"),
            (self.roc.is_some(), "--roc"),
            (self.precision_recall.is_some(), "--precision-recall"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }

    /// The first option that needs labelled rows.
    pub(crate) fn needs_labels(&self) -> Option<&'static str> {
        [
            (!self.operating.is_empty(), "--operating"),
            (self.roc.is_some(), "--roc"),
            (self.precision_recall.is_some(), "--precision-recall"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }

    /// An error for a share that is none.
    pub(crate) fn check_prior(&self, with_probabilities: bool) -> Result<(), Failure> {
        let Some(share) = self.prior else {
            return Ok(());
        };
        if !(share > 0.0 && share < 1.0) {
            return Err(Failure::usage(format!(
                "--prior {share}: must be a share between 0 and 1"
            )));
        }
        if !with_probabilities {
            return Err(Failure::usage(
                "--prior corrects probabilities: add --probability",
            ));
        }
        Ok(())
    }

    /// The aims with the words that asked for them.
    pub(crate) fn aims(&self) -> Result<Vec<(String, Aim)>, Failure> {
        let aim = |text: &String| Ok((text.trim().to_owned(), aim_of_text(text.trim())?));
        self.operating.iter().map(aim).collect()
    }
}

fn aim_of_text(text: &str) -> Result<Aim, Failure> {
    let refused = || {
        Failure::usage(format!(
            "--operating {text}: expected recall=0.9, precision=0.5, alerts=100, cost=10:1 or f1"
        ))
    };
    let number = |text: &str| text.parse::<f64>().map_err(|_| refused());
    let aim = match text.split_once('=') {
        None if text == "f1" => Aim::F1,
        Some(("recall", share)) => Aim::Recall(number(share)?),
        Some(("precision", share)) => Aim::Precision(number(share)?),
        Some(("alerts", count)) => Aim::Alerts(count.parse().map_err(|_| refused())?),
        Some(("cost", prices)) => {
            let (missed, alarm) = prices.split_once(':').ok_or_else(refused)?;
            Aim::Cost {
                missed: number(missed)?,
                alarm: number(alarm)?,
            }
        }
        _ => return Err(refused()),
    };
    aim.check().map_err(|_| refused())?;
    Ok(aim)
}
