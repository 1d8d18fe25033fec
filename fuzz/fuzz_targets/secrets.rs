//! Any value is hidden in any text, of which nothing else changes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (value, text) = text.split_once('\0').unwrap_or(("hunter2hunter2", &*text));
    rankgate::fuzzing::hide(value, text);
});
