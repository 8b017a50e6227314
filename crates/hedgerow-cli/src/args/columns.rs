//! Options for single columns of a table, and for rows that repeat others.

use crate::failure::Failure;
use hedgerow::data::Coding;
use hedgerow_io::{ColumnRule, ColumnRules, Encoding};

/// Columns that are not read as their cells suggest.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Columns")]
pub(crate) struct ColumnArgs {
    /// Columns of a table that hold categories even where they look like numbers, one feature a
    /// category: names, positions from 1 and ranges A..B, separated by commas
    #[arg(long, value_name = "COLUMNS")]
    nominal: Vec<String>,
    /// Columns of categories that are numbered in their order, one feature: numbers by value, texts
    /// as people sort (a2 before a10)
    #[arg(long, value_name = "COLUMNS")]
    coded: Vec<String>,
    /// Columns of categories that become the share of the rarer class among their rows (levels and
    /// real targets: the mean; more classes: one feature a class)
    #[arg(long, value_name = "COLUMNS")]
    target_coded: Vec<String>,
    /// With --target-coded: rows of the overall share that every category gets beside its own
    #[arg(
        long,
        value_name = "X",
        default_value_t = 10.0,
        requires = "target_coded",
        allow_negative_numbers = true
    )]
    target_smoothing: f64,
    /// Columns that are not read
    #[arg(long, visible_alias = "ignore", value_name = "COLUMNS")]
    drop: Vec<String>,
    /// Column that names the rows: no feature; predict --id writes it beside the answers
    #[arg(long, value_name = "COLUMN")]
    pub(crate) id: Option<String>,
}

impl ColumnArgs {
    /// The rules of the library.
    pub(crate) fn rules(&self) -> ColumnRules {
        let lists = [
            (ColumnRule::Nominal, &self.nominal),
            (ColumnRule::Coded, &self.coded),
            (ColumnRule::TargetCoded, &self.target_coded),
            (ColumnRule::Dropped, &self.drop),
        ];
        let mut rules = ColumnRules::default();
        for (rule, columns) in lists {
            for list in columns {
                rules = rules.with(rule, list);
            }
        }
        if let Some(id) = &self.id {
            rules = rules.with(ColumnRule::Dropped, id);
        }
        rules
    }

    /// True if the column was named as one of categories.
    pub(crate) fn names_as_nominal(&self, name: &str) -> bool {
        let lists = self.nominal.iter();
        let mut names = lists
            .flat_map(|list| list.split(','))
            .map(|one| one.trim().trim_matches('"'));
        names.any(|one| one == name)
    }

    /// How the columns to be coded by targets are coded.
    pub(crate) fn coding(
        &self,
        encoding: Option<&Encoding>,
        seed: u64,
    ) -> Result<Option<Coding>, Failure> {
        let features = encoding.map(Encoding::target_coded).unwrap_or_default();
        self.check()?;
        if features.is_empty() {
            return Ok(None);
        }
        Ok(Some(Coding {
            features,
            smoothing: self.target_smoothing,
            seed,
        }))
    }

    /// Refuses what no data could make right.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if !(self.target_smoothing >= 0.0 && self.target_smoothing.is_finite()) {
            return Err(Failure::usage(format!(
                "--target-smoothing {}: must be a finite number not less than 0",
                self.target_smoothing
            )));
        }
        Ok(())
    }

    /// An error where nothing is coded by targets.
    pub(crate) fn refuse_target_coded(&self, why: &str) -> Result<(), Failure> {
        if self.target_coded.is_empty() {
            return Ok(());
        }
        Err(Failure::usage(format!("--target-coded: {why}")))
    }
}
