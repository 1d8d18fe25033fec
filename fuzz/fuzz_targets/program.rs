//! Any line that a program writes is an answer or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| rankgate::fuzzing::program_answer(line));
