//! Texts in the repository that follow from the tables of parameters are up to date.

#![allow(clippy::unwrap_used, reason = "a file that is missing fails the test")]

use std::path::Path;

#[test]
fn generated_texts_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in hedgerow_methods::generated::files() {
        let found = std::fs::read_to_string(root.join(path)).unwrap();
        let differing = found.lines().zip(text.lines()).position(|(a, b)| a != b);
        assert!(
            found == text,
            "{path} lags behind the tables (line {}): cargo run -p hedgerow-methods --example generate",
            differing.map_or(0, |line| line + 1)
        );
    }
}
