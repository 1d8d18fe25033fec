//! Any file is a blessed run or an error, and a blessed run that is written reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate_fuzz::{file, no_file};

fuzz_target!(|bytes: &[u8]| {
    rankgate::fuzzing::golden_run(&file("a.run", bytes), &no_file("b.run"));
});
