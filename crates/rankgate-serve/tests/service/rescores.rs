//! Old rankings under today's judgments.

use std::fs;
use std::path::Path;

use rankgate::standalone::Standalone;
use rankgate_serve::Settings;
use rankgate_serve::maintenance::{check, rebuild};
use serde_json::{Value, json};

use crate::cluster;
use crate::running::Running;
use crate::sample::{commits, id};

const QUERIES: usize = 40;

/// What is relevant: of each query one document, by its name.
fn judgments(good: &str) -> String {
    (0..QUERIES).map(|query| format!("q{query:02} 0 {good}-{query} 1\n")).collect()
}

/// A ranking: documents of each query, by their names.
fn run(order: &[&str]) -> String {
    let line = |query: usize, (rank, name): (usize, &&str)| {
        format!("q{query:02} Q0 {name}-{query} {} {} t\n", rank + 1, 10 - rank)
    };
    (0..QUERIES).flat_map(|query| order.iter().enumerate().map(move |one| line(query, one))).collect()
}

/// Measures as of a commit; the report, and the run beside it.
fn measured(specs: &Path, commit: usize, order: &[&str], good: &str) -> (Value, Vec<u8>) {
    let queries: String = (0..QUERIES).map(|query| format!("q{query:02}\twhat about {query}?\n")).collect();
    fs::write(specs.join("queries.tsv"), queries).unwrap();
    fs::write(specs.join("qrels.txt"), judgments(good)).unwrap();
    fs::write(specs.join("mine.run"), run(order)).unwrap();
    let spec = "version: 1\nbenchmark: shop\ncollection: {trec: {queries: queries.tsv, qrels: qrels.txt}}\n\
                configurations: {mine: {run: mine.run}}\nthresholds: [{metric: RR@10, min: 0.1}]\n";
    fs::write(specs.join("shop.yaml"), spec).unwrap();
    let standalone = Standalone::new().output(specs.join("target"));
    let benchmark = standalone.open(specs.join("shop.yaml")).unwrap();
    drop(benchmark.run_where(|_| true));
    standalone.write_reports(&benchmark).unwrap();
    let read = |name: &str| fs::read(specs.join("target/shop").join(name)).unwrap();
    let mut report: Value = serde_json::from_slice(&read("report.json")).unwrap();
    report["history"]["commit"] = json!(id(commit));
    (report, read("mine.run"))
}

fn histories(server: &Running) -> Value {
    server.get("/v1/projects/shop/trends").expect(200).json()["histories"][0].clone()
}

/// The means of states.
fn means(told: &Value) -> Vec<f64> {
    let states = told["states"].as_array().unwrap().iter();
    states.map(|state| state["values"][0]["mean"].as_f64().unwrap()).collect()
}

/// A report and its run.
type Measured = (Value, Vec<u8>);

fn rescored(database: Option<String>, measured: &[Measured; 4]) -> Vec<String> {
    let [(first, first_run), (second, second_run), (third, _), (fourth, _)] = measured;
    let server = Running::with(|settings| Settings { database, ..settings });
    let post = |path: &str, body: &[u8]| server.post(&format!("/v1/projects/shop/{path}"), body);
    let push = |report: &Value| post("reports", report.to_string().as_bytes()).expect(201).json();
    post("commits", commits(0, 3).to_string().as_bytes()).expect(200);
    assert_eq!(push(first)["runs_wanted"], json!(["mine"]));
    let kept = post("runs", first_run).expect(201).json();
    assert_eq!(kept["ranking"], first["history"]["configurations"][0]["ranking"]);
    post("runs", first_run).expect(200);
    push(second);
    let before = histories(&server);
    assert_eq!(means(&before), [1.0, 0.5]);
    assert_eq!(before["alarms"].as_array().unwrap().len(), 1);
    // Others judged: what was a loss was none.
    push(third);
    let between = histories(&server);
    assert_eq!((means(&between), &between["epochs"][1]["anew"]), (vec![1.0, 0.5, 1.0], &json!(true)));
    // The second run was not pushed: its state stays as it was, which is said.
    let asked = json!({"benchmark": "shop", "judgments": judgments("other")}).to_string();
    let answer = post("rescore", asked.as_bytes()).expect(200).json();
    assert_eq!((&answer["rescored"], answer["refused"].as_array().unwrap().len()), (&json!(1), 2));
    assert_eq!(answer["refused"][0]["why"], "its run was not pushed");
    assert_eq!(answer["judgments"], third["history"]["judgments"]);
    post("runs", second_run).expect(201);
    let whole = post("rescore", asked.as_bytes()).expect(200);
    assert_eq!(whole.json()["rescored"], 3);
    let after = histories(&server);
    assert_eq!((means(&after), &after["alarms"]), (vec![0.5, 1.0], &json!([])));
    assert_eq!(after["epochs"][1], json!({"from": id(2), "changed": ["judgments"], "anew": false}));
    // What is pushed afterwards under the same judgments is held against all of them.
    assert_eq!(push(fourth)["runs_wanted"], json!([]));
    let last = server.get("/v1/projects/shop/trends").text();
    assert_eq!(histories(&server)["alarms"].as_array().unwrap().len(), 1, "{last}");
    // It is made from runs and judgments again.
    assert_eq!(check(server.app.store()).unwrap(), Vec::<String>::new());
    rebuild(server.app.store()).unwrap();
    let rebuilt = histories(&server);
    assert_eq!(means(&rebuilt), [0.5, 1.0]);
    let harm = "UPDATE rescored SET scores = (SELECT scores FROM scoring WHERE id = rescored.scoring)";
    server.app.store().write(move |session| session.script(harm)).unwrap();
    assert!(check(server.app.store()).unwrap()[0].starts_with("scores under other judgments"));
    // Judgments of 35 of 40 queries are under nine in ten: what was lost on the others would be gone without a word.
    let few: String = judgments("other").lines().take(35).map(|line| format!("{line}\n")).collect();
    let refused = post("rescore", json!({"benchmark": "shop", "judgments": few}).to_string().as_bytes());
    let refused = refused.expect(422).json();
    let said =
        "these judgments are of 35 of the 40 queries that a ranking of mine was scored on, and 36 are needed";
    assert!(refused["detail"].as_str().unwrap().starts_with(said), "{refused}");
    assert_eq!(refused["place"]["pointer"], "/judgments");
    assert_eq!(histories(&server).to_string(), rebuilt.to_string());
    let enough = json!({"benchmark": "shop", "judgments": few, "evidence": 0.875}).to_string();
    post("rescore", enough.as_bytes()).expect(200);
    post("rescore", asked.as_bytes()).expect(200);
    // What cannot be used changes nothing.
    for (path, body, status) in [
        ("rescore", json!({"benchmark": "shop", "judgments": few, "evidence": 2}).to_string(), 422),
        ("rescore", json!({"benchmark": "none", "judgments": judgments("other")}).to_string(), 404),
        ("rescore", json!({"benchmark": "shop"}).to_string(), 422),
        ("rescore", json!({"benchmark": "shop", "judgments": "q1 x"}).to_string(), 422),
        ("runs", "q1 Q0 a 1 1.0 t\n".to_owned(), 422),
    ] {
        post(path, body.as_bytes()).expect(status);
    }
    vec![whole.text(), before.to_string(), after.to_string(), last, rebuilt.to_string()]
}

#[test]
fn old_rankings_are_told_under_todays_judgments() {
    let folder = tempfile::tempdir().unwrap();
    let measured = |commit, order: &[&str], good| measured(folder.path(), commit, order, good);
    // The good document, and the one that turns out to be as good, change places.
    let all = [
        measured(0, &["good", "other"], "good"),
        measured(1, &["other", "good"], "good"),
        measured(2, &["other", "good"], "other"),
        measured(3, &["good", "other"], "other"),
    ];
    assert_eq!(rescored(None, &all), rescored(Some(cluster::database()), &all));
}
