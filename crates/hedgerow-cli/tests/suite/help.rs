//! What the help of a method says of its own defaults.

use crate::common;

use common::Folder;

/// The lines of a help text from the one with an option up to the next option.
fn about<'a>(help: &'a str, option: &str) -> Vec<&'a str> {
    let is_option = |line: &&str| line.trim_start().starts_with('-');
    let mut lines = help.lines().skip_while(|line| {
        let mut words = line.split([' ', ',']).filter(|word| !word.is_empty());
        !(is_option(line) && words.any(|word| word == option))
    });
    let first = lines.next().into_iter();
    first
        .chain(lines.take_while(|line| !is_option(line)))
        .collect()
}

#[test]
fn local_machines_tell_their_own_width_and_kernels() {
    let folder = Folder::new("help-falk");
    for method in ["falk-svm", "falk-svr", "knn-svm"] {
        let help = folder.ok(&format!("train {method} --help")).out;
        let gamma = about(&help, "--gamma").join(" ");
        assert!(gamma.contains("q50"), "{method}: {gamma}");
        let letter = about(&help, "-t").join(" ");
        assert!(letter.contains('3'), "{method}: {letter}");
        // A precomputed kernel has no neighbourhoods.
        assert!(
            !letter.contains('4') && !letter.contains("precomputed"),
            "{letter}"
        );
    }
    let global = folder.ok("train svm --help").out;
    assert!(about(&global, "-t").join(" ").contains("precomputed"));
    let line = "train falk-svm -t 4 a m";
    folder.write_clusters("a", 20);
    let run = folder.run(line);
    assert_eq!(run.code, 2, "{}", run.err);
}
