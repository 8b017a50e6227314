//! The attribute `#[params]` and the derive `Words`: parameters that are declared once.
//!
//! A method's parameters are an ordinary struct. Each field says beside its documentation what the
//! front ends need to know of it:
//!
//! ```ignore
//! /// C-SVC.
//! #[params]
//! #[derive(Debug, Clone, PartialEq)]
//! pub struct SvcParams {
//!     /// Price of a violated margin, C.
//!     #[param(default = 1.0, above = 0.0, short = 'c', python = "C", tunable)]
//!     pub cost: f64,
//!     /// Kernel and solver.
//!     #[param(flatten)]
//!     pub solver: SolverParams,
//! }
//! ```
//!
//! From it come `Default`, a builder `with_cost`, `check` and the trait `Parameters` (table, `get`,
//! `set`), and the documentation of the field gets a line with default, range and spellings, so
//! that rustdoc and an editor show what the table says.
//!
//! | word | meaning |
//! |---|---|
//! | `default = …` | value of `Default`; left out, that of the type |
//! | `above`, `least`, `below`, `most` | the range, tested by `check` with "finite" |
//! | `unless = "…"` | what no value means, for an `Option` |
//! | `short = 'c'` | letter of the program's option |
//! | `switch = 'b'` | letter of a flag that takes 0 or 1, as LIBSVM's do |
//! | `alias = "a, b"` | older spellings, hidden |
//! | `option = "…"` | name of the program's option, if not the field's |
//! | `python = "C"` | scikit-learn's name, if it differs |
//! | `python_default = "…"` | default in Python, if it differs |
//! | `python_none = "-1"` | what stands for no value in Python |
//! | `no_python`, `no_option` | not for that front end |
//! | `heading = "…"` | section of the help; `#[params(heading = "…")]` for all fields |
//! | `tunable` | an axis of grid searches |
//! | `unsaid` | does not change the answer: model files do not tell it |
//! | `no_builder` | the builder is written by hand |
//! | `set_with = name` | the field is set by this method |
//! | `flatten` | the field has parameters of its own |
//! | `skip` | no parameter: never set from outside |
//!
//! `#[params(check = name)]` names a method for rules between fields.

#![allow(
    clippy::needless_pass_by_value,
    reason = "the compiler hands tokens over by value"
)]

mod fields;
mod params;
mod words;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct one of declared parameters; see [the crate](self).
#[proc_macro_attribute]
pub fn params(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = parse_macro_input!(arguments as params::Arguments);
    let item = parse_macro_input!(item as DeriveInput);
    params::expand(&arguments, item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

/// Makes an enum without data a choice of words: the variants in lower case with dashes, or as
/// `#[word("…")]` says, with further spellings in `#[word("…", "…")]`.
#[proc_macro_derive(Words, attributes(word))]
pub fn words(item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    words::expand(&item)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
