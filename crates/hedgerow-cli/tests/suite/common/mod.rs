//! Running the program in a folder of its own.

#![allow(dead_code, reason = "each test file uses some of these")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder that disappears at the end of the test.
pub(crate) struct Folder(PathBuf);

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hedgerow-{name}-{}", std::process::id()));
        // A leftover of a killed run with the same process id.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), content).expect("written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a text file")
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).expect("a file")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// Names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("a text")
            })
            .collect();
        names.sort();
        names
    }

    /// Runs a command line; words are separated by blanks, `~` stands for a blank in a word.
    pub(crate) fn run(&self, line: &str) -> Run {
        self.run_with(line, b"")
    }

    pub(crate) fn run_with(&self, line: &str, stdin: &[u8]) -> Run {
        let words = line.split_whitespace().map(|word| word.replace('~', " "));
        let mut child = Command::new(env!("CARGO_BIN_EXE_hedgerow"))
            .args(words)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut input = child.stdin.take().expect("a pipe");
        // The program may end without reading its input.
        let _ = input.write_all(stdin);
        drop(input);
        let output = child.wait_with_output().expect("the program ends");
        Run {
            code: output.status.code().expect("an exit code"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a command line that must succeed.
    pub(crate) fn ok(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, 0, "{line}: {}", run.err);
        run
    }

    /// Runs with `--json` and reads the object.
    pub(crate) fn json(&self, line: &str) -> serde_json::Value {
        let run = self.ok(&format!("{line} --json"));
        assert_eq!(run.out.lines().count(), 1, "one object: {}", run.out);
        serde_json::from_str(&run.out).expect("JSON")
    }

    /// Runs a command line that must fail with this code and this first line on standard error,
    /// and must leave no file behind.
    pub(crate) fn fails(&self, line: &str, code: i32, message: &str) {
        let before = self.names();
        let run = self.run(line);
        assert_eq!(run.code, code, "{line}: {}", run.err);
        assert_eq!(run.err.lines().next().unwrap_or(""), message, "{line}");
        assert_eq!(self.names(), before, "{line}: no file may be left behind");
    }

    /// Runs a command line that is wrong in itself: code 2, a message, and no file left behind.
    pub(crate) fn fails_usage(&self, line: &str) {
        let before = self.names();
        let run = self.run(line);
        assert_eq!(run.code, 2, "{line}: {}", run.err);
        assert!(run.err.starts_with("error: "), "{line}: {}", run.err);
        assert_eq!(self.names(), before, "{line}: no file may be left behind");
    }

    /// Two noisy clusters, `rows` of each.
    pub(crate) fn write_clusters(&self, name: &str, rows: usize) {
        let lines: Vec<String> = (0..rows)
            .map(|i| (noise(2 * i), noise(2 * i + 1)))
            .map(|(a, b)| format!("+1 1:{} 2:{b}\n-1 1:{} 2:{a}\n", 1.0 + a, b - 1.0))
            .collect();
        self.write(name, lines.concat());
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Something like noise in (-1.2, 1.2), the same for ever.
pub(crate) fn noise(i: usize) -> f64 {
    let x = (i as f64 * 12.9898).sin() * 43758.5453;
    2.4 * (x - x.floor()) - 1.2
}

/// A file of the repository's golden folder.
pub(crate) fn golden(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden")
        .join(name)
        .display()
        .to_string()
}
