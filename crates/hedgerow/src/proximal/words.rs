//! Choices of the proximal methods.

use crate::params::Words;
use serde::{Deserialize, Serialize};

/// What is added to the two matrices of a pencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum Regularisation {
    /// Each matrix gets a share of the other: for planes only.
    Cross,
    /// Each matrix gets a share of the diagonal of the other.
    Diagonal,
    /// Both get a multiple of the identity.
    Tikhonov,
    /// For study: the diagonals of the rectangular kernel matrices, as printed.
    LiteralRectangular,
    /// For study: ones in the columns of the own class.
    LiteralOwnClass,
}

/// By what the value of a surface is divided to be a distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum SurfaceNorm {
    /// The norm of the coefficients.
    Coefficient,
    /// The norm of the function.
    Rkhs,
}

/// How several classes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum PlaneScheme {
    /// One surface a class, close to its rows and far from all others; the nearest one wins.
    #[word("ovr", "one-vs-rest")]
    OneVsRest,
    /// Two surfaces a pair of classes; each pair has a vote.
    #[word("ovo", "one-vs-one")]
    OneVsOne,
}

/// Which rows have a kernel function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum CentreWord {
    /// All rows.
    All,
    /// Rows at random.
    Random,
    /// Rows whose kernel functions come nearest to spanning those of a sample.
    Landmarks,
    /// The rows that a selection by cregec keeps.
    Chunk,
}

/// In which order rows are offered to a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum SubsetOrder {
    /// Ascending by the last feature, ties by the last but one, and so on.
    ReverseColumns,
    /// Ascending, the feature with the largest mean of the class first.
    CentroidDescending,
    /// As they come.
    AsGiven,
    /// In random order.
    Shuffled,
}

/// What the first candidates must improve on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum InitialAccuracy {
    /// No row right.
    Zero,
    /// What the first row of each class is right on.
    SeedPair,
}

/// What a selection raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum SelectionScore {
    /// The share of rows that are right.
    Accuracy,
    /// The mean of that share over the two classes.
    Balanced,
}

/// What the norm of a kernel direction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum FisherPenalty {
    /// That of the coefficients.
    Coefficient,
    /// That of the function.
    Rkhs,
}

/// Unit of a ridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum RidgeUnit {
    /// As it is.
    Absolute,
    /// The mean of the diagonal that it is added to.
    Trace,
}

/// Where a direction is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Words, Serialize, Deserialize)]
pub enum FisherRule {
    /// Halfway between the projected means of the classes.
    NearestMean,
    /// Where the least-squares fit of the labels is 0.
    Bias,
}
