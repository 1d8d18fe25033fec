//! Any file is vectors or an error, and reading the ids alone finds the same ones. The first byte says the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::vectors::{VectorIds, Vectors};
use rankgate_fuzz::{file, is_message};

const ENDINGS: [&str; 10] =
    ["fvecs", "bvecs", "ivecs", "fbin", "f16bin", "u8bin", "i8bin", "ibin", "npy", "parquet"];

fuzz_target!(|bytes: &[u8]| {
    let Some((format, content)) = bytes.split_first() else { return };
    let path = file(&format!("a.{}", ENDINGS[usize::from(*format) % ENDINGS.len()]), content);
    let vectors = match Vectors::read(&path) {
        Ok(vectors) => vectors,
        Err(error) => return is_message(&error.to_string()),
    };
    let last = vectors.len() - 1;
    assert!(vectors.row(last).iter().all(|number| number.is_finite()));
    assert_eq!(vectors.row(last).len(), vectors.dimension());
    // An id twice is an error of both.
    match (VectorIds::new(&vectors), VectorIds::read(&path)) {
        (Ok(of_vectors), Ok(of_file)) => {
            let id = vectors.id(last);
            assert_eq!((of_vectors.row(&id), of_file.row(&id)), (Some(last), Some(last)));
        }
        (of_vectors, of_file) => {
            let message = |ids: rankgate::Result<VectorIds>| ids.unwrap_err().to_string();
            assert_eq!(message(of_vectors), message(of_file));
        }
    }
});
