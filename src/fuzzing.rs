//! Ways in for `fuzz/` to what is not public. Nothing but `cargo fuzz` builds this.

use std::collections::BTreeSet;
use std::path::Path;

use crate::collection::Query;
use crate::golden::{GoldenRun, write_run};
use crate::json::Distinct;
use crate::neighbours::Neighbours;
use crate::retriever::{Shape, answer, check_hello};
use crate::transport::Secrets;

/// Reads a line that a program wrote, as its first and as an answer, with a secret in it hidden.
pub fn program_answer(line: &str) {
    let secrets = secrets();
    for said in [check_hello(line, &secrets).err(), answer(line, &secrets).err()].into_iter().flatten() {
        assert!(!said.contains(SECRET), "{said}");
    }
    if let Ok((_, hits)) = answer(line, &secrets) {
        match hits {
            Ok((response, _)) => assert!(response.hits.iter().all(|hit| !hit.score.is_nan())),
            Err(said) => assert!(!said.contains(SECRET), "{said}"),
        }
    }
}

/// Reads what a service answered, its hits and its errors being where the pointers say.
pub fn service_answer(body: &[u8], hits: &str, id: &str, score: Option<&str>) {
    let answer = match serde_json::from_slice(body) {
        Ok(Distinct(answer)) => answer,
        Err(error) => return assert!(!secrets().hide(&error.to_string()).contains(SECRET), "{error}"),
    };
    let shape = Shape {
        metadata: Some("/metadata".to_owned()),
        hits: hits.into(),
        id: id.into(),
        score: score.map(Into::into),
        scores: Vec::new(),
        said: None,
    };
    match shape.read_ranking(&answer, &secrets()) {
        Ok(response) => assert!(response.hits.iter().all(|hit| !hit.score.is_nan())),
        // The pointers are shown as the spec has them, and the spec does not hold a secret's value.
        Err(said) => {
            let mut pointers = [hits, id].into_iter().chain(score);
            assert!(pointers.any(|at| at.contains(SECRET)) || !said.contains(SECRET), "{said}");
        }
    }
}

/// Hides a value in a text that somebody made up to break that; nothing else of the text changes.
pub fn hide(value: &str, text: &str) {
    let mut secrets = Secrets::default();
    secrets.add_as("\u{0}", value);
    let shown = secrets.hide(text);
    drop(secrets.hide_cut(text));
    drop(secrets.excerpt(text));
    if text.contains('\u{0}') {
        return;
    }
    let mut rest = text;
    for kept in shown.split('\u{0}') {
        let at =
            rest.find(kept).unwrap_or_else(|| panic!("{shown:?} is not {text:?} with parts of it hidden"));
        rest = &rest[at + kept.len()..];
    }
    // What is folded, trimmed or cut into lines is hidden as what it is then.
    let plain =
        value.trim() == value && value.len() >= 4 && value.bytes().all(|byte| byte.is_ascii_graphic());
    assert!(!plain || !shown.contains(value), "{shown:?} has {value:?}");
}

/// Reads a blessed run, whatever its digest while it is fuzzed, and writes it to another file, which reads the same.
pub fn golden_run(from: &Path, to: &Path) {
    let Ok(Some(golden)) = GoldenRun::read(from) else { return };
    // The file may have a head that is never written, such as one with a carriage return within a line.
    if let Err(error) = write_run(&golden, to) {
        return assert!(!error.to_string().is_empty());
    }
    match GoldenRun::read(to) {
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
}

/// Reads the true neighbours of a query, and looks at them as metrics do.
pub fn truth(path: &Path) {
    let query = [Query::new("0", "")];
    let truth = match Neighbours::read(path, &query) {
        Ok(truth) => truth,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let nearest: Vec<(&str, Option<f64>)> = truth.for_query("0").unwrap().iter().collect();
    let ids: BTreeSet<&str> = nearest.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), nearest.len());
    assert!(nearest.is_sorted_by(|a, b| a.1.zip(b.1).is_none_or(|(a, b)| a <= b)));
    assert!(truth.check_depth(&query, nearest.len() + 1).is_err());
    assert!(truth.check_depth(&query, nearest.len()).is_ok());
    assert_eq!(truth.has_distances(), nearest.iter().all(|(_, distance)| distance.is_some()));
}

const SECRET: &str = "hunter2hunter2";

fn secrets() -> Secrets {
    let mut secrets = Secrets::default();
    secrets.add("PASSWORD", SECRET);
    secrets
}
