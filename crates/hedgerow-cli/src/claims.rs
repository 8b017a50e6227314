//! Which files a command reads and writes, so that none is destroyed by a slip of the hand.

use std::path::{Path, PathBuf};

/// What a command does with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Use {
    Read,
    /// Written, as the named argument or option says.
    Written(String),
    /// As before, where the file may be the one that is read.
    InPlace(String),
}

/// The files of one command so far.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    files: Vec<(PathBuf, Use)>,
}

impl Claims {
    /// Notes that a file is read; an error if it is also to be written.
    pub(crate) fn read(&mut self, path: &str) -> Result<(), String> {
        self.add(path, Use::Read)
    }

    /// Notes that a file is written; an error if it is also read, or written as something else.
    pub(crate) fn write(&mut self, what: &str, path: &str) -> Result<(), String> {
        self.add(path, Use::Written(what.to_owned()))
    }

    /// As [`write`](Self::write), for an output that may replace the input.
    pub(crate) fn write_in_place(&mut self, what: &str, path: &str) -> Result<(), String> {
        self.add(path, Use::InPlace(what.to_owned()))
    }

    fn add(&mut self, path: &str, new: Use) -> Result<(), String> {
        let Some(file) = identity(path) else {
            return Ok(());
        };
        for (other, old) in &self.files {
            if *other == file
                && let Some(problem) = conflict(path, old, &new)
            {
                return Err(problem);
            }
        }
        self.files.push((file, new));
        Ok(())
    }
}

fn conflict(path: &str, old: &Use, new: &Use) -> Option<String> {
    let overwrites = |what: &str| {
        Some(format!(
            "{what} would overwrite {path}, which this command reads: name another file"
        ))
    };
    match (old, new) {
        (Use::Read, Use::Read | Use::InPlace(_)) | (Use::InPlace(_), Use::Read) => None,
        (Use::Read, Use::Written(what)) | (Use::Written(what), Use::Read) => overwrites(what),
        (Use::Written(a) | Use::InPlace(a), Use::Written(b) | Use::InPlace(b)) => Some(format!(
            "{a} and {b} are both {path}: name two different files"
        )),
    }
}

/// What two names of one file have in common. `None` for what is no file that could be lost: standard
/// input and output, devices and pipes.
fn identity(path: &str) -> Option<PathBuf> {
    if path == "-" {
        return None;
    }
    let path = Path::new(path);
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return None;
    }
    if let Ok(file) = std::fs::canonicalize(path) {
        return Some(file);
    }
    // What does not exist yet has a folder that does.
    let name = path.file_name()?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
    Some(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::Claims;

    #[test]
    fn a_file_is_not_both_read_and_written() {
        let mut claims = Claims::default();
        claims.read("some/rows.csv").expect("free");
        claims.read("some/rows.csv").expect("read twice");
        let refused = claims.write("OUT", "some/rows.csv").expect_err("read");
        assert!(refused.starts_with("OUT would overwrite some/rows.csv"));
        let mut claims = Claims::default();
        claims.write("MODEL", "rows.csv").expect("free");
        assert!(claims.read("./rows.csv").is_err());
    }

    #[test]
    fn two_outputs_are_two_files() {
        let mut claims = Claims::default();
        claims.write_in_place("OUT", "x").expect("free");
        claims.read("x").expect("in place");
        let refused = claims.write("--save", "x").expect_err("taken");
        assert_eq!(
            refused,
            "OUT and --save are both x: name two different files"
        );
    }

    #[test]
    fn streams_and_devices_are_nobodys() {
        let mut claims = Claims::default();
        for path in ["-", "/dev/null"] {
            claims.read(path).expect("no file");
            claims.write("OUT", path).expect("no file");
            claims.write("--roc", path).expect("no file");
        }
    }
}
