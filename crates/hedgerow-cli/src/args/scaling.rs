//! How columns are scaled: as told, or as suits the file.

use crate::input::Input;
use crate::session::Session;
use clap::ValueEnum;
use hedgerow::data::{Samples, SamplesView, Scaling, Spread};
use hedgerow_io::DataFormat;

/// A scaling by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScalingWord {
    Auto,
    None,
    Minmax,
    Standard,
    Quantile,
    QuantileNormal,
}

impl ScalingWord {
    /// The scaling of the library; `None` where the file decides.
    fn scaling(self, (low, high): (f64, f64)) -> Option<Scaling> {
        Some(match self {
            Self::Auto => return None,
            Self::None => Scaling::None,
            Self::Minmax => Scaling::MinMax { low, high },
            Self::Standard => Scaling::Standardize,
            Self::Quantile => Scaling::Quantile(Spread::Uniform),
            Self::QuantileNormal => Scaling::Quantile(Spread::Normal),
        })
    }
}

/// Scaling that becomes part of the model.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Scaling")]
pub(crate) struct ScalingArgs {
    /// Scale the features; the scaling is stored in the model. auto: a table like standard, LIBSVM
    /// text not at all; quantile: by ranks, evenly spread or as normal values
    #[arg(long, default_value = "auto")]
    pub(crate) scale: ScalingWord,
    /// Range of minmax scaling
    #[arg(
        long,
        value_name = "LOW,HIGH",
        default_value = "0,1",
        allow_hyphen_values = true,
        value_parser = range
    )]
    pub(crate) scale_range: (f64, f64),
}

/// Sparse tables that would need more bytes as dense ones are not standardised unasked.
const DENSE_BYTES: u64 = 1 << 30;

/// Spreads of columns that differ by more than this are worth a warning.
const FAR_APART: f64 = 100.0;

impl ScalingArgs {
    /// The scaling that was asked for; `None` where the file decides.
    pub(crate) fn asked(&self) -> Option<Scaling> {
        self.scale.scaling(self.scale_range)
    }

    /// The scaling for data that have been read. Says what it decides.
    pub(crate) fn of(&self, session: &Session, input: &Input) -> Scaling {
        if let Some(asked) = self.asked() {
            return asked;
        }
        if input.loaded.precomputed {
            return Scaling::None;
        }
        let samples = input.loaded.dataset.samples();
        if input.loaded.format == DataFormat::LibSvm {
            warn_of_spreads(session, input);
            return Scaling::None;
        }
        let bytes = 8 * samples.n_rows() as u64 * samples.n_features() as u64;
        if matches!(samples, Samples::Sparse(_)) && bytes > DENSE_BYTES {
            session.warn(format_args!(
                "{}: not scaled, because standardised columns have no zeros and would take {} MB; \
                 to scale nevertheless, give --scale",
                input.name,
                bytes >> 20
            ));
            return Scaling::None;
        }
        Scaling::Standardize
    }
}

/// LIBSVM text counts as prepared, but most methods are lost if one column outweighs all others.
fn warn_of_spreads(session: &Session, input: &Input) {
    let Some((narrow, wide)) = extreme_spreads(input.loaded.dataset.samples().view()) else {
        return;
    };
    if wide.1 > FAR_APART * narrow.1 {
        session.warn(format_args!(
            "{}: the spreads of the columns differ by a factor of {:.0} (feature {}: {}, feature {}: {}): \
             the widest outweigh the others; add --scale standard, or --scale none to leave them so",
            input.name,
            wide.1 / narrow.1,
            wide.0 + 1,
            crate::table::number(wide.1),
            narrow.0 + 1,
            crate::table::number(narrow.1),
        ));
    }
}

/// The feature with the smallest and the one with the largest range, constant ones left out.
fn extreme_spreads(samples: SamplesView<'_>) -> Option<((usize, f64), (usize, f64))> {
    let (n_rows, n_features) = (samples.n_rows(), samples.n_features());
    let mut seen = vec![(0usize, f64::INFINITY, f64::NEG_INFINITY); n_features];
    for i in 0..n_rows {
        samples.row(i).for_each(|f, value| {
            let (count, min, max) = &mut seen[f];
            *count += 1;
            *min = min.min(value);
            *max = max.max(value);
        });
    }
    let ranges = seen
        .iter()
        .enumerate()
        .filter_map(|(f, &(count, min, max))| {
            let (min, max) = match count {
                0 => return None,
                full if full == n_rows => (min, max),
                _ => (min.min(0.0), max.max(0.0)),
            };
            (max > min).then_some((f, max - min))
        });
    let ranges: Vec<(usize, f64)> = ranges.collect();
    let by_range = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
    let narrow = ranges.iter().min_by(by_range)?;
    let wide = ranges.iter().max_by(by_range)?;
    Some((*narrow, *wide))
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let parsed = text.split_once(',').and_then(|(low, high)| {
        let low: f64 = low.trim().parse().ok()?;
        let high: f64 = high.trim().parse().ok()?;
        (low < high && (high - low).is_finite()).then_some((low, high))
    });
    parsed.ok_or_else(|| "expected two ascending numbers, for example 0,1".to_owned())
}
