//! What becomes of files: inputs stay, outputs are whole or absent, nothing is left lying about.

use crate::common::Folder;

/// A command line that must be refused before anything is written.
fn refused(folder: &Folder, line: &str, message: &str) {
    let before: Vec<(String, Vec<u8>)> = contents(folder);
    folder.fails(line, 2, &format!("error: {message}"));
    assert_eq!(contents(folder), before, "{line}: a file has changed");
}

fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let names = folder.names().into_iter();
    names
        .map(|name| {
            let bytes = folder.bytes(&name);
            (name, bytes)
        })
        .collect()
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::new("output-is-input");
    folder.write_clusters("i", 20);
    folder.ok("train svm i m");
    let overwrites = |what: &str, file: &str| {
        format!("{what} would overwrite {file}, which this command reads: name another file")
    };
    for (line, what, file) in [
        ("train svm i i", "MODEL", "i"),
        ("train svm ./i i", "MODEL", "./i"),
        ("tune svm --grid cost=1,2 i i", "MODEL", "i"),
        ("predict i m i", "OUT", "i"),
        ("predict i m m", "OUT", "m"),
        ("predict --roc m i m o", "--roc", "m"),
        ("select maxrel i i", "OUT", "i"),
        ("select maxrel --reduced i i r.csv", "--reduced", "i"),
        ("clean enn i i", "OUT", "i"),
        ("clean enn --report i i o", "--report", "i"),
        ("resample rus i i", "OUT", "i"),
        ("update --add i m i", "OUT", "i"),
        ("inspect --svg m m", "--svg", "m"),
        ("falkm FaLK-SVM-train i i", "model_file", "i"),
    ] {
        refused(&folder, line, &overwrites(what, file));
    }
}

#[test]
fn two_outputs_in_one_file_are_refused() {
    let folder = Folder::new("outputs-are-one");
    folder.write_clusters("i", 20);
    folder.ok("train svm i m");
    let both = |a: &str, b: &str, file: &str| {
        format!("{a} and {b} are both {file}: name two different files")
    };
    refused(&folder, "scale i x -s x", &both("OUT", "--save", "x"));
    refused(&folder, "scale i i -s i", &both("OUT", "--save", "i"));
    refused(
        &folder,
        "select maxrel i r --reduced r",
        &both("OUT", "--reduced", "r"),
    );
    refused(&folder, "predict i m o --roc o", &both("OUT", "--roc", "o"));
}

#[test]
fn scaling_in_place_and_devices_are_allowed() {
    let folder = Folder::new("in-place");
    folder.write_clusters("i", 20);
    folder.ok("scale i scaled");
    folder.ok("scale i i");
    assert_eq!(folder.read("i"), folder.read("scaled"));
    folder.ok("train svm i m");
    if cfg!(unix) {
        folder.ok("predict i m /dev/null --roc /dev/null");
    }
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_links_to_nothing_refused() {
    let folder = Folder::new("links");
    folder.write_clusters("i", 20);
    folder.write("old", "old");
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, folder.path().join(name)).expect("a link");
    };
    link("old", "to-old");
    link("nowhere", "to-nothing");
    link("i", "to-i");
    folder.ok("train svm i to-old");
    assert!(folder.bytes("old").starts_with(b"HEDGEROW") || folder.bytes("old").len() > 100);
    assert!(folder.path().join("to-old").is_symlink());
    folder.fails(
        "train svm i to-nothing",
        1,
        "error: cannot write to-nothing: it is a link to a file that does not exist: remove the link or create the file",
    );
    folder.fails(
        "train svm i to-i",
        2,
        "error: MODEL would overwrite i, which this command reads: name another file",
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_command_left_goes_with_the_next_one() {
    let folder = Folder::new("stale");
    folder.write_clusters("i", 20);
    // No process has a number as large as this.
    folder.write(".m.4294967295.0.part", "half");
    folder.ok("train svm i m");
    assert_eq!(folder.names(), ["i", "m"]);
}

#[test]
fn too_many_threads_are_cut_with_a_warning() {
    let folder = Folder::new("threads");
    folder.write_clusters("i", 20);
    let run = folder.ok("train svm --threads 60000 i m");
    assert!(
        run.err.starts_with("warning: --threads 60000 is cut to "),
        "{}",
        run.err
    );
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_printed_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_hedgerow"))
        .arg("--help")
        .stdout(full.expect("a device"))
        .status();
    assert_eq!(run.expect("the program runs").code(), Some(1));
}

/// Runs a shell line in the folder; its exit code and standard error.
#[cfg(unix)]
fn shell(folder: &Folder, line: &str) -> (Option<i32>, String) {
    let output = std::process::Command::new("sh")
        .args(["-c", line])
        .env("HEDGEROW", env!("CARGO_BIN_EXE_hedgerow"))
        .current_dir(folder.path())
        .output()
        .expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), error)
}

#[cfg(unix)]
#[test]
fn a_file_that_grows_beyond_its_limit_is_an_error() {
    let folder = Folder::new("file-limit");
    let line = "ulimit -f 8; \"$HEDGEROW\" generate checkerboard --rows 20000 big.svm";
    let (code, error) = shell(&folder, line);
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.starts_with("error: cannot write big.svm: "),
        "{error}"
    );
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

/// Sends a signal while a large file is being written beside its target; the exit code.
#[cfg(unix)]
fn signalled(folder: &Folder, signal: &str, prefix: &str) -> Option<i32> {
    let line = format!("{prefix} \"$HEDGEROW\" generate checkerboard --rows 5000000 big.svm");
    let mut child = std::process::Command::new("sh")
        .args(["-c", &format!("exec {line}")])
        .env("HEDGEROW", env!("CARGO_BIN_EXE_hedgerow"))
        .current_dir(folder.path())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program starts");
    // Wait until the temporary file is there and growing, at most 60 seconds.
    let growing = (0..6000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        std::fs::read_dir(folder.path()).is_ok_and(|entries| {
            entries
                .flatten()
                .any(|e| e.metadata().is_ok_and(|m| m.len() > 0))
        })
    });
    assert!(growing, "the output was never begun");
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args([signal, &id])
        .status();
    assert!(sent.expect("kill runs").success());
    child.wait().expect("the program ends").code()
}

#[cfg(unix)]
#[test]
fn signals_that_end_the_program_leave_nothing_behind() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let folder = Folder::new("signal");
        assert_eq!(signalled(&folder, signal, ""), Some(code));
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    let folder = Folder::new("nohup");
    // The shell passes what it ignores on to what it starts.
    let code = signalled(&folder, "-HUP", "nohup");
    assert_eq!(code, Some(0));
    assert!(folder.has("big.svm"));
}
