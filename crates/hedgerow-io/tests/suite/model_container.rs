//! Model files: whatever is wrong with one, it is refused.
#![allow(clippy::unwrap_used)] // Also in the helpers outside test functions.

use crate::common;

use common::TempDir;
use hedgerow_io::{
    Bundle, ColumnEncoding, ColumnKind, Encoding, IoError, Missing, ModelProblem, RawModel, Source,
    encode_model, read_container, write_model,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Model {
    bias: f64,
    weights: Vec<f64>,
    names: Vec<String>,
}

fn model() -> Model {
    Model {
        bias: -0.1,
        weights: vec![1.0, 2.5e-300, f64::MAX],
        names: vec!["a".into(), "ü".into()],
    }
}

fn message(bytes: &[u8]) -> String {
    RawModel::from_bytes("m.hedge", bytes)
        .unwrap_err()
        .to_string()
}

/// A container with this payload, whatever it is.
fn container(payload: &[u8]) -> RawModel {
    struct Bytes<'a>(&'a [u8]);
    impl Serialize for Bytes<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeTuple;
            let mut tuple = serializer.serialize_tuple(self.0.len())?;
            for byte in self.0 {
                tuple.serialize_element(byte)?;
            }
            tuple.end()
        }
    }
    let bytes = encode_model("svm", &Bytes(payload)).unwrap();
    let raw = RawModel::from_bytes("m.hedge", bytes.clone()).unwrap();
    assert_eq!(raw.payload(), payload);
    raw
}

#[test]
fn what_is_written_reads_back() {
    let directory = TempDir::new();
    for name in ["m.hedge", "m.hedge.gz", "m.hedge.zst"] {
        let path = directory.file(name);
        write_model(&path, "svm", &model()).unwrap();
        let raw = read_container(&Source::Path(path)).unwrap();
        assert_eq!(raw.header().tag, "svm");
        assert_eq!(raw.header().format_version, 6);
        assert_eq!(raw.header().writer_version, env!("CARGO_PKG_VERSION"));
        assert_eq!(raw.decode::<Model>().unwrap(), model());
    }
}

#[test]
fn a_bundle_reads_back() {
    let mut bundle = Bundle::new((1.5, vec![2u8]), model());
    let column = |name: &str, kind| ColumnEncoding {
        name: name.to_owned(),
        kind,
    };
    let categories = || vec!["a 2".to_owned(), "a 10".to_owned()];
    let coded = ColumnKind::Coded {
        categories: categories(),
        fill: 1,
    };
    let target_coded = ColumnKind::TargetCoded {
        categories: categories(),
        fill: 0,
    };
    bundle.encoding = Some(Encoding {
        label: Some("y".into()),
        columns: vec![
            column("c", coded),
            column("t", target_coded),
            column("d", ColumnKind::Dropped),
        ],
        missing: Missing::MeanMode,
    });
    bundle.feature_names = Some(vec!["a".into()]);
    bundle.parameters.push(("cost".into(), "10".into()));
    bundle.report = Some(hedgerow::Report::trivial());
    bundle.priors = Some(hedgerow::clean::Priors {
        original: vec![9.0, 1.0],
        resampled: vec![5.0, 5.0],
    });
    bundle.class_sizes = Some(vec![9.0, 1.0]);
    let scores = [0.5, -1.0, 2.0];
    let map = hedgerow::machines::Calibration::fit(1, &scores, &[true, false, true], None);
    bundle.calibration = Some(map.unwrap());
    let bytes = encode_model("svm", &bundle).unwrap();
    let raw = RawModel::from_bytes("m", bytes).unwrap();
    let decoded: Bundle<(f64, Vec<u8>), Model> = Bundle::decode(&raw).unwrap();
    assert_eq!(decoded, bundle);
}

#[test]
fn any_damaged_byte_is_found() {
    let good = encode_model("svm", &model()).unwrap();
    for at in 0..good.len() {
        for flip in 1..=255u8 {
            let mut bad = good.clone();
            bad[at] ^= flip;
            assert!(
                RawModel::from_bytes("m", bad.clone()).is_err(),
                "byte {at} ^ {flip}"
            );
        }
    }
}

#[test]
fn any_missing_end_is_found() {
    let good = encode_model("svm", &model()).unwrap();
    for length in 0..good.len() {
        let error = RawModel::from_bytes("m", &good[..length]).unwrap_err();
        let IoError::Model { problem, .. } = error else {
            panic!("not a model error");
        };
        if length == 0 {
            assert_eq!(problem, ModelProblem::Foreign);
        } else {
            assert!(
                matches!(problem, ModelProblem::CutOff { .. }),
                "{length}: {problem}"
            );
        }
    }
}

#[test]
fn files_of_format_1_are_read() {
    let mut bytes = encode_model("svm", &model()).unwrap();
    bytes[8] = 1;
    let end = bytes.len() - 4;
    let checksum = bitwise_crc32(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    let raw = RawModel::from_bytes("m.hedge", bytes).unwrap();
    assert_eq!(raw.header().format_version, 1);
    assert!(raw.ensure_since(1).is_ok());
    let refused = raw.ensure_since(2).unwrap_err().to_string();
    assert!(refused.contains("train the model again"), "{refused}");
    assert_eq!(raw.decode::<Model>().unwrap(), model());
}

/// The checksum by its definition, a bit at a time.
fn bitwise_crc32(bytes: &[u8]) -> u32 {
    let mut rest = u32::MAX;
    for byte in bytes {
        rest ^= u32::from(*byte);
        for _ in 0..8 {
            let carry = rest & 1;
            rest = (rest >> 1) ^ (0xedb8_8320 * carry);
        }
    }
    !rest
}

#[test]
fn messages() {
    assert_eq!(message(b""), "m.hedge: not a Hedgerow model file");
    assert_eq!(
        message(b"svm_type c_svc\n"),
        "m.hedge: not a Hedgerow model file"
    );
    assert_eq!(
        message(b"HEDGE"),
        "m.hedge: the model file is cut off: 5 bytes, 8 are needed"
    );
    let good = encode_model("svm", &model()).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        message(&bytes)
    };
    assert_eq!(
        with(8, 7),
        "m.hedge: model format 7 is newer than this program knows (up to 6); update Hedgerow"
    );
    assert_eq!(
        with(8, 0),
        "m.hedge: the model file is damaged: format version 0"
    );
    assert_eq!(
        with(10, 1),
        "m.hedge: the model file is damaged: unknown flags"
    );
    assert_eq!(
        with(13, 0xff),
        "m.hedge: the model file is damaged: the method tag is not UTF-8"
    );
    let long = [&good[..], b"xy"].concat();
    assert_eq!(
        message(&long),
        "m.hedge: the model file is damaged: 2 bytes after the end"
    );
    let last = good.len() - 1;
    assert!(
        with(last - 6, good[last - 6] ^ 1)
            .starts_with("m.hedge: the model file is damaged: checksum ")
    );
    let error = encode_model(&"t".repeat(300), &model())
        .unwrap_err()
        .to_string();
    assert!(
        error.ends_with("method tag of 300 bytes: at most 255"),
        "{error}"
    );
}

#[test]
fn a_huge_payload_length_is_only_compared() {
    let mut bytes = encode_model("svm", &model()).unwrap();
    let at = 8 + 2 + 2 + 1 + 3 + 1 + env!("CARGO_PKG_VERSION").len();
    bytes[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(
        message(&bytes),
        format!(
            "m.hedge: the model file is cut off: {} bytes, 18446744073709551615 are needed",
            bytes.len()
        )
    );
}

/// 2^60 as the variable-length number of the payload format.
const HUGE: [u8; 9] = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];

#[test]
fn huge_lengths_in_the_payload_allocate_nothing() {
    // An allocation of 2^60 elements would abort the process.
    assert!(container(&HUGE).decode::<Vec<f64>>().is_err());
    assert!(container(&HUGE).decode::<String>().is_err());
    assert!(container(&HUGE).decode::<Vec<Vec<String>>>().is_err());
    assert!(
        container(&HUGE)
            .decode::<std::collections::BTreeMap<u64, f64>>()
            .is_err()
    );
    assert!(
        container(&HUGE)
            .decode::<std::collections::HashMap<u64, f64>>()
            .is_err()
    );
    let nested = [&[3u8][..], &HUGE, &HUGE, &HUGE].concat();
    assert!(container(&nested).decode::<Vec<Vec<f64>>>().is_err());
    assert!(
        container(&nested)
            .decode::<hedgerow::data::Samples>()
            .is_err()
    );
    let mut bundle = encode_model("x", &()).unwrap();
    bundle.clear();
    bundle.extend_from_slice(&[1, 0]);
    bundle.extend_from_slice(&HUGE);
    assert!(container(&bundle).decode::<Bundle<(), Model>>().is_err());
}

#[test]
fn payload_of_another_shape_is_refused() {
    assert_eq!(
        container(&[1, 2, 3])
            .decode::<u8>()
            .unwrap_err()
            .to_string(),
        "m.hedge: the payload is not a valid svm model (2 bytes too many)"
    );
    let error = container(&[1]).decode::<Model>().unwrap_err().to_string();
    assert!(
        error.starts_with("m.hedge: the payload is not a valid svm model ("),
        "{error}"
    );
}
