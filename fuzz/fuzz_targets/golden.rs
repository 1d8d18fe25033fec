//! Any file is a blessed run or an error, and a blessed run that is written reads the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate_fuzz::file;
use rankgate_report::internal::golden::GoldenRun;

fuzz_target!(|bytes: &[u8]| {
    let Ok(Some(golden)) = GoldenRun::read(&file("a.run", bytes)) else { return };
    // The file may have a head that is never written, such as one with a carriage return within a line.
    let written = match golden.to_bytes() {
        Ok(written) => written,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    match GoldenRun::read(&file("b.run", &written)) {
        Ok(Some(again)) => {
            assert!(again.answers_as(&golden));
            assert_eq!((&again.inputs, &again.unanswered), (&golden.inputs, &golden.unanswered));
            let ties = |golden: &GoldenRun| -> Vec<usize> {
                golden.runs.iter().map(|run| run.tied_scores(usize::MAX)).collect()
            };
            assert_eq!(ties(&again), ties(&golden));
        }
        other => panic!("what was written cannot be read: {other:?}"),
    }
});
