//! The rows of a node in coordinates that suit its hyperplane.
//!
//! Deep in a tree the rows of a node fill a small region far from the origin. There they are almost
//! parallel vectors: coordinate descent would crawl, and the regularised bias would have to be
//! large. In the node's own coordinates $z_f = s_f (x_f - m_f)$ neither happens, and
//! $w \cdot z + b = \sum_f (w_f s_f) x_f + (b - \sum_f w_f s_f m_f)$ gives the hyperplane back.

use super::Frame;
use crate::Result;
use crate::data::{CsrMatrix, Samples, SamplesView};

/// Rows of a node, copied side by side.
pub(super) struct NodeRows {
    pub(super) samples: Samples,
    /// Feature of the data behind each local feature; `None` if they are the same.
    features: Option<Vec<u32>>,
    /// Origin and factor of each local feature; `None` for the coordinates of the data.
    moved: Option<(Vec<f64>, Vec<f64>)>,
}

impl NodeRows {
    /// Copies rows, with these features (all if `None`).
    pub(super) fn copy(
        view: SamplesView<'_>,
        rows: &[u32],
        features: Option<Vec<u32>>,
        frame: Frame,
    ) -> Result<Self> {
        match view {
            SamplesView::Dense {
                n_features, values, ..
            } => {
                let width = features.as_ref().map_or(n_features, Vec::len);
                let mut copy = Vec::with_capacity(rows.len() * width);
                for &i in rows {
                    let row = &values[i as usize * n_features..(i as usize + 1) * n_features];
                    match &features {
                        None => copy.extend_from_slice(row),
                        Some(chosen) => copy.extend(chosen.iter().map(|&f| row[f as usize])),
                    }
                }
                let moved = move_frame(&mut copy, width, frame);
                Ok(Self {
                    samples: Samples::dense(rows.len(), width, copy)?,
                    features,
                    moved,
                })
            }
            SamplesView::Sparse { n_features, .. } => {
                let samples = match &features {
                    None => {
                        let rows: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
                        view.select(&rows)
                    }
                    Some(chosen) => sparse_columns(view, rows, chosen, n_features)?,
                };
                Ok(Self {
                    samples,
                    features,
                    moved: None,
                })
            }
        }
    }

    /// The hyperplane of local weights in the coordinates of the data: its weights are written
    /// into `out`, which must be zero, and the constant is returned.
    pub(super) fn unfold(&self, weights: &[f64], bias: f64, out: &mut [f64]) -> f64 {
        let mut constant = bias;
        for (j, &w) in weights.iter().enumerate() {
            let f = self
                .features
                .as_ref()
                .map_or(j, |chosen| chosen[j] as usize);
            match &self.moved {
                None => out[f] = w,
                Some((origin, factor)) => {
                    let weight = w * factor[j];
                    out[f] = weight;
                    constant -= weight * origin[j];
                }
            }
        }
        constant
    }
}

/// Moves rows to their own frame; the origin and the factors, unless the frame is that of the data.
fn move_frame(values: &mut [f64], width: usize, frame: Frame) -> Option<(Vec<f64>, Vec<f64>)> {
    if frame == Frame::Raw || width == 0 || values.is_empty() {
        return None;
    }
    let n = (values.len() / width) as f64;
    // Means relative to the first row do not lose digits far from the origin.
    let first = values[..width].to_vec();
    let mut origin = vec![0.0; width];
    for row in values.chunks_exact(width) {
        for ((sum, x), base) in origin.iter_mut().zip(row).zip(&first) {
            *sum += x - base;
        }
    }
    for (sum, base) in origin.iter_mut().zip(&first) {
        *sum = base + *sum / n;
    }
    for row in values.chunks_exact_mut(width) {
        for (x, mean) in row.iter_mut().zip(&origin) {
            *x -= mean;
        }
    }
    let mut factor = vec![1.0; width];
    if frame == Frame::Standardised {
        let mut squares = vec![0.0; width];
        for row in values.chunks_exact(width) {
            for (sum, x) in squares.iter_mut().zip(row) {
                *sum += x * x;
            }
        }
        for ((factor, sum), mean) in factor.iter_mut().zip(&squares).zip(&origin) {
            let deviation = (sum / n).sqrt();
            // What rounding leaves of a constant is no variation.
            let varies = deviation > 1e-13 * mean.abs() && deviation.is_normal();
            *factor = if varies { 1.0 / deviation } else { 0.0 };
        }
        for row in values.chunks_exact_mut(width) {
            for (x, factor) in row.iter_mut().zip(&factor) {
                *x *= factor;
            }
        }
    }
    Some((origin, factor))
}

/// Some columns of some sparse rows. The chosen columns ascend.
fn sparse_columns(
    view: SamplesView<'_>,
    rows: &[u32],
    chosen: &[u32],
    n_features: usize,
) -> Result<Samples> {
    let mut local = vec![u32::MAX; n_features];
    for (j, &f) in (0u32..).zip(chosen) {
        local[f as usize] = j;
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in rows {
        view.row(i as usize).for_each(|f, x| {
            if local[f] != u32::MAX {
                indices.push(local[f]);
                values.push(x);
            }
        });
        starts.push(indices.len());
    }
    CsrMatrix::new(chosen.len(), starts, indices, values).map(Samples::Sparse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Row;
    use crate::linalg::hyperplane_value;

    #[test]
    fn a_hyperplane_has_the_same_values_in_both_frames() {
        let values = vec![1e6, 3.0, 1e6 + 1.0, 5.0, 1e6 - 2.0, 3.5, 1e6 + 0.5, 9.0];
        let samples = Samples::dense(4, 2, values).expect("shape");
        let rows = [3, 0, 2];
        for frame in [Frame::Raw, Frame::Centred, Frame::Standardised] {
            let node = NodeRows::copy(samples.view(), &rows, None, frame).expect("copy");
            let mut plane = vec![0.0; 8];
            let bias = node.unfold(&[0.3, -2.0], 0.7, &mut plane);
            for (local, &i) in rows.iter().enumerate() {
                let outside = hyperplane_value(&plane, bias, samples.view().row(i as usize));
                let Row::Dense(z) = node.samples.view().row(local) else {
                    panic!("dense stays dense");
                };
                let inside = 0.3 * z[0] - 2.0 * z[1] + 0.7;
                assert!(
                    (outside - inside).abs() < 1e-8,
                    "{frame:?} {outside} {inside}"
                );
            }
        }
    }

    #[test]
    fn a_constant_feature_gets_no_weight_when_standardised() {
        let samples = Samples::dense(3, 2, vec![0.1, 1.0, 0.1, 2.0, 0.1, 3.0]).expect("shape");
        let node =
            NodeRows::copy(samples.view(), &[0, 1, 2], None, Frame::Standardised).expect("copy");
        let mut plane = vec![0.0; 8];
        node.unfold(&[5.0, 1.0], 0.0, &mut plane);
        assert_eq!(plane[0], 0.0);
        assert!(plane[1] > 0.0);
    }

    #[test]
    fn chosen_features_are_found_in_dense_and_sparse_rows() {
        let dense = Samples::dense(2, 3, vec![1.0, 0.0, 2.0, 0.0, 3.0, 4.0]).expect("shape");
        let sparse = CsrMatrix::new(3, vec![0, 2, 4], vec![0, 2, 1, 2], vec![1.0, 2.0, 3.0, 4.0])
            .map(Samples::Sparse)
            .expect("shape");
        for samples in [dense, sparse] {
            let rows = NodeRows::copy(samples.view(), &[1, 0], Some(vec![0, 2]), Frame::Raw)
                .expect("copy");
            let mut out = [9.0; 2];
            rows.samples.view().row(0).write_dense(&mut out);
            assert_eq!(out, [0.0, 4.0]);
            let mut plane = vec![0.0; 8];
            assert_eq!(rows.unfold(&[7.0, 8.0], 1.0, &mut plane), 1.0);
            assert_eq!(plane[..3], [7.0, 0.0, 8.0]);
        }
    }
}
