//! Spellings that no parser knows: LIBSVM's class weights, `-w1 5 -w-1 2`, whose label is part of
//! the option's name, and older flags that are values of other options now.

use std::ffi::OsString;

/// Commands that know class weights.
const VERBS: [&str; 4] = ["train", "cv", "tune", "clean"];

/// Flags of earlier versions, and what they are now.
const OLDER: [(&str, [&str; 2]); 2] = [
    ("--simple-cover", ["--cover", "simple"]),
    ("--margin-without-bias", ["--bias-in-margin", "0"]),
];

/// Rewrites `-w<label> <weight>` to `--class-weight <label>=<weight>`.
pub(crate) fn rewrite(words: Vec<OsString>) -> Vec<OsString> {
    let concerned = words
        .iter()
        .skip(1)
        .find_map(|word| word.to_str().filter(|word| !word.starts_with('-')))
        .is_some_and(|verb| VERBS.contains(&verb));
    if !concerned {
        return words;
    }
    let mut out = Vec::with_capacity(words.len());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            out.push(word);
            out.extend(words);
            break;
        }
        if let Some((_, now)) = OLDER.iter().find(|(before, _)| word == *before) {
            out.extend(now.iter().map(OsString::from));
            continue;
        }
        let label = word
            .to_str()
            .and_then(|word| word.strip_prefix("-w"))
            .filter(|label| !label.is_empty())
            .map(ToOwned::to_owned);
        let Some(label) = label else {
            out.push(word);
            continue;
        };
        let mut pair = OsString::from(label);
        pair.push("=");
        pair.push(words.next().unwrap_or_default());
        out.push("--class-weight".into());
        out.push(pair);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::rewrite;

    fn rewritten(line: &str) -> String {
        let words = line.split(' ').map(Into::into).collect();
        let words: Vec<String> = rewrite(words)
            .into_iter()
            .map(|word| word.into_string().expect("a text"))
            .collect();
        words.join(" ")
    }

    #[test]
    fn weights_of_any_label_are_rewritten() {
        assert_eq!(
            rewritten("hedgerow train svm -w1 5 -w-1 2.5 -wsetosa 3 a b"),
            "hedgerow train svm --class-weight 1=5 --class-weight -1=2.5 --class-weight setosa=3 a b"
        );
    }

    #[test]
    fn a_weight_without_value_stays_visible() {
        assert_eq!(
            rewritten("hedgerow cv svm -w1"),
            "hedgerow cv svm --class-weight 1="
        );
    }

    #[test]
    fn all_else_stays() {
        for line in [
            "hedgerow predict -w1 5",
            "hedgerow train svm -g -0.5 --weights w.txt -- -w1 5",
        ] {
            assert_eq!(rewritten(line), line);
        }
    }
}
