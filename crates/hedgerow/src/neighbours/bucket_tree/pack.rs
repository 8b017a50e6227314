//! Rows into panels, and boxes around them.

use super::{BucketTree, FAN, bucket_size};
use crate::data::SamplesView;
use crate::linalg::PANEL;
use crate::neighbours::GONE;
use crate::neighbours::metric::Embedding;
use crate::neighbours::packing_frame::PackingFrame;
use crate::parallel::{Grain, concat, for_each, for_each_chunk};
use crate::spares::Spares;

/// Panels of boxes that one task fills.
const TASK_PANELS: usize = 8;
/// Buckets that one task compares.
const TASK_BUCKETS: usize = 16;

impl BucketTree {
    pub(super) fn packed(
        frame: PackingFrame,
        embedding: Embedding<'_>,
        samples: SamplesView<'_>,
        rows: &[u32],
    ) -> Self {
        let width = embedding.width();
        let bucket = bucket_size(width);
        let n_buckets = rows.len().div_ceil(bucket);
        let mut centres = vec![0.0f32; n_buckets * width];
        let mut common = vec![0.0f32; n_buckets * width];
        let mut radii = vec![0.0f32; n_buckets];
        // Lower ends, then upper ends, of one bucket after the other.
        let mut ends = vec![0.0f32; n_buckets * 2 * width];
        let mut packed: Vec<Option<Varying>> = Vec::new();
        packed.resize_with(n_buckets, || None);
        let parts = rows
            .chunks(bucket)
            .zip(centres.chunks_mut(width.max(1)))
            .zip(common.chunks_mut(width.max(1)))
            .zip(radii.iter_mut())
            .zip(ends.chunks_mut((2 * width).max(1)))
            .zip(packed.iter_mut());
        let buffers = Spares::<(Vec<f64>, Vec<f64>)>::new();
        for_each(parts, Grain::COARSE, &|_, part| {
            let (((((rows, centre), common), radius), ends), packed) = part;
            buffers.lend(|(buffer, exact)| {
                buffer.resize(bucket * width, 0.0);
                exact.resize(2 * width, 0.0);
                samples.fetch(rows.iter().copied().filter(|&row| row != GONE));
                let (low, high) = exact.split_at_mut(width);
                low.fill(f64::INFINITY);
                high.fill(f64::NEG_INFINITY);
                for (&row, out) in rows.iter().zip(buffer.chunks_exact_mut(width.max(1))) {
                    if row == GONE {
                        continue;
                    }
                    frame.write(embedding, samples.row(row as usize), out);
                    for (f, &value) in out.iter().enumerate() {
                        low[f] = low[f].min(value);
                        high[f] = high[f].max(value);
                    }
                }
                let (lower, upper) = ends.split_at_mut(width);
                for f in 0..width {
                    lower[f] = rounded_down(low[f]);
                    upper[f] = rounded_up(high[f]);
                }
                *radius = middle(lower, upper, centre);
                *packed = Some(Varying::pack(rows, buffer, centre, common, bucket));
            });
        });
        let (columns, values, starts) = Varying::join(packed);
        let mut levels = vec![into_panels(&ends, width)];
        while let Some(below) = levels.last()
            && below.len() > 2 * FAN * width
        {
            levels.push(into_panels(&enclosing(below, width), width));
        }
        Self {
            frame,
            width,
            bucket,
            values,
            columns,
            starts,
            common,
            centres,
            radii,
            ahead: ahead(embedding, samples, rows, bucket),
            levels,
        }
    }
}

/// The part of a bucket in which its rows vary.
struct Varying {
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Varying {
    /// Columns and values of one bucket after the other, and where the columns of each begin.
    fn join(packed: Vec<Option<Self>>) -> (Vec<u32>, Vec<f32>, Vec<u32>) {
        let mut starts = Vec::with_capacity(packed.len() + 1);
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        values.reserve_exact(
            packed
                .iter()
                .flatten()
                .map(|bucket| bucket.values.len())
                .sum(),
        );
        starts.push(0);
        for bucket in packed.into_iter().flatten() {
            columns.extend(bucket.columns);
            values.extend(bucket.values);
            starts.push(columns.len() as u32);
        }
        (columns, values, starts)
    }

    /// From the rows one after the other; writes what the rows have in common.
    fn pack(
        rows: &[u32],
        buffer: &[f64],
        centre: &[f32],
        common: &mut [f32],
        bucket: usize,
    ) -> Self {
        let width = centre.len();
        let present = || {
            let members = rows.iter().zip(buffer.chunks_exact(width.max(1)));
            let numbered = members.enumerate().filter(|(_, (row, _))| **row != GONE);
            numbered.map(|(i, (_, x))| (i, x))
        };
        let relative = |f: usize, value: f64| (value - f64::from(centre[f])) as f32;
        let first = present().next().map(|(_, x)| x);
        let mut varies = vec![first.is_none(); width];
        for (_, x) in present() {
            for (varies, (value, first)) in varies.iter_mut().zip(x.iter().zip(first.unwrap_or(x)))
            {
                *varies |= value != first;
            }
        }
        // Rows that are gone are recognised by the first column that is kept.
        if let Some(kept) = varies.first_mut() {
            *kept = true;
        }
        for (f, common) in common.iter_mut().enumerate() {
            *common = match first {
                Some(first) if !varies[f] => relative(f, first[f]),
                _ => f32::NAN,
            };
        }
        let columns: Vec<u32> = (0..width as u32).filter(|&f| varies[f as usize]).collect();
        let mut values = vec![f32::INFINITY; bucket * columns.len()];
        for (i, x) in present() {
            let panel = &mut values[i / PANEL * PANEL * columns.len()..];
            for (at, &f) in columns.iter().enumerate() {
                panel[at * PANEL + i % PANEL] = relative(f as usize, x[f as usize]);
            }
        }
        Self { columns, values }
    }
}

/// For every bucket whose rows are all alike, the number of the same rows before it; else 0.
fn ahead(
    embedding: Embedding<'_>,
    samples: SamplesView<'_>,
    rows: &[u32],
    bucket: usize,
) -> Vec<u32> {
    let alike = |a: u32, b: u32| {
        embedding.is_identity() && samples.row(a as usize) == samples.row(b as usize)
    };
    let is_uniform: Vec<bool> = concat(rows.len(), TASK_BUCKETS * bucket, &|part| {
        let buckets = rows[part].chunks(bucket);
        buckets
            .map(|rows| !rows.contains(&GONE) && rows.iter().all(|&row| alike(row, rows[0])))
            .collect()
    });
    let mut counts = vec![0u32; is_uniform.len()];
    for at in 1..counts.len() {
        let (before, here) = rows[(at - 1) * bucket..].split_at(bucket);
        let here = &here[..bucket.min(here.len())];
        if is_uniform[at - 1]
            && is_uniform[at]
            && alike(before[0], here[0])
            && before.iter().max() < here.iter().min()
        {
            counts[at] = counts[at - 1] + bucket as u32;
        }
    }
    counts
}

fn rounded_down(value: f64) -> f32 {
    let rounded = value as f32;
    if f64::from(rounded) > value {
        rounded.next_down()
    } else {
        rounded
    }
}

fn rounded_up(value: f64) -> f32 {
    let rounded = value as f32;
    if f64::from(rounded) < value {
        rounded.next_up()
    } else {
        rounded
    }
}

/// Writes the middle of a box and returns half its diagonal, rounded up. Of an empty box too.
fn middle(lower: &[f32], upper: &[f32], centre: &mut [f32]) -> f32 {
    let mut sum = 0.0;
    for ((slot, &low), &high) in centre.iter_mut().zip(lower).zip(upper) {
        if low > high {
            return 0.0;
        }
        *slot = 0.5 * (low + high);
        let (low, high, middle) = (f64::from(low), f64::from(high), f64::from(*slot));
        let half = (high - middle).max(middle - low);
        sum += half * half;
    }
    (sum.sqrt() * (1.0 + 1e-6)) as f32
}

/// Boxes one after the other into panels of sixteen; what is missing in the last is empty.
fn into_panels(ends: &[f32], width: usize) -> Vec<f32> {
    let n = if width == 0 {
        0
    } else {
        ends.len() / (2 * width)
    };
    let mut panels = vec![0.0f32; n.div_ceil(FAN) * FAN * 2 * width];
    let size = (FAN * 2 * width).max(1);
    for_each_chunk(
        &mut panels,
        TASK_PANELS * size,
        Grain::COARSE,
        &|task, panels| {
            for (p, panel) in panels.chunks_exact_mut(size).enumerate() {
                let first = (task * TASK_PANELS + p) * FAN;
                for (f, column) in panel.chunks_exact_mut(2 * FAN).enumerate() {
                    for lane in 0..FAN {
                        let at = (first + lane) * 2 * width + f;
                        // An empty box is infinitely far.
                        column[lane] = ends.get(at).copied().unwrap_or(f32::INFINITY);
                        column[FAN + lane] =
                            ends.get(at + width).copied().unwrap_or(f32::NEG_INFINITY);
                    }
                }
            }
        },
    );
    panels
}

/// One box around the sixteen of each panel.
fn enclosing(panels: &[f32], width: usize) -> Vec<f32> {
    let mut ends = vec![0.0f32; panels.len() / FAN];
    let boxes = ends.chunks_mut((2 * width).max(1));
    let boxes = boxes.zip(panels.chunks((FAN * 2 * width).max(1)));
    for_each(boxes, Grain::COARSE, &|_, (ends, panel)| {
        for (f, column) in panel.chunks_exact(2 * FAN).enumerate() {
            ends[f] = column[..FAN].iter().copied().fold(f32::INFINITY, f32::min);
            ends[width + f] = column[FAN..]
                .iter()
                .copied()
                .fold(f32::NEG_INFINITY, f32::max);
        }
    });
    ends
}
