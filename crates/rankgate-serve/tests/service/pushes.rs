//! Reports as they come: twice, wrong, many at once.

use std::collections::BTreeSet;

use serde_json::json;

use crate::client::send;
use crate::running::Running;
use crate::sample::{base, commits, id, lower, report};

const REPORTS: &str = "/v1/projects/search/reports";

#[test]
fn a_report_is_kept_once_and_as_it_was_sent() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let body = report("helpdesk", 1, &base(), &base()).to_string();
        let first = server.post(REPORTS, body.as_bytes()).expect(201).json();
        assert_eq!(first["new"], true);
        let again = server.post(REPORTS, body.as_bytes()).expect(200).json();
        assert_eq!((&again["report"], &again["new"]), (&first["report"], &json!(false)));
        let path = format!("{REPORTS}/{}", first["report"]);
        assert_eq!(server.get(&path).expect(200).text(), body);
        // The same key with something else is neither the one nor the other.
        let keyed = |body: &str| {
            send(server.address, ("POST", REPORTS), &[("Idempotency-Key", "run-1")], body.as_bytes())
        };
        assert_eq!(keyed(&body).unwrap().status, 201);
        assert_eq!(keyed(&body).unwrap().status, 200);
        let other = report("helpdesk", 2, &base(), &base()).to_string();
        assert_eq!(keyed(&other).unwrap().status, 409);
        let all = server.get(REPORTS).expect(200).json();
        assert_eq!(all["reports"].as_array().unwrap().len(), 2);
        let before = server.get(&format!("{REPORTS}?before=2&limit=5&benchmark=helpdesk")).json();
        assert_eq!(
            (before["reports"].as_array().unwrap().len(), &before["reports"][0]["commit"]),
            (1, &json!(id(1)))
        );
    }
}

#[test]
fn sixty_four_pushes_of_one_commit_are_one() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let body = report("helpdesk", 1, &base(), &base()).to_string();
        let answers: Vec<(u16, String)> = std::thread::scope(|scope| {
            let push = || {
                let answer = send(server.address, ("POST", REPORTS), &[], body.as_bytes()).unwrap();
                (answer.status, answer.json()["report"].to_string())
            };
            let pushes: Vec<_> = (0..64).map(|_| scope.spawn(push)).collect();
            pushes.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let numbers: BTreeSet<&String> = answers.iter().map(|(_, number)| number).collect();
        assert_eq!(numbers.len(), 1);
        assert_eq!(answers.iter().filter(|(status, _)| *status == 201).count(), 1);
        assert_eq!(server.get(REPORTS).json()["reports"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn nothing_is_half_kept() {
    for server in [Running::on_sqlite(), Running::on_postgres()] {
        let good = report("helpdesk", 1, &base(), &base());
        let whole = good.to_string();
        let mut cases: Vec<(String, u16)> = [0, 1, 100, whole.len() / 2, whole.len() - 1]
            .into_iter()
            .map(|end| (whole[..end].to_owned(), 400))
            .collect();
        let changed = |change: &dyn Fn(&mut serde_json::Value)| {
            let mut report = good.clone();
            change(&mut report);
            report.to_string()
        };
        cases.push((changed(&|report| report["schema"] = json!(99)), 422));
        cases.push((changed(&|report| drop(report.as_object_mut().unwrap().remove("history"))), 422));
        cases.push((changed(&|report| report["history"]["commit"] = json!("main")), 422));
        cases.push((changed(&|report| report["benchmark"] = json!("a\0b")), 422));
        cases.push((changed(&|report| report["configurations"] = json!([])), 422));
        cases.push((
            changed(&|report| {
                report["configurations"][0]["outcome"]["measured"]["queries"][7]["scores"] = json!({});
            }),
            422,
        ));
        cases.push((changed(&|report| report["gates"][0]["message"] = json!(0.15)), 422));
        for (body, status) in &cases {
            server.post(REPORTS, body.as_bytes()).expect(*status);
        }
        // Not even a project is there.
        assert_eq!(server.get("/v1/projects").json(), json!({"projects": []}));
        server.get(REPORTS).expect(404);
        server.post_json("/v1/projects/..%2Fetc/reports", &good).expect(422);
        server.post(REPORTS, whole.as_bytes()).expect(201);
        // The same of a ranking that is known by now: what could not be shown is not kept.
        for (body, status) in &cases {
            server.post(REPORTS, body.as_bytes()).expect(*status);
        }
        assert_eq!(server.get(REPORTS).json()["reports"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_report_that_contradicts_itself_is_not_taken() {
    let server = Running::on_sqlite();
    let measured = "/configurations/0/outcome/measured";
    let honest = report("helpdesk", 1, &base(), &base());
    server.post_json(REPORTS, &honest).expect(201);
    let cases = [
        (format!("{measured}/queries/7/scores/nDCG@10"), json!(7.5), "lies between 0 and 1"),
        (format!("{measured}/queries/7/golden/scores/nDCG@10"), json!(-0.5), "lies between 0 and 1"),
        (format!("{measured}/metrics/0/value"), json!(0.9), "and the mean of its queries is 0."),
        (format!("{measured}/metrics/0/interval"), json!([0.9, 1.0]), "which is not between 0.9 and 1"),
        (format!("{measured}/queries/7/id"), json!("q008"), ""),
        (format!("{measured}/unanswered"), json!(["q999"]), ""),
        (format!("{measured}/queries/7/found"), json!(2), "query `q007` finds 2 of 1 relevant documents"),
        ("/collection/queries".to_owned(), json!(61), "it lists 60 queries, and `collection` counts 61"),
        ("/history/configurations/0/gated".to_owned(), json!(["RR"]), "a gate stands on RR"),
    ];
    // Whether its ranking is known or not.
    for other in [honest, report("helpdesk", 2, &lower(&base(), 0.1), &base())] {
        for (pointer, value, said) in &cases {
            let mut sent = other.clone();
            *sent.pointer_mut(pointer).unwrap() = value.clone();
            let refused = server.post_json(REPORTS, &sent).expect(422).json();
            let place = refused["place"]["pointer"].as_str().unwrap();
            let is_there = place.starts_with(pointer) || pointer.starts_with(place);
            assert!(is_there || pointer == "/collection/queries", "{pointer}: {refused}");
            assert!(refused["detail"].as_str().unwrap().contains(said), "{pointer}: {refused}");
        }
        // A configuration that is placed twice, and a number that is none.
        let mut sent = other.clone();
        let first = sent["history"]["configurations"][0].clone();
        sent["history"]["configurations"].as_array_mut().unwrap().push(first);
        let refused = server.post_json(REPORTS, &sent).expect(422).json();
        assert_eq!(refused["detail"], "`bm25` comes twice");
        let score = "\"scores\":{\"nDCG@10\":";
        let sent = other.to_string().replacen(score, &format!("{score}1e999,\"RR\":"), 1);
        assert_ne!(sent, other.to_string());
        server.post(REPORTS, sent.as_bytes()).expect(400);
    }
    assert_eq!(server.get(REPORTS).json()["reports"].as_array().unwrap().len(), 1);
}

/// Its verdicts are kept, and no history has a place for it.
#[test]
fn a_configuration_that_errored_is_taken_without_scores() {
    let server = Running::on_sqlite();
    let mut sent = report("helpdesk", 1, &base(), &base());
    sent["configurations"][0]["outcome"] =
        json!({"errored": {"query": null, "cause": {"error": "no documents"}, "failed": 1, "asked": 60}});
    let taken = server.post_json(REPORTS, &sent).expect(201).json();
    assert_eq!((&taken["new"], &taken["configurations"]), (&true.into(), &json!([])));
    // What says neither why nor what it scored contradicts its place in the history.
    sent["configurations"][0]["outcome"] = json!("not-asked");
    let refused = server.post_json(REPORTS, &sent).expect(422).json();
    assert_eq!(refused["detail"], "`configurations` has no scores of bm25");
}

#[test]
fn commits_are_whole_and_their_line_has_one_end() {
    let server = Running::on_sqlite();
    let path = "/v1/projects/search/commits";
    for (body, pointer) in [
        (json!({"branch": "", "commits": []}), "/branch"),
        (json!({"branch": "main", "commits": []}), "/commits"),
        (
            json!({"branch": "main", "commits": [{"commit": "abc", "time": 1, "subject": ""}]}),
            "/commits/0/commit",
        ),
        (
            json!({"branch": "main", "commits": [
                {"commit": id(1), "time": 1, "subject": ""}, {"commit": id(2), "time": 1, "subject": ""}]}),
            "/commits",
        ),
    ] {
        let problem = server.post_json(path, &body).expect(422).json();
        assert_eq!(problem["place"]["pointer"], pointer, "{problem}");
    }
    assert_eq!(server.post_json(path, &commits(3, 6)).expect(200).json()["new"], 4);
    assert_eq!(server.post_json(path, &commits(0, 4)).expect(200).json()["new"], 3);
    let line = server.get(path).expect(200).json();
    let ids: Vec<&str> =
        line["commits"].as_array().unwrap().iter().map(|one| one["commit"].as_str().unwrap()).collect();
    assert_eq!(ids, (0..=6).map(id).collect::<Vec<_>>());
}

#[test]
fn ids_are_never_used_again() {
    let server = Running::on_sqlite();
    let number = |commit: usize| {
        let body = report("helpdesk", commit, &lower(&base(), 0.01 * commit as f64), &base());
        server.post_json(REPORTS, &body).expect(201).json()["report"].as_i64().unwrap()
    };
    let (first, second) = (number(1), number(2));
    // A report that fails takes no number with it.
    server.post(REPORTS, b"{}").expect(422);
    assert_eq!((first, second, number(3)), (1, 2, 3));
}
