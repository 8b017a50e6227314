//! Normally distributed clusters on cubes.
//!
//! The original generator is not described well enough to be rebuilt; both functions are
//! substitutes, and results on them are not comparable with published ones. They share the form
//!
//! $x = c_v + s\,G_v z / \sqrt d$, $z \sim N(0, I_d)$,
//!
//! with a centre $c_v$, a random $d \times d$ matrix $G_v$ of standard normals (so the covariance
//! is $s^2 G_v G_v^\top / d$) and a class for each vertex $v$.

use super::{Draft, ensure_count};
use crate::Result;
use crate::data::{Dataset, Generator};
use crate::error::ensure_not_negative;

/// Usual deviation of the clusters on the ordinary cubes.
pub(super) const SPREAD: f64 = 2.25;

/// Largest dimension of the ordinary cubes, which have 2^d vertices.
const MAX_DIMENSION: usize = 12;

/// Parameters of [`ndcc`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NdccParams {
    /// Number of rows. Default 1000.
    pub rows: usize,
    /// Dimension of the cubes, at most 12. Default 5.
    pub dimension: usize,
    /// Share of the vertices that are positive. Default 0.61.
    pub positive: f64,
    /// Deviation of the clusters. Default 2.25: with 100,000 rows k-NN then scores about 85%.
    pub spread: f64,
    /// Seed of the clusters. Default 1.
    pub structure: u64,
}

impl Default for NdccParams {
    fn default() -> Self {
        Self {
            rows: 1000,
            dimension: 5,
            positive: 0.61,
            spread: SPREAD,
            structure: 1,
        }
    }
}

/// Gaussian clusters with random covariance on the vertices of three concentric cubes of half
/// side 1, 3 and 5, all vertices equally likely; a fixed share of the vertices, chosen at random,
/// is positive.
pub fn ndcc(params: &NdccParams, seed: u64) -> Result<Dataset> {
    ensure_count("rows", params.rows, 1)?;
    ensure_count("dimension", params.dimension, 1)?;
    ensure_not_negative("spread", params.spread)?;
    super::ensure_fraction("positive", params.positive)?;
    if params.dimension > MAX_DIMENSION {
        return Err(crate::Error::Parameter {
            name: "dimension",
            value: params.dimension as f64,
            requirement: "at most 12",
        });
    }
    let d = params.dimension;
    let mut draw = Generator::new(params.structure);
    let corners = 1usize << d;
    let mut clusters = Vec::with_capacity(3 * corners);
    for half_side in [1.0, 3.0, 5.0] {
        for corner in 0..corners {
            let centre = (0..d)
                .map(|f| {
                    if corner >> f & 1 == 1 {
                        half_side
                    } else {
                        -half_side
                    }
                })
                .collect();
            clusters.push(Cluster::new(centre, -1.0, &mut draw));
        }
    }
    let positives = (params.positive * clusters.len() as f64).round() as usize;
    for at in draw.sample(clusters.len(), positives) {
        clusters[at].label = 1.0;
    }
    let mut generator = Generator::new(seed);
    let mut draft = Draft::new(d);
    let mut row = vec![0.0; d];
    for _ in 0..params.rows {
        let cluster = &clusters[generator.below(clusters.len())];
        cluster.draw(params.spread, &mut generator, &mut row);
        draft.push(&row, cluster.label);
    }
    draft.finish()
}

/// Parameters of [`ndcc_probes`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct NdccProbesParams {
    /// Number of rows. Default 200.
    pub rows: usize,
    /// Informative features, which come first. Default 20.
    pub informative: usize,
    /// Features of pure N(0, 1) noise, which come last. Default 100.
    pub probes: usize,
    /// Deviation of the clusters. Default 0.1.
    pub spread: f64,
    /// Seed of the clusters. Default 1.
    pub structure: u64,
}

impl Default for NdccProbesParams {
    fn default() -> Self {
        Self {
            rows: 200,
            informative: 20,
            probes: 100,
            spread: 0.1,
            structure: 1,
        }
    }
}

/// Gaussian clusters with random covariance on the vertices $\pm r e_l$ of three concentric
/// 1-norm cubes of radius 2, 4 and 8, with weights drawn from U(0, 1), and useless features.
///
/// $+r e_l$ is positive on the first and third cube and negative on the second; opposite vertices
/// have opposite classes, so no single feature separates. Radii, weights and spread are the best
/// match, out of several settings, to the published errors of an SVM with and without the probes.
pub fn ndcc_probes(params: &NdccProbesParams, seed: u64) -> Result<Dataset> {
    ensure_count("rows", params.rows, 1)?;
    ensure_count("informative", params.informative, 1)?;
    ensure_not_negative("spread", params.spread)?;
    let d = params.informative;
    let mut draw = Generator::new(params.structure);
    let mut clusters = Vec::with_capacity(6 * d);
    for (radius, side) in [(2.0, 1.0), (4.0, -1.0), (8.0, 1.0)] {
        for l in 0..d {
            for sign in [1.0, -1.0] {
                let mut centre = vec![0.0; d];
                centre[l] = sign * radius;
                clusters.push(Cluster::new(centre, sign * side, &mut draw));
            }
        }
    }
    // Cumulated weights; the last is the total.
    let mut total = 0.0;
    let reach: Vec<f64> = clusters
        .iter()
        .map(|_| {
            total += draw.uniform();
            total
        })
        .collect();
    let mut generator = Generator::new(seed);
    let mut draft = Draft::new(d + params.probes);
    let mut row = vec![0.0; d + params.probes];
    for _ in 0..params.rows {
        let aim = generator.range(0.0, total);
        let at = reach.partition_point(|&end| end <= aim);
        let cluster = &clusters[at.min(clusters.len() - 1)];
        cluster.draw(params.spread, &mut generator, &mut row[..d]);
        for probe in &mut row[d..] {
            *probe = generator.normal();
        }
        draft.push(&row, cluster.label);
    }
    draft.finish()
}

struct Cluster {
    centre: Vec<f64>,
    label: f64,
    /// $G / \sqrt d$, row-major.
    factor: Vec<f64>,
}

impl Cluster {
    fn new(centre: Vec<f64>, label: f64, generator: &mut Generator) -> Self {
        let d = centre.len();
        let unit = 1.0 / (d as f64).sqrt();
        Self {
            factor: (0..d * d).map(|_| unit * generator.normal()).collect(),
            centre,
            label,
        }
    }

    fn draw(&self, spread: f64, generator: &mut Generator, row: &mut [f64]) {
        row.copy_from_slice(&self.centre);
        let d = row.len();
        for column in 0..d {
            let z = spread * generator.normal();
            for (f, value) in row.iter_mut().enumerate() {
                *value += self.factor[f * d + column] * z;
            }
        }
    }
}
