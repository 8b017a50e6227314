//! Model files: neither the container nor a payload behind a good checksum crashes the reader.

#![no_main]

use hedgerow::Predictor;
use hedgerow::data::Samples;
use hedgerow::svm::{OneClassSvm, SvmClassifier, SvmRegressor};
use hedgerow_io::{Bundle, RawModel, encode_model};
use libfuzzer_sys::fuzz_target;
use serde::{Serialize, Serializer, ser::SerializeTuple};

/// Bytes that are encoded as they are.
struct Verbatim<'a>(&'a [u8]);

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        for byte in self.0 {
            tuple.serialize_element(byte)?;
        }
        tuple.end()
    }
}

type Stored = Bundle<Option<Vec<(f64, f64)>>, (Samples, Vec<f64>, Vec<String>)>;

/// A machine that decodes answers for a row, or says why it cannot.
fn answer<M: Predictor + serde::de::DeserializeOwned>(raw: &RawModel) {
    if let Ok(model) = raw.decode::<M>()
        && model.n_features() <= 1 << 12
    {
        let width = model.n_features();
        let row = Samples::dense(1, width, vec![0.5; width]).expect("one row of that width");
        let _ = model.predict(row.view());
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(raw) = RawModel::from_bytes("fuzz", bytes) {
        let _ = raw.decode::<Stored>();
    }
    let wrapped = encode_model("fuzz", &Verbatim(bytes)).expect("bytes can be encoded");
    let raw = RawModel::from_bytes("fuzz", wrapped).expect("it was just encoded");
    assert_eq!(raw.payload(), bytes);
    answer::<SvmClassifier>(&raw);
    answer::<SvmRegressor>(&raw);
    answer::<OneClassSvm>(&raw);
    if let Ok(model) = raw.decode::<Stored>() {
        let again = encode_model("fuzz", &model).expect("it was just decoded");
        let raw = RawModel::from_bytes("fuzz", again).expect("it was just encoded");
        raw.decode::<Stored>().expect("it was just encoded");
    }
});
