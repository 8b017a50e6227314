//! LIBSVM text: no crash; kept lines reproduce the file; sparse text reads the same again.

#![no_main]

use hedgerow_io::{DataFormat, ReadOptions, Source, Storage, TargetKind, read_dataset};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let source = Source::Bytes {
        name: "fuzz".to_owned(),
        bytes: bytes.to_vec(),
    };
    let target = match choice % 4 {
        0 => TargetKind::Auto,
        1 => TargetKind::Classes,
        2 => TargetKind::Real,
        _ => TargetKind::None,
    };
    let options = ReadOptions::default()
        .with_format(DataFormat::LibSvm)
        .with_storage(Storage::Sparse)
        .with_target(target)
        .with_lines();
    let Ok(loaded) = read_dataset(&source, &options) else {
        return;
    };
    let lines = loaded.lines.as_ref().expect("lines were asked for");
    assert_eq!(lines.n_rows(), loaded.dataset.n_rows());
    let mut again = Vec::new();
    lines
        .write_kept(&vec![true; lines.n_rows()], &mut again)
        .expect("memory can be written");
    assert!(!source.read().is_ok_and(|text| text != again));
    if target == TargetKind::None {
        // Labels that are not looked at may be the first bytes of a compressed file.
        return;
    }
    // The rows alone, without comments and blank lines, are the same data.
    let mut rows = Vec::new();
    let all: Vec<usize> = (0..lines.n_rows()).collect();
    lines.write_rows(&all, &mut rows).expect("memory can be written");
    let source = Source::Bytes {
        name: "rows".to_owned(),
        bytes: rows,
    };
    let second = read_dataset(&source, &options).expect("rows were read before");
    assert_eq!(second.dataset, loaded.dataset);
    assert_eq!(second.query_ids, loaded.query_ids);
    assert_eq!(second.precomputed, loaded.precomputed);
});
