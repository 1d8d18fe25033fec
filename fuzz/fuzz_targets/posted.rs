//! A body that was posted to the server is taken, or refused with a reason. Its first byte says where it was posted to.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((which, body)) = bytes.split_first() else { return };
    if let Err(detail) = rankgate_serve::fuzzing::body(*which, body) {
        assert!(!detail.is_empty());
    }
});
