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
//! | [`CnnParams`], [`Ib2Params`], [`GcnnParams`], [`FcnnParams`] | it is not needed to get the others right by 1-NN |
//! | [`RnnParams`], [`SnnParams`] | the same, more of them |
//! | [`DropParams`] | as many rows are classified rightly without it |
//! | [`IcfParams`] | it reaches more rows of its class than reach it |
//! | [`Ib3Params`] | it was not needed when it came, or did not prove itself since |
//! | [`RusParams`] | chance says so, until every class is as small as the rarest |
//! | [`TomekParams`] | it and a row of another class are nearest to each other |
//! | [`NearMissParams`] | others of its class are nearer to the rarest class |
//!
//! | editor | rows are added to small classes |
//! |---|---|
//! | [`SmoteParams`] | between rows of the class and their neighbours in it |
//! | [`BorderlineSmoteParams`] | the same, from rows near to other classes |
//! | [`AdasynParams`] | the same, the more the more neighbours are of other classes |
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
mod condense;
mod decremental;
mod edit;
mod falknr;
mod fcnn;
mod ib3;
mod icf;
mod knn_svm_nr;
mod members;
mod near_miss;
mod priors;
mod reduce;
mod rus;
mod smote;
mod subset;
mod surroundings;
mod survivors;
mod synthetic;
mod tomek;
mod votes;

pub use blame::BbnrParams;
pub use condense::{CnnParams, GcnnParams, Ib2Params};
pub use decremental::{DropParams, DropRule};
pub use edit::{Added, Edit, Editor, EditorCard, Opinion, Purpose};
pub use falknr::FalkNrParams;
pub use fcnn::FcnnParams;
pub use ib3::Ib3Params;
pub use icf::IcfParams;
pub use knn_svm_nr::{KnnSvmNrParams, Threshold, ThresholdChoice, choose_threshold};
pub use near_miss::NearMissParams;
pub use priors::{Priors, corrected_priors};
pub use reduce::{RnnParams, SnnParams};
pub use rus::RusParams;
pub use smote::{AdasynParams, BorderlineSmoteParams, SmoteParams};
pub use surroundings::{Evidence, evidence};
pub use tomek::{LinkRows, TomekParams};
pub use votes::{AknnParams, EnnParams, RennParams};
