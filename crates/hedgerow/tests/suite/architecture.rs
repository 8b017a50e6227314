//! The layers that CONTRIBUTING.md draws, and the sizes of files and functions.
//!
//! Rough, and reliable for our sources: comments and texts are blanked, tests left out, and every
//! `crate::…` path (or chain of `super::` that leads out of its module) is held against the table.

#![allow(
    clippy::unwrap_used,
    reason = "a source that cannot be read fails the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const MOST_LINES_OF_A_FILE: usize = 600;
const MOST_LINES_OF_A_FUNCTION: usize = 80;

/// Functions that may be longer, each with the reason.
const LONG_FUNCTIONS: &[(&str, &str, &str)] =
    &[("kernel/scalar.rs", "evaluate", "one arm a kernel")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust sources under a folder, in the order of their names.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// The source with comments and texts blanked; lines stay where they are.
fn code_of(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    let blank = |text: &str, out: &mut String| {
        out.extend(text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
    };
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("r#\"") {
            rest.find("\"#").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            end_of_text(rest)
        } else if c == '\'' {
            end_of_char(rest)
        } else {
            0
        };
        if skipped == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            blank(&rest[..skipped], &mut out);
            rest = &rest[skipped..];
        }
    }
    out
}

/// Bytes of the string literal that `rest` begins with.
fn end_of_text(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Bytes of the character literal that `rest` begins with; 0 if it is a lifetime.
fn end_of_char(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some(_)) => rest[3..].find('\'').map_or(0, |end| 3 + end + 1),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// Place after the brace that closes the one at `open`.
fn end_of_block(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    code.len()
}

/// The code without what is compiled for tests only, and the modules in other files among that.
fn without_tests(code: &str) -> (String, BTreeSet<String>) {
    let mut kept = code.to_owned();
    let mut modules = BTreeSet::new();
    while let Some(start) = kept.find("#[cfg(test)]") {
        let tail = &kept[start..];
        let end = match (tail.find('{'), tail.find(';')) {
            (Some(open), semicolon) if semicolon.is_none_or(|at| open < at) => {
                end_of_block(&kept, start + open)
            }
            (_, Some(at)) => {
                let item = tail[..at].trim_end();
                if let Some(name) = item.rsplit(' ').next() {
                    modules.insert(name.to_owned());
                }
                start + at + 1
            }
            _ => kept.len(),
        };
        let blank: String = kept[start..end]
            .chars()
            .map(|c| if c == '\n' { '\n' } else { ' ' })
            .collect();
        kept.replace_range(start..end, &blank);
    }
    (kept, modules)
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first two names of every path that begins at `at`: groups in braces have several.
fn targets(code: &str, at: usize) -> Vec<(String, Option<String>)> {
    let rest = &code[at..];
    if rest.starts_with('{') {
        return members(code, at)
            .into_iter()
            .flat_map(|start| targets(code, start))
            .collect();
    }
    let name: String = rest.chars().take_while(|&c| is_name(c)).collect();
    let after = at + name.len();
    if !code[after..].starts_with("::") {
        return vec![(name, None)];
    }
    let inner = after + 2;
    let starts = if code[inner..].starts_with('{') {
        members(code, inner)
    } else {
        vec![inner]
    };
    let item = |start: usize| code[start..].chars().take_while(|&c| is_name(c)).collect();
    starts
        .into_iter()
        .map(|start| (name.clone(), Some(item(start))))
        .collect()
}

/// Where the members of the group that opens at `open` begin.
fn members(code: &str, open: usize) -> Vec<usize> {
    let end = end_of_block(code, open);
    let (mut depth, mut fresh, mut starts) = (0, true, Vec::new());
    for (at, c) in code[open..end].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => fresh = true,
            _ if depth == 1 && fresh && is_name(c) => {
                starts.push(open + at);
                fresh = false;
            }
            _ => {}
        }
    }
    starts
}

/// Where paths from the root of the crate begin: after `crate::`, or after as many `super::` as
/// lead out of a module `depth` levels down.
fn paths_from_root(code: &str, depth: usize) -> Vec<usize> {
    let mut places: Vec<usize> = code
        .match_indices("crate::")
        .filter(|(at, _)| !code[..*at].ends_with(is_name))
        .map(|(at, found)| at + found.len())
        .collect();
    let mut from = 0;
    while let Some(at) = code[from..].find("super::").map(|at| from + at) {
        let mut end = at;
        while code[end..].starts_with("super::") {
            end += "super::".len();
        }
        if (end - at) / "super::".len() >= depth {
            places.push(end);
        }
        from = end;
    }
    places
}

/// How the table says that a row is for all modules that no row names.
const NOT_NAMED: &str = "every module that is not named here";

/// What every module of the library may use, as the table says.
struct Layers {
    named: BTreeMap<String, BTreeSet<String>>,
    /// For modules that the table does not name: these are methods.
    others: BTreeSet<String>,
}

impl Layers {
    /// Reads the rows `| layer | modules | may use |` of the table of the library's modules.
    fn read() -> Self {
        let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
        let table = text.split("| layer | module | may use |").nth(1).unwrap();
        let quoted = |cell: &str| -> BTreeSet<String> {
            let names = cell.split('`').skip(1).step_by(2);
            names.map(str::to_owned).collect()
        };
        let mut layer_of: BTreeMap<String, usize> = BTreeMap::new();
        let mut rules = Vec::new();
        for row in table.lines().skip(2).take_while(|row| row.starts_with('|')) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let layer: usize = cells[1].split(' ').next().unwrap().parse().unwrap();
            let modules = quoted(cells[2]);
            for module in &modules {
                layer_of.insert(module.clone(), layer);
            }
            let up_to = cells[3]
                .split(", ")
                .filter_map(|part| part.strip_prefix("layer"))
                .filter_map(|part| part.rsplit(' ').next()?.parse::<usize>().ok())
                .max();
            let is_for_others = cells[2].ends_with(NOT_NAMED);
            rules.push((modules, up_to, quoted(cells[3]), is_for_others));
        }
        let (mut named, mut others) = (BTreeMap::new(), None);
        for (modules, up_to, mut may, is_for_others) in rules {
            if let Some(up_to) = up_to {
                let below = layer_of.iter().filter(|(_, layer)| **layer <= up_to);
                may.extend(below.map(|(module, _)| module.clone()));
            }
            for module in modules {
                named.insert(module, may.clone());
            }
            if is_for_others {
                others = Some(may);
            }
        }
        Self {
            named,
            others: others.expect("a row for the modules that are not named"),
        }
    }

    fn permits(&self, from: &str, to: &str, item: Option<&str>) -> bool {
        let may = self.named.get(from).unwrap_or(&self.others);
        let single = item.map(|item| format!("{to}::{item}"));
        from == to || may.contains(to) || single.is_some_and(|path| may.contains(&path))
    }
}

/// The module behind every name that the root of the library exports.
fn exports() -> BTreeMap<String, String> {
    let lib = fs::read_to_string(root().join("crates/hedgerow/src/lib.rs")).unwrap();
    let code = code_of(&lib);
    let mut exports = BTreeMap::new();
    for (at, found) in code.match_indices("pub use ") {
        for (module, item) in targets(&code, at + found.len()) {
            exports.insert(item.unwrap(), module);
        }
    }
    exports
}

#[test]
fn the_table_of_layers_names_no_module_that_is_gone() {
    let layers = Layers::read();
    let lib = fs::read_to_string(root().join("crates/hedgerow/src/lib.rs")).unwrap();
    let declared: BTreeSet<String> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "))
        .map(|name| name.trim_end_matches(';').to_owned())
        .collect();
    let gone: Vec<&String> = layers
        .named
        .keys()
        .filter(|name| !declared.contains(*name))
        .collect();
    assert!(gone.is_empty(), "no such modules: {gone:?}");
}

#[test]
fn arrows_point_down_only() {
    let (layers, exports) = (Layers::read(), exports());
    let folder = root().join("crates/hedgerow/src");
    let mut tests_only = BTreeSet::new();
    let mut wrong = Vec::new();
    let files = sources(&folder);
    let codes: Vec<(&PathBuf, String)> = files
        .iter()
        .map(|file| {
            let (code, modules) = without_tests(&code_of(&fs::read_to_string(file).unwrap()));
            let beside = file.parent().unwrap();
            tests_only.extend(modules.iter().map(|name| beside.join(name)));
            (file, code)
        })
        .collect();
    for (file, code) in codes {
        let inside = file.strip_prefix(&folder).unwrap().with_extension("");
        let mut path: Vec<&str> = inside.iter().map(|part| part.to_str().unwrap()).collect();
        if path == ["lib"] || tests_only.contains(&file.with_extension("")) {
            continue;
        }
        if path.last() == Some(&"mod") {
            path.pop();
        }
        for at in paths_from_root(&code, path.len()) {
            for (name, item) in targets(&code, at) {
                let to = exports.get(&name).unwrap_or(&name);
                if !layers.permits(path[0], to, item.as_deref()) {
                    let line = line_of(&code, at);
                    wrong.push(format!("{}:{line}: {} → {to}", file.display(), path[0]));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "arrows that the table of layers does not allow:\n{}",
        wrong.join("\n")
    );
}

/// Sources of the library, of the programs and of the bindings.
fn all_sources() -> Vec<PathBuf> {
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let mut folders: Vec<PathBuf> = crates
        .map(|entry| entry.unwrap().path().join("src"))
        .collect();
    folders.sort();
    folders.iter().flat_map(|folder| sources(folder)).collect()
}

#[test]
fn no_source_is_longer_than_a_reader_can_hold() {
    let long: Vec<String> = all_sources()
        .iter()
        .map(|file| (file, fs::read_to_string(file).unwrap().lines().count()))
        .filter(|&(_, lines)| lines > MOST_LINES_OF_A_FILE)
        .map(|(file, lines)| format!("{}: {lines} lines", file.display()))
        .collect();
    assert!(long.is_empty(), "split these:\n{}", long.join("\n"));
}

#[test]
fn no_function_is_longer_than_a_screen() {
    let mut long = Vec::new();
    let mut stale: BTreeSet<_> = LONG_FUNCTIONS.iter().collect();
    for file in all_sources() {
        let code = code_of(&fs::read_to_string(&file).unwrap());
        for (at, found) in code.match_indices("fn ") {
            if code[..at].ends_with(is_name) {
                continue;
            }
            let rest = &code[at + found.len()..];
            let name: String = rest.chars().take_while(|&c| is_name(c)).collect();
            let Some(open) = opening_brace(&code, at + found.len()) else {
                continue;
            };
            let lines = code[at..end_of_block(&code, open)].matches('\n').count() + 1;
            if name.is_empty() || lines <= MOST_LINES_OF_A_FUNCTION {
                continue;
            }
            let excuse = LONG_FUNCTIONS
                .iter()
                .find(|(path, function, _)| file.ends_with(path) && *function == name);
            if let Some(excuse) = excuse {
                stale.remove(excuse);
                continue;
            }
            let line = line_of(&code, at);
            let file = file.display();
            long.push(format!("{file}:{line}: {name} has {lines} lines"));
        }
    }
    assert!(long.is_empty(), "split these:\n{}", long.join("\n"));
    assert!(stale.is_empty(), "need no excuse any more: {stale:?}");
}

/// The brace that opens the body of the function whose name stands at `at`; `None` for a
/// declaration, or a type such as `fn(u32)`.
fn opening_brace(code: &str, at: usize) -> Option<usize> {
    let mut nested = 0;
    for (offset, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => nested += 1,
            ')' | ']' => nested -= 1,
            _ if nested < 0 => return None,
            '{' if nested == 0 => return Some(at + offset),
            ';' if nested == 0 => return None,
            _ => {}
        }
    }
    None
}
