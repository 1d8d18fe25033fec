//! Any file is truth of some queries or an error; what is truth has each neighbour once, nearest first.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate_fuzz::file;

fuzz_target!(|bytes: &[u8]| rankgate::fuzzing::truth(&file("a.run", bytes)));
