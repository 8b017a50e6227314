//! The options of `clean` and `resample` beside those of their methods.

use super::scaling::ScalingArgs;
use super::{ColumnArgs, DataArgs};

/// What both commands share.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    #[command(flatten)]
    pub(crate) scaling: ScalingArgs,
}

/// `clean`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CleanArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// Write every removed row with its score, the label argued for and its nearest rows, as CSV
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) report: Option<String>,
    /// Write the same as an HTML page to look at
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub(crate) page: Option<String>,
    /// Nearest rows of the same and of other labels that the report shows
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Report")]
    pub(crate) evidence: usize,
    /// Keep all rows, and give those that would be removed the label their neighbourhood argues for
    #[arg(long, conflicts_with = "score_only")]
    pub(crate) relabel: bool,
    /// Write a table of scores in place of data: row, label, trust, suggested label, whether kept
    #[arg(long)]
    pub(crate) score_only: bool,
    /// Compare with what other methods remove, separated by semicolons: "renn;aknn:neighbours=5"
    #[arg(
        long,
        value_name = "METHODS",
        value_delimiter = ';',
        help_heading = "Report"
    )]
    pub(crate) overlap: Vec<String>,
    /// The data; - for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// Where the lines that stay are written; - for standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: String,
}

/// `resample`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ResampleArgs {
    #[command(flatten)]
    pub(crate) edit: EditArgs,
    /// The data; - for standard input
    #[arg(value_name = "IN")]
    pub(crate) input: String,
    /// Where the lines that stay, then the new ones, are written; - for standard output
    #[arg(value_name = "OUT")]
    pub(crate) out: String,
}
