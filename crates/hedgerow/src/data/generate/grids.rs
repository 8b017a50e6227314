//! Checkerboards and squares.

use super::{Draft, ensure_count};
use crate::data::{Dataset, Generator};
use crate::error::{ensure_not_negative, ensure_positive};
use crate::{Error, Result};

/// +1 where the cells' coordinates have an even sum.
fn cell_label(x1: f64, x2: f64, cells: usize) -> f64 {
    let cell = |x: f64| ((x * cells as f64) as usize).min(cells - 1);
    if (cell(x1) + cell(x2)).is_multiple_of(2) {
        1.0
    } else {
        -1.0
    }
}

/// `n` points uniform on the unit square, the class by the colour of the cell of a
/// `cells` × `cells` board, then Gaussian noise of deviation `noise` in each coordinate.
pub fn checkerboard(n: usize, cells: usize, noise: f64, seed: u64) -> Result<Dataset> {
    ensure_count("n", n, 1)?;
    ensure_count("cells", cells, 1)?;
    ensure_not_negative("noise", noise)?;
    let mut generator = Generator::new(seed);
    let mut draft = Draft::new(2);
    for _ in 0..n {
        let (x1, x2) = (generator.uniform(), generator.uniform());
        draft.push(&[x1, x2], cell_label(x1, x2, cells));
    }
    draft.blur(noise, &mut generator);
    draft.finish()
}

/// The large noisy 4 × 4 [`checkerboard`]: noise 0.0121 puts 5.8% of the points across an edge.
pub fn checker_b(n: usize, seed: u64) -> Result<Dataset> {
    checkerboard(n, 4, 0.0121, seed)
}

/// 4 × 4 checkerboard on a regular grid of `side` × `side` points of the unit square, the class by
/// the cell before Gaussian noise of deviation `noise` is added.
///
/// The usual side is 40. 1-NN then scores 95%, 81% and 72% with noise 0.01, 0.03 and 0.05.
pub fn grid_checkerboard(side: usize, noise: f64, seed: u64) -> Result<Dataset> {
    ensure_count("side", side, 1)?;
    ensure_not_negative("noise", noise)?;
    let mut generator = Generator::new(seed);
    let mut draft = Draft::new(2);
    for i in 0..side {
        for j in 0..side {
            let x1 = (i as f64 + 0.5) / side as f64;
            let x2 = (j as f64 + 0.5) / side as f64;
            draft.push(&[x1, x2], cell_label(x1, x2, 4));
        }
    }
    draft.blur(noise, &mut generator);
    draft.finish_shuffled(&mut generator)
}

/// A dense class (+1) on the square $[0.35, 0.65]^2$ within a thin one (−1) on the rest of the
/// unit square: regular grids with the two pitches, then Gaussian noise.
///
/// The usual pitches are 0.02 and 0.06, the usual noise 0.005; the extents are a reconstruction.
pub fn density_squares(
    dense_pitch: f64,
    thin_pitch: f64,
    noise: f64,
    seed: u64,
) -> Result<Dataset> {
    ensure_positive("dense_pitch", dense_pitch)?;
    ensure_positive("thin_pitch", thin_pitch)?;
    ensure_not_negative("noise", noise)?;
    if dense_pitch.min(thin_pitch) < 1e-6 || dense_pitch > 0.6 || thin_pitch > 2.0 {
        return Err(Error::Parameter {
            name: "pitch",
            value: dense_pitch.min(thin_pitch),
            requirement: "at least 1e-6 and not wider than the squares",
        });
    }
    let (low, high) = (0.35, 0.65);
    let mut generator = Generator::new(seed);
    let mut draft = Draft::new(2);
    let ticks = |from: f64, to: f64, pitch: f64| -> Vec<f64> {
        let count = ((to - from) / pitch + 0.5 + 1e-9).floor() as usize;
        (0..count)
            .map(|i| from + (i as f64 + 0.5) * pitch)
            .collect()
    };
    let inner = ticks(low, high, dense_pitch);
    for &x1 in &inner {
        for &x2 in &inner {
            draft.push(&[x1, x2], 1.0);
        }
    }
    let inside = |x: f64| (low..=high).contains(&x);
    let outer = ticks(0.0, 1.0, thin_pitch);
    for &x1 in &outer {
        for &x2 in &outer {
            if !(inside(x1) && inside(x2)) {
                draft.push(&[x1, x2], -1.0);
            }
        }
    }
    draft.blur(noise, &mut generator);
    draft.finish_shuffled(&mut generator)
}
