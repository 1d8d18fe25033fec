//! A file of a model's judgments, or of people's, is read and comes back as it was, or is an error with its line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::judge::{HumansFile, JudgmentsFile, State};
use rankgate_fuzz::is_message;

fuzz_target!(|text: &str| {
    for killed in [false, true] {
        match JudgmentsFile::parse("judged.jsonl", text, killed) {
            Ok(file) => {
                let again = JudgmentsFile::parse("judged.jsonl", &file.text(), false).expect("what was written can be read");
                assert_eq!(again, file);
                for item in file.items() {
                    assert_eq!(item.state == State::Graded, item.grade.is_some(), "{item:?}");
                }
            }
            Err(error) => is_message(&error.to_string()),
        }
    }
    match HumansFile::parse("humans.jsonl", text) {
        Ok(file) => {
            let again = HumansFile::parse("humans.jsonl", &file.text()).expect("what was written can be read");
            assert_eq!(again, file);
        }
        Err(error) => is_message(&error.to_string()),
    }
});
