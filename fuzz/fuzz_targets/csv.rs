//! Tables: no crash; kept lines reproduce the file; the encoding reads its own table again.

#![no_main]

use hedgerow_io::{
    DataFormat, LabelColumn, Missing, ReadOptions, Source, TargetKind, Unseen, read_dataset,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let source = Source::Bytes {
        name: "fuzz".to_owned(),
        bytes: bytes.to_vec(),
    };
    let mut options = ReadOptions::default()
        .with_format(if choice & 1 == 0 {
            DataFormat::Csv
        } else {
            DataFormat::Tsv
        })
        .with_lines();
    if choice & 2 == 0 {
        options = options.with_missing(Missing::MeanMode);
    }
    if choice & 4 == 0 {
        options = options.with_label(LabelColumn::None);
    } else if choice & 8 == 0 {
        options = options.with_target(TargetKind::Real);
    }
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
    let encoding = loaded.encoding.clone().expect("tables have an encoding");
    assert_eq!(encoding.n_features(), loaded.dataset.n_features());
    let options = options.with_encoding(encoding).with_unseen(Unseen::Error);
    let second = read_dataset(&source, &options).expect("the table was read before");
    assert_eq!(second.dataset, loaded.dataset);
});
