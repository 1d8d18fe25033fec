//! Ways in for `fuzz/` to what is not public. Nothing but `cargo fuzz` builds this.

use std::path::Path;

use crate::golden::GoldenRun;
use crate::retriever::{Secrets, Shape, answer, check_hello};

/// Reads a line that a program wrote, as its first and as an answer, with a secret in it hidden.
pub fn program_answer(line: &str) {
    let secrets = secrets();
    for said in [check_hello(line, &secrets).err(), answer(line, &secrets).err()].into_iter().flatten() {
        assert!(!said.contains(SECRET), "{said}");
    }
    if let Ok(answer) = answer(line, &secrets) {
        match answer.hits {
            Ok(hits) => assert!(hits.iter().all(|hit| !hit.score.is_nan())),
            Err(said) => assert!(!said.contains(SECRET), "{said}"),
        }
    }
}

/// Reads what a service answered, its hits being where the pointers say.
pub fn service_answer(hits: &str, id: &str, score: Option<&str>, body: &[u8]) {
    let Ok(answer) = serde_json::from_slice(body) else { return };
    let shape = Shape { hits: hits.into(), id: id.into(), score: score.map(Into::into) };
    match shape.read(&answer, &secrets()) {
        Ok(hits) => assert!(hits.iter().all(|hit| !hit.score.is_nan())),
        // The pointers come from the spec, which does not hold a secret's value.
        Err(said) => assert!(!said.contains(SECRET) || [Some(hits), Some(id), score].contains(&Some(SECRET))),
    }
}

/// Reads a blessed run and writes it to another file, which reads the same.
pub fn golden_run(from: &Path, to: &Path) {
    let Ok(Some(golden)) = GoldenRun::read(from) else { return };
    let written = golden.write(to);
    assert!(written.is_ok(), "{:?}", written.err());
    match GoldenRun::read(to) {
        Ok(Some(again)) => assert_eq!(
            (&again.run.iter().collect::<Vec<_>>(), &again.inputs, &again.unanswered),
            (&golden.run.iter().collect::<Vec<_>>(), &golden.inputs, &golden.unanswered)
        ),
        other => panic!("what was written cannot be read: {other:?}"),
    }
}

const SECRET: &str = "hunter2hunter2";

fn secrets() -> Secrets {
    let mut secrets = Secrets::default();
    secrets.add("PASSWORD", SECRET);
    secrets
}
