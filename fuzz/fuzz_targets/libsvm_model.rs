//! LIBSVM models: no crash, and what is read can be written and read back.

#![no_main]

use hedgerow_io::LibSvmModel;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = LibSvmModel::from_bytes("fuzz", bytes) else {
        return;
    };
    let mut text = Vec::new();
    model.write_to(&mut text).expect("memory can be written");
    let again = LibSvmModel::from_bytes("again", &text).expect("it was just written");
    assert_eq!(again, model);
});
