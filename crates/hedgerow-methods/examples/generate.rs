//! Writes the texts that follow from the tables of parameters into the repository.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in hedgerow_methods::generated::files() {
        std::fs::write(root.join(path), text)?;
    }
    Ok(())
}
