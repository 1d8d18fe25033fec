//! `rankgate lint` of collections as a user types it: output, errors, exit status.

use serde_json::Value;

use crate::folder::Folder;

/// A collection in the layout of BEIR that has everything wrong with it.
fn unhealthy() -> Folder {
    let long =
        "The parcel is handed to the courier in the evening and arrives on the second working day after that";
    let document = |id: &str, title: &str, text: &str| {
        format!("{{\"_id\": \"{id}\", \"title\": \"{title}\", \"text\": \"{text}\"}}\n")
    };
    let corpus = [
        document("refund-1", "Refunds", "Money is paid back to the card that the order was paid with."),
        document("refund-2", "REFUNDS", "money is paid back, to the card that the order was paid with"),
        document("post-1", "", &format!("{long}, Sundays and public holidays aside.")),
        document("post-2", "", &format!("{long}, Sundays and public holidays left aside.")),
        document("empty-1", "", " - "),
        document("gift-1", "Gift cards", "A gift card can be used for any order."),
    ];
    let query = |id: &str, text: &str, category: &str| {
        format!("{{\"_id\": \"{id}\", \"text\": \"{text}\", \"category\": \"{category}\"}}\n")
    };
    let queries = [
        query("q1", "the parcel is handed to the courier in the evening and arrives on a day", "post"),
        query("q2", "gift card", "payment"),
        query("q3", "can be used for", "payment"),
        query("q4", "how do I get my money back", "payment"),
        query("q5", "How do I get my money back?", "payment"),
        query("q6", "my money back: how do I get it", "payment"),
        query("q7", "?", "none"),
        query("q8", "nobody judged this", "none"),
        query("q9", "the card that the order was paid with", "payment"),
    ];
    let judged = "query-id\tcorpus-id\tscore\nq1\tpost-1\t2\nq2\tgift-1\t1\nq3\tgift-1\t1\nq4\trefund-1\t3\n\
                  q4\trefund-9\t1\nq5\trefund-1\t2\nq5\trefund-2\t2\nq6\trefund-1\t0\nq7\tgone-1\t-1\nq9\tpost-1\t1\n";
    Folder::new()
        .with("shop/corpus.jsonl", &corpus.concat())
        .with("shop/queries.jsonl", &queries.concat())
        .with("shop/qrels/test.tsv", judged)
}

#[test]
fn everything_that_is_wrong_with_a_collection_is_said() {
    let folder = unhealthy();
    insta::assert_snapshot!(folder.session(&["lint shop"]));
}

#[test]
fn copies_in_another_split_and_dead_segments_are_found() {
    let query = |id: &str, text: &str, kind: &str| {
        format!("{{\"_id\": \"{id}\", \"text\": \"{text}\", \"kind\": \"{kind}\"}}\n")
    };
    let queries = [
        query("q1", "wie kann ich mit meiner Karte zahlen", "a"),
        query("q2", "pay by card in the account", "b"),
        query("q3", "something else", "b"),
        query("train-1", "in the account pay by card", "b"),
        query("train-2", "unlike any other", "b"),
    ];
    let folder = Folder::new()
        .with("shop/corpus.jsonl", "{\"_id\": \"card\", \"text\": \"You can pay with a card.\"}\n")
        .with("shop/queries.jsonl", &queries.concat())
        .with("shop/qrels/test.tsv", "q1\tcard\t0\nq2\tcard\t1\nq3\tcard\t1\n");
    insta::assert_snapshot!(folder.run("lint shop").stdout);
}

#[test]
fn findings_of_a_severity_are_denied() {
    let folder =
        unhealthy().with("ok.json", r#"[{"id": "q1", "text": "a", "relevant": {"d1": 1, "d2": 0}}]"#);
    let findings = |what: &str| {
        let found: serde_json::Value =
            serde_json::from_str(&folder.run(&format!("lint {what} --format json")).stdout).unwrap();
        let severities = found["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["severity"].as_str().unwrap().to_owned());
        severities.collect::<Vec<String>>()
    };
    assert!(findings("shop").contains(&"problem".to_owned()));
    assert_eq!(findings("ok.json"), [""; 0]);
    for (line, code) in [
        ("lint shop", 0),
        ("lint shop --deny problem", 1),
        ("lint shop --deny warning", 1),
        ("lint ok.json --deny warning", 0),
        ("lint ok.json --deny fact", 2),
    ] {
        assert_eq!(folder.run(line).code, Some(code), "{line}");
    }
}

#[test]
fn programs_read_codes_and_counts() {
    let folder = unhealthy();
    let ran = folder.run("lint shop --format json");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let health: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(health["schema"], 1);
    assert_eq!(health["subject"], "shop");
    assert_eq!(health["collection"]["documents"], 6);
    let codes: Vec<String> = health["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                one["severity"].as_str().unwrap(),
                one["code"].as_str().unwrap(),
                one["count"]
            )
        })
        .collect();
    assert_eq!(
        codes,
        [
            "problem missing-documents 2",
            "problem query-copied 1",
            "problem copies-judged-apart 3",
            "warning queries-without-relevant 2",
            "warning dead-segments 1",
            "warning query-in-document 1",
            "warning documents-repeated 2",
            "warning queries-repeated 2",
        ]
    );
    assert_eq!(folder.run("lint shop --format json").stdout, ran.stdout);
}

#[test]
fn text_from_data_cannot_move_the_cursor() {
    let folder = Folder::new().with(
        "a.json",
        "[{\"id\": \"q\\u001b[2J\", \"text\": \"\\u001b[1A\\u202e word for word\", \"relevant\": {\"d\\u0007\": 0}}]",
    );
    let ran = folder.run("lint a.json");
    assert!(ran.stdout.contains(r"q\u{1b}[2J"), "{}", ran.stdout);
    assert!(!ran.stdout.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{:?}", ran.stdout);
}

#[test]
fn a_document_id_that_is_there_twice_is_a_problem() {
    let folder = Folder::new()
        .with("topics.tsv", "q1\tone\n")
        .with("a.qrels", "q1 0 d1 1\nq1 0 d2 0\n")
        .with("corpus.tsv", "d1\talpha\nd2\tbeta\nd1\tgamma\n");
    let ran = folder.run("lint --queries topics.tsv --qrels a.qrels --corpus corpus.tsv --deny problem");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stdout
            .contains("PROBLEM  1 document has the id of an earlier one (document-id-repeated)\n  d1\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn judgments_alone_are_examined() {
    let folder = Folder::new().with("a.qrels", "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 0\n");
    let ran = folder.run("lint --qrels a.qrels");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("a.qrels"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 of 2 judged queries"), "{}", ran.stdout);
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let folder = unhealthy()
        .with("broken/corpus.jsonl", "{\"_id\": \"d1\", \"text\": \"a\"}\n{\"_id\": \"d2\"}\n")
        .with("broken/queries.jsonl", "{\"_id\": \"q1\", \"text\": \"a\"}\n")
        .with("broken/qrels/test.tsv", "q1\td1\t1\n")
        .with("notes.txt", "nothing")
        .with("bad.yaml", "version: 1\nbenchmark: x\n");
    insta::assert_snapshot!(folder.session(&[
        "lint nowhere",
        "lint notes.txt",
        "lint shop --split dev",
        "lint broken",
        "lint bad.yaml",
        "lint --queries topics.tsv",
        "lint",
        "lint bad.yaml --relevant-from 2",
    ]));
}

#[test]
fn one_of_a_kind_is_told_as_one_and_an_empty_file_as_empty() {
    let folder = Folder::new()
        .with(
            "one.json",
            r#"{"queries": {"q1": "hello"}, "judgments": {"q1": {"d1": 1}}, "documents": {"d1": "text"}}"#,
        )
        .with("none.json", "");
    let one = folder.run("lint one.json");
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    for told in ["queries    1 judged; 1 word\n", "documents  1; 1 word\n"] {
        assert!(one.stdout.contains(told), "{told:?} in\n{}", one.stdout);
    }
    let none = folder.run("lint none.json");
    assert_eq!((none.code, none.stderr.as_str()), (Some(2), "error: none.json: the file is empty\n"));
}
