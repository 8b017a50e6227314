//! Editing of rows: noise reduction, condensing, resampling.
//!
//! An [`Editor`] looks at labelled rows and says which to keep; some also say how well each row's
//! label is supported by its neighbourhood and which label the neighbourhood argues for
//! ([`Opinion`]), and some add rows of their own ([`Added`]).
//!
//! | editor | a row is removed if |
//! |---|---|
//! | [`EnnParams`] | its label is not the most frequent one among its k neighbours |
//! | [`RennParams`] | the same, again and again until nothing changes |
//! | [`AknnParams`] | the same for some number of neighbours up to k |
//! | [`BbnrParams`] | it misleads others, and is not needed to get others right |
//! | [`KnnSvmNrParams`] | the machine of its neighbourhood finds its label improbable |
//! | [`FalkNrParams`] | the local machine of its core gives another label |
//!
//! ```
//! use hedgerow::clean::{Editor, EnnParams};
//! use hedgerow::data::generate;
//!
//! let data = generate::checkerboard(400, 2, 0.05, 7)?;
//! let edit = EnnParams::default().edit(&data)?;
//! assert!(edit.apply(&data)?.n_rows() < 400);
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod blame;
mod edit;
mod falknr;
mod knn_svm_nr;
mod surroundings;
mod survivors;
mod votes;

pub use blame::BbnrParams;
pub use edit::{Added, Edit, Editor, EditorCard, Opinion, Purpose, corrected_priors};
pub use falknr::FalkNrParams;
pub use knn_svm_nr::{KnnSvmNrParams, Threshold, ThresholdChoice, choose_threshold};
pub use surroundings::{Evidence, evidence};
pub use votes::{AknnParams, EnnParams, RennParams};
