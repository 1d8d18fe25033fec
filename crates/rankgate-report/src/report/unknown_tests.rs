//! A gate of a kind that a later version has: kept as it was written, and shown by every rendering.

use serde_json::{Value, json as value};

use super::*;
use crate::model::{Finding, Report, Verdict};

const EXAMPLE: &str = include_str!("example.json");

/// A report with a further gate of an unknown kind, as a later version writes it.
fn written(message: Option<&str>) -> Value {
    let mut report: Value = serde_json::from_str(EXAMPLE).unwrap();
    let mut gate = report["gates"][0].clone();
    gate["name"] = value!("helpdesk::bm25::weather");
    gate["verdict"] = value!("failed");
    gate["finding"] = value!({"kind": "weather", "wet": 3, "queries": ["q007", {"deep": [1.5, null]}]});
    gate.as_object_mut().unwrap().remove("message");
    if let Some(message) = message {
        gate["message"] = value!(message);
    }
    report["gates"].as_array_mut().unwrap().push(gate);
    report
}

#[test]
fn a_finding_of_an_unknown_kind_is_kept_as_it_was_written() {
    for message in [None, Some("helpdesk: it rains\n  3 of 60 queries are wet")] {
        let written = written(message);
        let read: Report = serde_json::from_value(written.clone()).unwrap();
        let Finding::Unknown(unknown) = &read.gates.last().unwrap().finding else { panic!("it is known") };
        assert_eq!(
            (unknown.kind.as_str(), unknown.message.as_str()),
            ("weather", message.unwrap_or_default())
        );
        let again: Value = serde_json::from_str(&json(&read)).unwrap();
        let last = |report: &Value| report["gates"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last(&again)["finding"], last(&written)["finding"]);
        assert_eq!(last(&again)["message"], message.unwrap_or_default());
        assert_eq!(serde_json::from_value::<Report>(again).unwrap(), read);
    }
}

#[test]
fn every_rendering_shows_name_verdict_and_what_there_is_of_it() {
    for (message, shown) in
        [(Some("helpdesk: it rains\n  3 of 60 queries are wet"), "are wet"), (None, "q007")]
    {
        let report: Report = serde_json::from_value(written(message)).unwrap();
        let gate = report.gates.last().unwrap();
        assert_eq!(gate.verdict, Verdict::Failed);
        let renderings = [
            ("message", super::message(&report, gate)),
            ("text", text(&report)),
            ("markdown", markdown(&report)),
            ("html", super::html(&report)),
            ("junit", super::junit(std::slice::from_ref(&report), &[])),
        ];
        for (name, rendered) in renderings {
            for part in ["weather", "which this version does not know", shown] {
                assert!(rendered.contains(part), "{name} does not show {part}: {rendered}");
            }
            assert!(rendered.contains("FAILED") || rendered.contains("1 failed"), "{name}: {rendered}");
        }
        let failed = report.verdicts().counts().find(|(verdict, _)| *verdict == Verdict::Failed).unwrap().1;
        let before: Report = serde_json::from_str(EXAMPLE).unwrap();
        let known = before.gates.iter().filter(|gate| gate.verdict == Verdict::Failed).count();
        assert_eq!(failed, known + 1);
    }
}
