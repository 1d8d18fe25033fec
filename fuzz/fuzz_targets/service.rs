//! Any answer of a service is read by any pointers, or an error.
#![no_main]

use std::str::from_utf8;

use libfuzzer_sys::fuzz_target;
use rankgate_fuzz::parts;

fuzz_target!(|bytes: &[u8]| {
    let [body, pointers @ ..] = parts::<4>(bytes);
    let [hits, id, score] = pointers.map(|pointer| from_utf8(pointer).unwrap_or_default());
    let score = Some(score).filter(|pointer| !pointer.is_empty());
    rankgate::fuzzing::service_answer(body, hits, id, score);
    // What people write.
    for (hits, id, score) in [("/hits/hits", "/_id", Some("/_score")), ("/result", "/id", None), ("", "", None)] {
        rankgate::fuzzing::service_answer(body, hits, id, score);
    }
});
