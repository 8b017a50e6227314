//! LIBSVM / SVM-light text.
//!
//! ```text
//! line   := label SP [qid:n] (SP index:value)* [SP "#" comment]
//! label  := number | word
//! index  := whole number from 1, any order, no duplicates
//! ```
//!
//! The text is cut at line ends into pieces of fixed size which are parsed in parallel. Every row
//! is first tried by a tight loop that knows the usual form only ([`fast`]); what it does not
//! accept is read again by a slow reader that knows every form and every error ([`careful`]).

mod assemble;
mod careful;
mod chunk;
mod fast;
mod write;

pub(crate) use assemble::{labels_in_order, numeric_target, read};
pub use write::write_libsvm;
