//! Texts that follow from cards and parameters and have to stand in the repository: the
//! estimators of the Python package and the reference page of the guide.
//!
//! `cargo run -p hedgerow-methods --example generate` writes them; a test fails when one lags.

mod python;
mod reference;

pub use python::{editors, estimators};
pub use reference::reference;

/// Every generated file: its path in the repository and its text.
pub fn files() -> Vec<(&'static str, String)> {
    vec![
        ("python/hedgerow/_estimators.py", estimators()),
        ("python/hedgerow/_editors.py", editors()),
        ("docs/src/reference.md", reference()),
    ]
}

/// Breaks words into lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
