//! All generators by name.

use super::{
    DecsinParams, NdccParams, NdccProbesParams, RareMixtureParams, banana, blobs, checker_b,
    checkerboard, decsin, density_squares, flip_labels, grid_checkerboard, ndcc, ndcc_probes,
    noisy_two_spirals, sinusoid, two_spirals,
};
use crate::data::Dataset;
use crate::{Error, Result};

/// An option of a generator: a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opt {
    /// Name, as on a command line.
    pub name: &'static str,
    /// Value when it is not given.
    pub default: f64,
    /// What it does.
    pub description: &'static str,
}

/// A generator.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name, as on a command line.
    pub name: &'static str,
    /// What it makes.
    pub description: &'static str,
    /// Rows when the number is not given.
    pub rows: usize,
    /// Options of this generator; `flip` is understood by all.
    pub options: &'static [Opt],
    build: fn(usize, u64, &Values<'_>) -> Result<Dataset>,
}

/// Option of every generator.
const FLIP: Opt = opt("flip", 0.0, "probability that a label is flipped");

const NOISE: &str = "standard deviation of the Gaussian noise";
const STRUCTURE: &str = "seed of the clusters, shared by training and test sets";

/// Every generator.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "two-spirals",
        description: "two noise-free spirals whose density falls outwards; an even number of rows",
        rows: 600,
        options: &[],
        build: |rows, _, _| two_spirals(rows.div_ceil(2)),
    },
    Entry {
        name: "noisy-spirals",
        description: "two spirals with noise that grows outwards; an even number of rows",
        rows: 100_000,
        options: &[opt(
            "noise",
            0.4,
            "noise as a fraction of the room between arms",
        )],
        build: |rows, seed, v| noisy_two_spirals(rows.div_ceil(2), v.get("noise"), seed),
    },
    Entry {
        name: "decsin",
        description: "above and below a sine wave that shrinks to the right; about so many rows",
        rows: 1010,
        options: &[
            opt(
                "layers",
                5.0,
                "points above and below the curve in each column",
            ),
            opt("noise", 0.25, "noise in units of the local scale"),
        ],
        build: |rows, seed, v| {
            let params = DecsinParams {
                layers: v.whole("layers")?,
                noise: v.get("noise"),
                ..DecsinParams::default()
            };
            decsin(&params.with_rows(rows), seed)
        },
    },
    Entry {
        name: "cb",
        description: "4x4 checkerboard on a regular grid with noise; a square number of rows",
        rows: 1600,
        options: &[opt("noise", 0.01, NOISE)],
        build: |rows, seed, v| {
            let side = (rows as f64).sqrt().round() as usize;
            grid_checkerboard(side, v.get("noise"), seed)
        },
    },
    Entry {
        name: "sin",
        description: "two parallel sine waves with noise; an even number of rows",
        rows: 1500,
        options: &[
            opt("gap", 0.2, "distance of each wave from the middle"),
            opt("noise", 0.075, NOISE),
        ],
        build: |rows, seed, v| sinusoid(rows.div_ceil(2), v.get("gap"), v.get("noise"), seed),
    },
    Entry {
        name: "checker-b",
        description: "large 4x4 checkerboard with 5.8% of the points across an edge",
        rows: 100_000,
        options: &[],
        build: |rows, seed, _| checker_b(rows, seed),
    },
    Entry {
        name: "checkerboard",
        description: "uniform points on a checkerboard",
        rows: 1000,
        options: &[
            opt("cells", 4.0, "cells along each side"),
            opt("noise", 0.0, NOISE),
        ],
        build: |rows, seed, v| checkerboard(rows, v.whole("cells")?, v.get("noise"), seed),
    },
    Entry {
        name: "ndcc",
        description: "Gaussian clusters on the vertices of three cubes (a substitute)",
        rows: 100_000,
        options: &[
            opt("dimension", 5.0, "number of features, at most 12"),
            opt("positive", 0.61, "share of the vertices that are positive"),
            opt("spread", super::ndcc::SPREAD, "deviation of the clusters"),
            opt("structure", 1.0, STRUCTURE),
        ],
        build: |rows, seed, v| {
            let params = NdccParams {
                rows,
                dimension: v.whole("dimension")?,
                positive: v.get("positive"),
                spread: v.get("spread"),
                structure: v.whole("structure")? as u64,
            };
            ndcc(&params, seed)
        },
    },
    Entry {
        name: "ndcc-probes",
        description: "Gaussian clusters on three 1-norm cubes, with useless features",
        rows: 200,
        options: &[
            opt(
                "informative",
                20.0,
                "informative features, which come first",
            ),
            opt("probes", 100.0, "features of pure noise, which come last"),
            opt("spread", 0.1, "deviation of the clusters"),
            opt("structure", 1.0, STRUCTURE),
        ],
        build: |rows, seed, v| {
            let params = NdccProbesParams {
                rows,
                informative: v.whole("informative")?,
                probes: v.whole("probes")?,
                spread: v.get("spread"),
                structure: v.whole("structure")? as u64,
            };
            ndcc_probes(&params, seed)
        },
    },
    Entry {
        name: "den",
        description: "a dense square within a thin one; about so many rows",
        rows: 489,
        options: &[
            opt("dense", 0.02, "pitch of the dense class at the usual size"),
            opt("thin", 0.06, "pitch of the thin class at the usual size"),
            opt("noise", 0.005, NOISE),
        ],
        build: |rows, seed, v| {
            let finer = (489.0 / rows as f64).sqrt();
            density_squares(
                v.get("dense") * finer,
                v.get("thin") * finer,
                v.get("noise"),
                seed,
            )
        },
    },
    Entry {
        name: "rare-mixture",
        description: "a rare class (+1) of clusters with the majority between them",
        rows: 1000,
        options: &[
            opt("overlap", 0.75, "0.9 high, 0.75 medium, 0.6 low"),
            opt("rare", 0.1, "share of the rare class"),
            opt("clusters", 6.0, "rare clusters"),
            opt("dimension", 5.0, "number of features"),
            opt("sigma", 0.5, "deviation of the clusters"),
            opt(
                "literal",
                0.0,
                "1 for centres in the unit cube, as described",
            ),
            opt(
                "structure",
                super::rare_mixture::CALIBRATED as f64,
                STRUCTURE,
            ),
        ],
        build: |rows, seed, v| {
            let params = RareMixtureParams {
                overlap: v.get("overlap"),
                rare_fraction: v.get("rare"),
                clusters: v.whole("clusters")?,
                dimension: v.whole("dimension")?,
                sigma: v.get("sigma"),
                literal: v.get("literal") != 0.0,
                structure: v.whole("structure")? as u64,
            };
            params.build()?.sample(rows, seed)
        },
    },
    Entry {
        name: "blobs",
        description: "one round Gaussian cluster a class",
        rows: 300,
        options: &[
            opt("features", 2.0, "number of features"),
            opt("classes", 3.0, "number of classes"),
            opt("spread", 1.0, "deviation of the clusters"),
        ],
        build: |rows, seed, v| {
            blobs(
                rows,
                v.whole("features")?,
                v.whole("classes")?,
                v.get("spread"),
                seed,
            )
        },
    },
    Entry {
        name: "banana",
        description: "two interleaved crescents",
        rows: 185,
        options: &[opt("noise", 0.15, NOISE)],
        build: |rows, seed, v| banana(rows, v.get("noise"), seed),
    },
];

const fn opt(name: &'static str, default: f64, description: &'static str) -> Opt {
    Opt {
        name,
        default,
        description,
    }
}

/// The generator of a name, or an error that lists the names.
pub fn entry(name: &str) -> Result<&'static Entry> {
    CATALOGUE
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| Error::UnknownName {
            what: "generator",
            name: name.to_owned(),
            known: CATALOGUE
                .iter()
                .map(|e| e.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}

impl Entry {
    /// The options of this generator and the one that all share.
    pub fn all_options(&self) -> impl Iterator<Item = Opt> {
        self.options.iter().copied().chain([FLIP])
    }
}

/// Calls a generator. `rows` of `None` is its usual size; generators on grids or curves come as
/// close to the number as their shape allows. Options not given have their defaults.
///
/// ```
/// use hedgerow::data::generate;
/// let data = generate::by_name("banana", Some(100), 1, &[("noise", 0.1), ("flip", 0.05)])?;
/// assert_eq!((data.n_rows(), data.n_features()), (100, 2));
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub fn by_name<S: AsRef<str>>(
    name: &str,
    rows: Option<usize>,
    seed: u64,
    options: &[(S, f64)],
) -> Result<Dataset> {
    let entry = entry(name)?;
    for (given, value) in options {
        let known = entry.all_options().find(|opt| opt.name == given.as_ref());
        let Some(known) = known else {
            let names: Vec<&str> = entry.all_options().map(|opt| opt.name).collect();
            return Err(Error::UnknownName {
                what: "option of the generator",
                name: given.as_ref().to_owned(),
                known: names.join(", "),
            });
        };
        crate::error::ensure_finite(known.name, *value)?;
    }
    let values = Values {
        given: options.iter().map(|(k, v)| (k.as_ref(), *v)).collect(),
        entry,
    };
    let rows = rows.unwrap_or(entry.rows);
    super::ensure_count("rows", rows, 1)?;
    let data = (entry.build)(rows, seed, &values)?;
    match values.get(FLIP.name) {
        0.0 => Ok(data),
        // Another seed than the rows had, lest flips follow the noise.
        probability => flip_labels(&data, probability, !seed),
    }
}

/// Options as given, over the defaults.
struct Values<'a> {
    given: Vec<(&'a str, f64)>,
    entry: &'a Entry,
}

impl Values<'_> {
    /// The last value given, or the default.
    fn get(&self, name: &str) -> f64 {
        let given = self.given.iter().rev().find(|(key, _)| *key == name);
        given.map_or_else(|| self.default_of(name).default, |(_, value)| *value)
    }

    fn whole(&self, name: &str) -> Result<usize> {
        let value = self.get(name);
        if value.fract() == 0.0 && (0.0..=2f64.powi(53)).contains(&value) {
            return Ok(value as usize);
        }
        Err(Error::Parameter {
            name: self.default_of(name).name,
            value,
            requirement: "a whole number not less than 0",
        })
    }

    fn default_of(&self, name: &str) -> Opt {
        let mut options = self.entry.all_options();
        options
            .find(|opt| opt.name == name)
            .expect("invariant: a generator reads only the options of its entry")
    }
}
