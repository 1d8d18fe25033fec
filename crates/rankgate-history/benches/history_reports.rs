//! How long it takes to read kept reports and to tell their history:
//! `cargo bench -p rankgate-history --bench history_reports -- REPORT [REPORTS] [RANKINGS]`.
//!
//! Writes so many copies of a `report.json` that holds a history (10,000; of 200 distinct rankings), each of a commit of its own,
//! into a temporary folder, reads them and tells what happened to each configuration; three times.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may stop, and prints its result")]

use std::path::PathBuf;
use std::time::Instant;

use rankgate_history::StoredReports;
use rankgate_history::{Commit, History, Rules};
use rankgate_report::benchmark::model::Report;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let report = arguments.first().expect("the path of a report.json");
    let number =
        |at: usize, usual: usize| arguments.get(at).map_or(usual, |text| text.parse().expect("a number"));
    let (reports, rankings) = (number(1, 10_000), number(2, 200));
    let text = std::fs::read_to_string(report).expect("the report can be read");
    let model: Report = serde_json::from_str(&text).expect("it is a report");
    let history = model.history.expect("it has a history");
    let commit = history.commit.expect("it names its commit");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files: Vec<PathBuf> = (0..reports)
        .map(|at| {
            let mut copy = text.replace(&commit, &format!("{at:040}"));
            for one in &history.configurations {
                let ranking = format!("{:016}{}", at * rankings / reports, &one.ranking[16..]);
                copy = copy.replace(
                    &format!("\"ranking\": \"{}\"", one.ranking),
                    &format!("\"ranking\": \"{ranking}\""),
                );
            }
            let path = folder.path().join(format!("{at}.json"));
            std::fs::write(&path, copy).expect("a report can be written");
            path
        })
        .collect();
    println!("{reports} reports of {} bytes, {rankings} distinct rankings", text.len());
    for _ in 0..3 {
        let start = Instant::now();
        let kept = StoredReports::read(&files);
        let read = start.elapsed();
        assert!(kept.refused.is_empty(), "{:?}", kept.refused.first());
        let line: Vec<Commit> =
            (0..reports).map(|at| Commit { id: format!("{at:040}"), ..Commit::default() }).collect();
        for measurements in kept.measurements.into_values() {
            let history = History { line: line.clone(), measurements, ..History::default() };
            let told = history.tell(&Rules::default()).expect("the history can be told");
            assert_eq!((told.commits.len(), told.states.len()), (reports, rankings));
        }
        println!(
            "read in {:.3} s, read and told in {:.3} s",
            read.as_secs_f64(),
            start.elapsed().as_secs_f64()
        );
    }
}
