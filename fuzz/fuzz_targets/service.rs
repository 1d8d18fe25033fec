//! Any answer of a service is read by any pointers, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, Option<&str>, &[u8])| {
    let (hits, id, score, body) = input;
    rankgate::fuzzing::service_answer(hits, id, score, body);
    // What people write.
    for (hits, id, score) in [("/hits/hits", "/_id", Some("/_score")), ("/result", "/id", None), ("", "", None)] {
        rankgate::fuzzing::service_answer(hits, id, score, body);
    }
});
