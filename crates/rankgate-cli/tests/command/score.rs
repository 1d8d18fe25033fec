//! `rankgate score --arrow`: a stream of rows in, a stream of scores out.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};

use crate::surroundings;

/// Three queries with forty results each, then their judgments.
fn stream() -> Vec<u8> {
    let rows: Vec<(u32, u32)> = (1..=3).flat_map(|query| (1..=40).map(move |rank| (query, rank))).collect();
    let schema = Arc::new(Schema::new(vec![
        Field::new("query", DataType::Utf8, false),
        Field::new("document", DataType::Utf8, false),
        Field::new("score", DataType::Float64, true),
        Field::new("grade", DataType::Int32, true),
    ]));
    let query = || rows.iter().map(|(query, _)| Some(format!("q{query}"))).collect::<StringArray>();
    let document = || rows.iter().map(|(_, rank)| Some(format!("d{rank}"))).collect::<StringArray>();
    let scores = rows.iter().map(|(_, rank)| Some(1.0 / f64::from(*rank))).collect::<Float64Array>();
    let grades = rows.iter().map(|(query, rank)| Some(((query + rank) % 4).cast_signed()));
    let results: Vec<ArrayRef> = vec![
        Arc::new(query()),
        Arc::new(document()),
        Arc::new(scores),
        Arc::new(Int32Array::new_null(rows.len())),
    ];
    let judgments: Vec<ArrayRef> = vec![
        Arc::new(query()),
        Arc::new(document()),
        Arc::new(Float64Array::new_null(rows.len())),
        Arc::new(grades.collect::<Int32Array>()),
    ];
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    for columns in [results, judgments] {
        writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns).unwrap()).unwrap();
    }
    writer.into_inner().unwrap()
}

#[test]
fn the_command_says_what_is_wrong_and_writes_nothing_then() {
    let score = |arguments: &[&str], from: &[u8]| {
        let mut process = surroundings::leave(&mut Command::new(env!("CARGO_BIN_EXE_rankgate")))
            .args(["score", "--arrow"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may end before it has read all.
        let _ = process.stdin.take().unwrap().write_all(from);
        process.wait_with_output().unwrap()
    };
    let whole = stream();
    let good = score(&["-m", "nDCG@10,ERR@5", "--max-grade", "3"], &whole);
    assert!(good.status.success(), "{good:?}");
    let batches: Vec<RecordBatch> =
        StreamReader::try_new(&good.stdout[..], None).unwrap().map(Result::unwrap).collect();
    assert_eq!((batches.len(), batches[0].num_rows()), (1, 3));
    let names: Vec<String> = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(
        names.join(" "),
        "query nDCG@10 ERR@5 retrieved judged judged_retrieved tied_scores best_grade identical"
    );
    for (arguments, from, said) in [
        (
            &["-m", "nDCG@10"][..],
            &whole[..whole.len() - 8],
            "error: the stream: it cannot be read as a stream of Arrow",
        ),
        (&["-m", "ERR@5"], &whole[..], "error: ERR@5 scales by the highest grade"),
        (
            &["--columns", "query=qid"],
            &whole[..],
            "error: the stream: there is no column `qid` for the query",
        ),
    ] {
        let bad = score(arguments, from);
        let error = String::from_utf8(bad.stderr).unwrap();
        assert!(error.starts_with(said), "{error}");
        assert_eq!((bad.status.code(), bad.stdout.len()), (Some(2), 0));
    }
}
