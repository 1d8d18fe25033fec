//! Any file is truth of some queries or an error; what is truth has each neighbour once, nearest first. The first byte says
//! the format.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate_fuzz::file;

const ENDINGS: [&str; 2] = ["ivecs", "run"];

fuzz_target!(|bytes: &[u8]| {
    let Some((format, content)) = bytes.split_first() else { return };
    rankgate::fuzzing::truth(&file(&format!("a.{}", ENDINGS[usize::from(*format) % ENDINGS.len()]), content));
});
