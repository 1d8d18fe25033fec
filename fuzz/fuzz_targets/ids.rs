//! Any id fits into a column when it is encoded, and comes back; any column is an id or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::run::{decode_id, encode_id};
use rankgate_fuzz::is_message;

fuzz_target!(|text: &str| {
    let encoded = encode_id(text);
    assert!(!encoded.contains(|c: char| c.is_whitespace() || c.is_control()), "{encoded}");
    assert_eq!(decode_id(&encoded).expect("what was encoded can be decoded"), text);
    match decode_id(text) {
        Ok(id) => assert_eq!(decode_id(&encode_id(&id)).expect("what was encoded can be decoded"), id),
        Err(error) => is_message(&error.to_string()),
    }
});
