//! Reports with every kind of gate that there is, and with one that there is not yet.

use rankgate::benchmark::model::{Finding, Report};
use serde_json::{Value, json};

use crate::running::Running;
use crate::sample::{base, report};
use maker::Maker;

#[path = "../../../../tests/schema/maker.rs"]
mod maker;

/// What reports may hold, made from the model.
const SCHEMA: &str = rankgate::report::SCHEMAS[0].1;
const REPORTS: &str = "/v1/projects/search/reports";

/// A report with a gate of each kind that the schema knows, and the names of the kinds.
fn with_every_kind(full: bool) -> (Value, Vec<String>) {
    let mut schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let Value::Object(defs) = schema["$defs"].take() else { panic!("the schema defines nothing") };
    let maker = Maker { defs, alternative: 0, full };
    let (mut gates, mut kinds) = (Vec::new(), Vec::new());
    for finding in maker.defs["Finding"]["oneOf"].as_array().unwrap() {
        let mut gate = maker.make(&maker.defs["GateReport"], 0);
        gate["finding"] = maker.make(finding, 0);
        let kind = gate["finding"]["kind"].as_str().unwrap().to_owned();
        gate["name"] = json!(format!("helpdesk::bm25::the-{kind}-gate"));
        gate["configuration"] = json!("bm25");
        agree(&mut gate);
        gates.push(gate);
        kinds.push(kind);
    }
    let mut report = report("helpdesk", 1, &base(), &base());
    report["gates"] = json!(gates);
    (report, kinds)
}

/// Makes numbers that were made up one by one agree with each other.
fn agree(gate: &mut Value) {
    // Whatever the numbers are, a gate may come to it.
    gate["verdict"] = json!("inconclusive");
    let finding = &mut gate["finding"];
    let number = |finding: &Value, key: &str| finding[key].as_f64().unwrap();
    match finding["kind"].as_str() {
        Some("threshold") => {
            finding["held"] = finding["measured"]["value"].clone();
            finding["bound"] = json!("mean");
            for limit in ["min", "max", "broken"] {
                finding.as_object_mut().unwrap().remove(limit);
            }
        }
        Some("comparison") => {
            let counts = ["wins", "ties", "losses"].map(|key| finding[key].as_u64().unwrap());
            finding["units"] = json!(counts.iter().sum::<u64>());
            let difference = number(finding, "candidate_mean") - number(finding, "baseline_mean");
            finding["difference"] = json!(difference);
        }
        _ => {}
    }
}

#[test]
fn every_kind_of_gate_is_taken_and_shown() {
    for full in [true, false] {
        let server = Running::on_sqlite();
        let (sent, kinds) = with_every_kind(full);
        assert!(kinds.len() >= 9, "{kinds:?}");
        server.post_json(REPORTS, &sent).expect(201);
        let read: Report = serde_json::from_value(sent).unwrap();
        for (gate, kind) in read.gates.iter().zip(&kinds) {
            assert_eq!(serde_json::to_value(&gate.finding).unwrap()["kind"], **kind);
            assert!(!matches!(gate.finding, Finding::Unknown(_)), "the server does not know {kind}");
        }
        let page = server.get("/projects/search/reports/1").expect(200).text();
        for kind in &kinds {
            assert!(page.contains(&format!("the-{kind}-gate")), "no gate of {kind} on the page");
        }
        assert!(!page.contains("does not know"), "a kind is not known");
        server.get("/projects/search").expect(200);
    }
}

#[test]
fn a_kind_of_a_later_version_is_kept_as_it_is_and_shown_as_such() {
    let server = Running::on_sqlite();
    let (mut sent, kinds) = with_every_kind(false);
    let number = kinds.len();
    let mut gate = sent["gates"][0].clone();
    gate["name"] = json!("helpdesk::bm25::weather");
    gate["verdict"] = json!("failed");
    gate["message"] = json!("helpdesk: it <rains> on bm25\n  3 of 60 queries are wet");
    gate["finding"] = json!({"kind": "weather", "wet": 3, "queries": ["q001"]});
    sent["gates"].as_array_mut().unwrap().push(gate.clone());
    // Where nobody says anything of it, its data are shown.
    gate.as_object_mut().unwrap().remove("message");
    gate["name"] = json!("helpdesk::bm25::silent");
    sent["gates"].as_array_mut().unwrap().push(gate);
    let body = sent.to_string();
    server.post(REPORTS, body.as_bytes()).expect(201);
    assert_eq!(server.get(&format!("{REPORTS}/1")).expect(200).text(), body);
    let page = server.get("/projects/search/reports/1").expect(200).text();
    for said in [
        "weather is of the kind `weather`, which this version does not know",
        "it &lt;rains&gt; on bm25",
        "q001",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let listed = server.get(REPORTS).expect(200).json();
    assert_eq!(listed["reports"][0]["gates"]["failed"], 2, "{number}: {listed}");
    // Read and written again it is what it was.
    let read: Report = serde_json::from_str(&body).unwrap();
    let again: Value = serde_json::from_str(&rankgate::report::json(&read)).unwrap();
    assert_eq!(again["gates"][number]["finding"], sent["gates"][number]["finding"]);
    assert_eq!(again["gates"][number]["message"], sent["gates"][number]["message"]);
}
