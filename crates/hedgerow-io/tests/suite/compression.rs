//! Compressed input, and output that appears complete or not at all.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::{TempDir, message, source};
use hedgerow_io::{OutputFile, ReadOptions, Source, read_dataset};
use std::io::Write;

const TEXT: &[u8] = b"1 1:0.5 2:1\n-1 1:2 2:3\n1 2:4\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn known_by_content_whatever_the_name() {
    let plain = read_dataset(&source("a.svm", TEXT), &ReadOptions::default()).unwrap();
    for bytes in [gzip(TEXT), zstd(TEXT)] {
        for name in ["a.svm", "a.svm.gz", "a", "a.zst"] {
            let loaded = read_dataset(&source(name, &bytes), &ReadOptions::default()).unwrap();
            assert_eq!(loaded.dataset, plain.dataset);
        }
    }
}

#[test]
fn several_members_and_frames_are_one_text() {
    let (head, tail) = TEXT.split_at(9);
    let skippable = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    for bytes in [
        [gzip(head), gzip(b""), gzip(tail)].concat(),
        [zstd(head), zstd(tail)].concat(),
        [&skippable[..], &zstd(head), &skippable, &zstd(tail)].concat(),
    ] {
        assert_eq!(source("x", bytes).read().unwrap(), TEXT);
    }
}

#[test]
fn damage_is_reported() {
    let options = ReadOptions::default();
    for bytes in [gzip(TEXT), zstd(TEXT)] {
        for length in 4..bytes.len() {
            let text = message("a.svm", &bytes[..length], &options);
            assert!(text.contains("damaged or cut off"), "{length}: {text}");
        }
    }
    let mut wrong = gzip(TEXT);
    let checksum = wrong.len() - 8;
    wrong[checksum] ^= 1;
    assert_eq!(
        message("a.svm", wrong, &options),
        "a.svm: the gzip data are damaged or cut off (corrupt gzip stream does not have a matching checksum)"
    );
    assert_eq!(
        message("a.svm.gz", TEXT, &options),
        "a.svm.gz: the gzip data are damaged or cut off (invalid gzip header)"
    );
    assert_eq!(
        message("a.svm.zst", "", &options),
        "a.svm.zst: the zstd data are damaged or cut off (empty file)"
    );
    let mut wrong = zstd(TEXT);
    let last = wrong.len() - 1;
    wrong[last] ^= 1;
    assert_eq!(
        message("a.svm", wrong, &options),
        "a.svm: the zstd data are damaged or cut off (wrong checksum)"
    );
}

#[test]
fn output_is_compressed_by_ending() {
    let directory = TempDir::new();
    let long: Vec<u8> = TEXT.repeat(50_000);
    for (name, magic) in [
        ("a.svm", &TEXT[..2]),
        ("a.svm.gz", &[0x1f, 0x8b]),
        ("a.svm.zst", &[0x28, 0xb5]),
    ] {
        let path = directory.file(name);
        let mut out = OutputFile::create(&path).unwrap();
        out.write_all(&long).unwrap();
        out.finish().unwrap();
        assert_eq!(&std::fs::read(&path).unwrap()[..2], magic);
        assert_eq!(Source::Path(path).read().unwrap(), long);
    }
    assert_eq!(directory.entries(), ["a.svm", "a.svm.gz", "a.svm.zst"]);
}

#[test]
fn unfinished_output_leaves_the_old_file() {
    let directory = TempDir::new();
    let path = directory.file("a.txt");
    for existing in [None, Some("old")] {
        if let Some(text) = existing {
            std::fs::write(&path, text).unwrap();
        }
        let mut out = OutputFile::create(&path).unwrap();
        out.write_all(b"new").unwrap();
        assert_eq!(
            directory.entries().len(),
            1 + usize::from(existing.is_some())
        );
        drop(out);
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), existing);
    }
    let mut out = OutputFile::create(&path).unwrap();
    out.write_all(b"new").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    out.finish().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(directory.entries(), ["a.txt"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let directory = TempDir::new();
    std::fs::write(directory.file("real"), "old").unwrap();
    std::os::unix::fs::symlink(directory.file("real"), directory.file("link")).unwrap();
    let mut out = OutputFile::create(&directory.file("link")).unwrap();
    out.write_all(b"new").unwrap();
    out.finish().unwrap();
    assert!(directory.file("link").is_symlink());
    assert_eq!(
        std::fs::read_to_string(directory.file("real")).unwrap(),
        "new"
    );
}

#[test]
fn a_directory_that_is_not_there() {
    let directory = TempDir::new();
    let path = directory.file("no").join("a.txt");
    let Err(error) = OutputFile::create(&path) else {
        panic!("created a file in no directory");
    };
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("cannot write {}: ", path.display())),
        "{text}"
    );
}
