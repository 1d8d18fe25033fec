//! `rankgate lint` and `rankgate pool` as a user types them: output, errors, exit status.

#![expect(clippy::unwrap_used, reason = "what cannot be unwrapped fails the test")]

use crate::surroundings;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A folder with files in it, in which the command is run.
struct Folder(tempfile::TempDir);

/// What a command said and how it ended.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(self, name: &str, text: &str) -> Self {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), text).unwrap();
        self
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run(&self, line: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        let output = surroundings::leave(&mut command)
            .args(line.split(' '))
            .current_dir(self.0.path())
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Several commands after each other, as a terminal shows them.
    fn session(&self, lines: &[&str]) -> String {
        let mut session = String::new();
        for line in lines {
            let Ran { code, stdout, stderr } = self.run(line);
            writeln!(session, "$ rankgate {line}\n{stdout}[stderr]\n{stderr}[exit {}]\n", code.unwrap())
                .unwrap();
        }
        session
    }
}

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
fn what_hides_in_the_texts_is_told() {
    let mut corpus = String::new();
    let mut document = |id: &str, text: &str, updated: &str| {
        corpus += &format!(
            "{{\"_id\": \"{id}\", \"text\": \"{text}\", \"metadata\": {{\"updated\": \"{updated}\"}}}}\n"
        );
    };
    let fees = "The fee for a parcel that is kept at the depot for longer than a week is charged to the person who sent it";
    document("fees", fees, "2025-01-03");
    document("card", "You can pay with the card that you have registered in your account.", "2025-03-09");
    for n in 0..20 {
        document(&format!("new-{n}"), &format!("news number {n} of the week"), "2025-04-01");
    }
    for n in 0..20 {
        document(&format!("old-{n}"), &format!("notice number {n} of the year"), "2024-04-01");
    }
    let query = |id: &str, text: &str| {
        format!("{{\"_id\": \"{id}\", \"text\": \"{text}\", \"judged\": \"2025-02\"}}\n")
    };
    let queries = [
        query(
            "q1",
            "a parcel that is kept at the depot for longer, what does that cost me in the end and why",
        ),
        query("q2", "wie kann ich mit meiner Karte zahlen und ist das sicher"),
        query("q3", "pay by card in the account"),
        query("train-1", "in the account pay by card"),
        query("train-2", "unlike any other"),
    ];
    let mut judged = "q1\tfees\t1\nq2\tcard\t1\nq3\tcard\t1\n".to_owned();
    (0..20).for_each(|n| judged += &format!("q1\told-{n}\t0\n"));
    let folder = Folder::new()
        .with("shop/corpus.jsonl", &corpus)
        .with("shop/queries.jsonl", &queries.concat())
        .with("shop/qrels/test.tsv", &judged);
    insta::assert_snapshot!(folder.run("lint shop").stdout);
}

#[test]
fn problems_are_failures_where_somebody_is_strict() {
    let folder = unhealthy();
    assert_eq!(folder.run("lint shop").code, Some(0));
    assert_eq!(folder.run("lint shop --strict").code, Some(1));
    let folder = folder.with("ok.json", r#"[{"id": "q1", "text": "a", "relevant": {"d1": 1, "d2": 0}}]"#);
    assert_eq!(folder.run("lint ok.json --strict").code, Some(0));
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
    // One query decides nothing, which is a caution, and nothing worse is found.
    let cautious = findings("ok.json");
    assert!(!cautious.contains(&"problem".to_owned()), "{cautious:?}");
    let is_cautious = i32::from(cautious.contains(&"caution".to_owned()));
    for (line, code) in [
        ("lint shop --deny problem", 1),
        ("lint shop --deny caution", 1),
        ("lint shop --deny caution --deny problem --strict", 1),
        ("lint ok.json --deny problem", 0),
        ("lint ok.json --deny caution", is_cautious),
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
            "problem queries-without-text 1",
            "problem query-copied 1",
            "problem copies-judged-apart 1",
            "problem queries-repeated 1",
            "caution queries-without-relevant 2",
            "caution few-queries 8",
            "caution query-in-document 1",
            "caution short-query-in-document 1",
            "caution empty-documents 1",
            "caution near-copies-judged-apart 2",
            "caution documents-repeated 1",
            "caution documents-near 1",
            "caution queries-near 1",
            "caution queries-share-relevant 4",
            "fact negative-grades 1",
            "fact queries-without-judgments 1",
            "fact pair-in-document 1",
        ]
    );
    assert_eq!(folder.run("lint shop --format json").stdout, ran.stdout);
}

#[test]
fn judgments_that_are_older_than_the_documents_are_told() {
    let folder = benchmark(
        30,
        "thresholds: [{metric: nDCG@10, min: 0}]\ngolden: golden\ncomparisons: [{candidate: new, \
                               baseline: golden, metrics: [nDCG@10]}]\n",
    );
    assert_eq!(folder.run("bless spec.yaml").code, Some(0));
    let code = "(judgments-older-than-documents)";
    assert!(!folder.run("lint spec.yaml").stdout.contains(code));
    let corpus = folder.read("data/corpus.jsonl") + "{\"_id\": \"later\", \"text\": \"came in later\"}\n";
    let folder = folder.with("data/corpus.jsonl", &corpus);
    let text = folder.run("lint spec.yaml").stdout;
    assert!(text.contains(code) && text.contains("2 golden runs were blessed"), "{text}");
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
    let ran = folder.run("lint --queries topics.tsv --qrels a.qrels --corpus corpus.tsv --strict");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stdout.contains(
            "PROBLEM  1 document id is there more than once (document-id-repeated)\n  d1\n    2 documents\n"
        ),
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

/// Queries whose relevant document is at some rank in two runs, and a spec over them.
fn benchmark(queries: usize, rest: &str) -> Folder {
    let (mut asked, mut judged, mut old, mut new) =
        (String::new(), String::new(), String::new(), String::new());
    for q in 1..=queries {
        let size = if q <= 3 { "small" } else { "large" };
        writeln!(asked, "{{\"_id\": \"q{q}\", \"text\": \"number {q}\", \"size\": \"{size}\"}}").unwrap();
        writeln!(judged, "q{q}\tr{q}\t2\nq{q}\tn{q}\t0").unwrap();
        // On every third query the new one is better, on every fourth the old one.
        let (ours, theirs) = (if q % 3 == 0 { 1 } else { 2 }, if q % 4 == 0 { 1 } else { 2 });
        for (run, place) in [(&mut new, ours), (&mut old, theirs)] {
            for (rank, document) in (1..).zip(if place == 1 {
                [format!("r{q}"), format!("x{q}")]
            } else {
                [format!("n{q}"), format!("r{q}")]
            }) {
                writeln!(run, "q{q} Q0 {document} {rank} {} t", 9 - rank).unwrap();
            }
        }
        writeln!(new, "q{q} Q0 y{q} 3 1 t").unwrap();
    }
    let documents: String = (1..=queries)
        .flat_map(|q| {
            ["r", "n", "x"].map(|kind| {
                format!("{{\"_id\": \"{kind}{q}\", \"title\": \"Title {q}\", \"text\": \"text {kind}\"}}\n")
            })
        })
        .collect();
    Folder::new()
        .with("data/queries.jsonl", &asked)
        .with("data/qrels/test.tsv", &judged)
        .with("data/corpus.jsonl", &documents)
        .with("old.run", &old)
        .with("new.run", &new)
        .with(
            "spec.yaml",
            &format!(
                "version: 1\nbenchmark: toy\ncollection:\n  beir: data\nconfigurations:\n  old: {{run: old.run}}\n  \
                 new: {{run: new.run}}\nmetrics: [RR@10, nDCG@10]\n{rest}"
            ),
        )
}

#[test]
fn a_spec_is_told_what_its_queries_cannot_show() {
    let folder = benchmark(
        24,
        "thresholds:\n  - {metric: RR@10, min: 0.65}\n  - {metric: RR@10, min: 0.3, segment: {size: small}, for: [new]}\n\
         comparisons:\n  - {candidate: new, baseline: old, metrics: [RR@10], expect: non-inferiority, margin: 0.01}\n  \
         - {candidate: new, baseline: old, metrics: [nDCG@10], tolerance: 0.01}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], expect: improvement, min-gain: 0.01, name: gain}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], segment: {size: small}}\n",
    );
    insta::assert_snapshot!(folder.session(&["lint spec.yaml"]));
}

#[test]
fn limits_that_nothing_breaks_are_problems() {
    let folder = Folder::new().with("mine.run", "q1 Q0 d1 1 2 x\n").with(
        "toy.yaml",
        "version: 1\nbenchmark: toy\ncollection:\n  inline:\n    queries:\n    - {id: q1, text: a, relevant: {d1: 1}}\n\
         configurations:\n  mine: {run: mine.run}\nthresholds:\n  - {metric: RR@10, min: 0}\n  \
         - {metric: P@10, max: 1}\n  - {metric: R@10, min: 0, max: 0.9}\n",
    );
    let said = folder.run("lint toy.yaml").stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("2 gates can never fail: their limits are the ends"), "{said}");
    assert!(said.contains("toy::mine::RR@10 RR@10 is from 0 to 1, line 10"), "{said}");
}

#[test]
fn every_command_plans_alike() {
    let entry = "{candidate: new, baseline: old, metrics: [RR@10], expect: non-inferiority, margin: 0.05}";
    // A third of what `new` finds is in no corpus.
    let folder = benchmark(24, &format!("comparisons:\n  - {entry}\nevidence: {{at-least: 0.6}}\n"));
    let json = |line: &str| -> Value { serde_json::from_str(&folder.run(line).stdout).unwrap() };
    let report = json("run spec.yaml --format json");
    let runs = "data/qrels/test.tsv old.run new.run -m RR@10 --expect non-inferiority --margin 0.05";
    let compared = &json(&format!("compare {runs} --format json"))["comparisons"][0];
    let planned = &json(&format!("power {runs} --format json"))["spreads"][0];
    let gate = &report["gates"][0]["finding"]["comparison"];
    let gate = if gate.is_null() { &report["gates"][0]["finding"] } else { gate };
    let [needed, detectable] = ["queries_needed", "minimum_detectable_effect"].map(|key| &gate[key]);
    assert!(needed.as_u64() > Some(200) && detectable.as_f64() > Some(0.1), "{gate}");
    assert_eq!([&compared["queries_needed"], &compared["minimum_detectable_effect"]], [needed, detectable]);
    assert_eq!(
        [&planned["needed"][0]["queries"], &planned["minimum_detectable_effect"]],
        [needed, detectable]
    );
    // So is how far the number may be off, and the curve that a page draws.
    let between = &gate["queries_needed_between"];
    assert!(between[0].as_u64() < needed.as_u64() && between[1].as_u64() > needed.as_u64(), "{gate}");
    assert_eq!([&compared["queries_needed_between"], &planned["needed"][0]["between"]], [between; 2]);
    assert_eq!(compared["power_curve"], gate["power_curve"]);
    let curve = gate["power_curve"].as_array().unwrap();
    assert!(curve.len() > 5 && curve.iter().any(|point| point["units"] == 24), "{curve:?}");
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lint = flat(folder.run("lint spec.yaml").stdout);
    let detectable = detectable.as_f64().unwrap();
    let note = format!(
        "margin 0.05, needs about {needed} queries ({} to {}), detectable {detectable:.4}, line 10",
        between[0], between[1]
    );
    assert!(lint.contains(&note), "{note}\n{lint}");
    let message = flat(folder.run("run spec.yaml").stdout);
    assert!(
        message.contains(&format!("needs about {needed} queries ({} to {}", between[0], between[1])),
        "{message}"
    );
    // what the gate cautions of is told by both
    let kinds = |one: &Value| -> Vec<String> {
        let cautions = one["cautions"].as_array().unwrap().iter();
        cautions.map(|caution| caution.as_object().unwrap().keys().cloned().collect()).collect()
    };
    assert_eq!(
        (kinds(compared), kinds(gate)),
        (kinds(gate), vec!["statistics".into(), "judged-apart".into()])
    );
}

#[test]
fn false_alarms_of_many_commits_are_told() {
    let golden = "comparisons:\n  - {candidate: new, baseline: golden, metrics: [RR@10, nDCG@10]}\n";
    let told =
        |more: &str| benchmark(24, &format!("{golden}{more}")).run("lint spec.yaml --format json").stdout;
    // 1 - .975^20, ^50, ^100; of .99 1 - .995^k
    let said = told("");
    assert!(said.contains("at least one fails by chance with probability 0.40, 0.72, 0.92"), "{said}");
    assert!(said.contains("`statistics: {confidence: 0.99}`: 0.10, 0.22, 0.39"), "{said}");
    // two families of .99: 1 - .995^(2 k)
    let two = "  - {candidate: old, baseline: golden, metrics: [RR@10]}\nstatistics: {confidence: 0.99}\n";
    let said = told(two);
    assert!(said.contains("2 families") && said.contains("probability 0.18, 0.39, 0.63"), "{said}");
    assert!(!said.contains("where commits are many"), "{said}");
    let advisory = golden.replace("]}", "], level: advisory}");
    assert!(!benchmark(24, &advisory).run("lint spec.yaml").stdout.contains("repeated-looks"));
}

#[test]
fn gates_that_no_data_could_decide_are_problems() {
    let folder = benchmark(
        4,
        "comparisons:\n  - {candidate: new, baseline: old, metrics: [RR@10, nDCG@10], expect: improvement}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], name: drop}\n",
    );
    let ran = folder.run("lint spec.yaml --strict --format json");
    assert_eq!(ran.code, Some(1));
    let health: Value = serde_json::from_str(&ran.stdout).unwrap();
    let note = |code: &str| {
        let finding = health["findings"].as_array().unwrap().iter().find(|one| one["code"] == code).unwrap();
        finding["examples"][0]["note"].as_str().unwrap().to_owned()
    };
    // 2 * 2^-4 = 0.125.
    assert_eq!(
        note("gate-cannot-pass"),
        "the smallest p on 4 queries is 0.1250 times 2 comparisons, the level 0.05, line 10"
    );
    assert_eq!(note("gate-cannot-fail"), "the smallest p on 4 queries is 0.1250, the level 0.05, line 11");
}

#[test]
fn a_large_family_of_gates_on_drops_is_told_what_it_lets_pass() {
    let codes = |metrics: &str, statistics: &str| {
        let entry = format!(
            "comparisons:\n  - {{candidate: new, baseline: old, metrics: [{metrics}]}}\nstatistics: {statistics}\n"
        );
        let ran = benchmark(24, &entry).run("lint spec.yaml --format json");
        let health: Value = serde_json::from_str(&ran.stdout).unwrap();
        let all = health["findings"].as_array().unwrap().clone();
        let one = all.into_iter().find(|one| one["code"] == "no-regression-of-many");
        one.map(|one| one["examples"][0]["note"].as_str().unwrap().to_owned())
    };
    let nine = "RR@1, RR@2, RR@3, RR@4, RR@5, RR@6, RR@7, RR@8, RR@9";
    assert_eq!(codes(nine, "{}"), None);
    let ten = format!("{nine}, RR@10");
    assert_eq!(
        codes(&ten, "{}").unwrap(),
        "one of 10: a drop that no other shows is held against p = 0.0050, line 10"
    );
    assert_eq!(codes(&ten, "{correction: max-t}"), None);
}

#[test]
fn a_pool_shows_what_nobody_judged() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    insta::assert_snapshot!(folder.session(&["pool spec.yaml", "pool spec.yaml -k 2 --queries q2"]));

    let pool = folder.run("pool spec.yaml").stdout;
    let judged: String = pool
        .lines()
        .map(|line| {
            if line.contains("\"y2\"") {
                line.to_owned()
            } else {
                line.replace("\"grade\":null", "\"grade\":1")
            }
        })
        .map(|line| line + "\n")
        .collect();
    let folder = folder.with("judged.jsonl", &judged);
    let before = folder.read("data/qrels/test.tsv");
    // y1 is in no corpus, and the line of y2 has no grade.
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.ends_with("the collection has no document `y1`\n"), "{}", ran.stderr);
    assert_eq!(folder.read("data/qrels/test.tsv"), before);
}

#[test]
fn what_was_merged_is_no_longer_in_the_pool() {
    let folder = benchmark(4, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let pool = folder.run("pool spec.yaml -k 2").stdout;
    assert_eq!(pool.lines().count(), 2, "{pool}");
    let judged = pool.replace("\"grade\":null", "\"grade\":3");
    let pin = "0".repeat(64);
    let folder = folder.with("judged.jsonl", &judged);
    let before = folder.read("data/qrels/test.tsv");
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "2 judgments added to data/qrels/test.tsv\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("data/qrels/test.tsv"), format!("{before}q3\tx3\t3\nq4\tx4\t3\n"));
    let ran = folder.run("pool spec.yaml -k 2");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    assert_eq!(ran.stderr, "everything that old, new returned for 4 queries is judged\n");
    // Once more changes nothing; another grade is an error that names both lines.
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.stdout, "0 judgments added to data/qrels/test.tsv; 2 there already\n");
    let folder = folder.with("other.jsonl", &judged.replace("\"grade\":3", "\"grade\":0"));
    let ran = folder.run("pool --merge other.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert_eq!(
        ran.stderr,
        "error: other.jsonl:1: document `x3` of query `q3` has grade 0 here and 3 in data/qrels/test.tsv:9\n\
         other.jsonl:2: document `x4` of query `q4` has grade 0 here and 3 in data/qrels/test.tsv:10\n"
    );
    // A pin that does not fit is found before anything is written.
    let spec = folder.read("spec.yaml");
    let pinned = |pin: &str| {
        spec.replace("beir: data", &format!("beir: data\n  sha256: {{qrels/test.tsv: \"{pin}\"}}"))
    };
    let folder = folder.with("spec.yaml", &pinned(&pin));
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("this file is not the one that is pinned"), "{}", ran.stderr);
}

#[test]
fn grades_of_another_text_and_off_the_scale_are_told_when_they_are_merged() {
    let folder = benchmark(4, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let pool = folder.run("pool spec.yaml -k 2").stdout;
    let lines: Vec<String> =
        pool.lines().map(|line| line.replace("\"grade\":null", "\"grade\":99") + "\n").collect();
    let stale = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["document_text"] = "as it was".into();
        format!("{line}\n")
    };
    let folder = folder.with("judged.jsonl", &(stale(&lines[0]) + &lines[1]));
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            Some(0),
            "1 judgment added to data/qrels/test.tsv; 1 of another text left out\n",
            "warning: 1 grade is of another text than today's, and left out (judged.jsonl:1): `rankgate pool spec.yaml` lists what to \
             judge again\nwarning: grades above 3 and above all that the collection has (judged.jsonl:2: 99): is that meant?\n"
        )
    );
    let folder = folder.with("judged.jsonl", &lines[0].replace("99", "-1"));
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("judged.jsonl:1: grade -1 says that document"), "{}", ran.stderr);
}

#[test]
fn judged_lines_of_a_pool_stand_beside_a_collection_in_one_file() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let spec = folder.read("spec.yaml").replace("beir: data", "jsonl: queries.jsonl");
    let lines = "{\"id\": \"q2\", \"text\": \"b\", \"relevant\": {\"r2\": 2}}\n";
    let folder = folder.with("spec.yaml", &spec).with("queries.jsonl", lines);
    let pool = folder.run("pool spec.yaml").stdout;
    assert_eq!(pool.lines().count(), 2, "{pool}");
    // One of both is judged.
    let judged: String = pool
        .lines()
        .map(|line| {
            if line.contains("\"y2\"") { line.replace("\"grade\":null", "\"grade\":1") } else { line.into() }
        })
        .map(|line| line + "\n")
        .collect();
    let folder = folder.with("judged.jsonl", &judged);
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (
            Some(2),
            "error: the judgments stand in queries.jsonl, which is left as it is: name the file of the new ones beside \
             it, as `judgments:` of the `collection:`\n"
        )
    );
    let folder = folder
        .with("spec.yaml", &spec.replace("queries.jsonl", "queries.jsonl\n  judgments: judged.jsonl"))
        .with("more.jsonl", "{\"query\": \"q2\", \"document\": \"n2\", \"grade\": 0}\n");
    let ran = folder.run("pool spec.yaml");
    assert!(ran.stdout.lines().count() == 1 && ran.stdout.contains("\"document\":\"n2\""), "{}", ran.stdout);
    let ran = folder.run("pool --merge more.jsonl spec.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "1 judgment added to judged.jsonl\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.run("pool spec.yaml").stdout, "");
    assert_eq!(folder.read("queries.jsonl"), lines);
}

#[test]
fn a_pin_is_told_what_to_become() {
    let folder = benchmark(4, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let pin = rankgate::collection::file_sha256(folder.path("data/qrels/test.tsv")).unwrap();
    let spec = folder
        .read("spec.yaml")
        .replace("beir: data", &format!("beir: data\n  sha256: {{qrels/test.tsv: \"{pin}\"}}"));
    let folder = folder
        .with("spec.yaml", &spec)
        .with("judged.jsonl", "{\"query\": \"q1\", \"document\": \"x4\", \"grade\": 0}\n");
    let ran = folder.run("pool --merge judged.jsonl spec.yaml");
    let now = rankgate::collection::file_sha256(folder.path("data/qrels/test.tsv")).unwrap();
    assert_eq!(
        ran.stdout,
        format!(
            "1 judgment added to data/qrels/test.tsv\nspec.yaml pins qrels/test.tsv: give it this sha256 under \
             `collection:`\n  qrels/test.tsv: \"{now}\"\n"
        )
    );
    assert_eq!(folder.run("pool spec.yaml").code, Some(2));
    let folder = folder.with("spec.yaml", &spec.replace(&pin, &now));
    assert_eq!(folder.run("pool spec.yaml").code, Some(0));
}

#[test]
fn retrievers_of_rust_are_left_out_and_named() {
    let with = |more: &str| {
        let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
        let spec = folder.read("spec.yaml").replace("metrics:", &format!("{more}metrics:"));
        folder.with("spec.yaml", &spec)
    };
    let ran = with("  mine: {retriever: mine}\n").run("pool spec.yaml -k 1");
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.stderr.starts_with(
            "warning: mine is left out: could not be set up: it is registered from Rust, which `cargo test` can ask"
        ),
        "{}",
        ran.stderr
    );
    // What is broken is not what cannot be: that something is missing is said by the exit status too.
    let ran = with("  gone: {run: gone.run}\n").with("gone.run", "q1 Q0\n").run("pool spec.yaml -k 1");
    let warning = "warning: gone is left out: gone.run:1: expected 6 columns, found 2; a run is `query Q0 document rank score tag`: `q1 Q0`";
    assert_eq!((ran.code, ran.stderr.lines().next()), (Some(2), Some(warning)));
    let alone = with("")
        .read("spec.yaml")
        .replace("{run: old.run}", "{retriever: a}")
        .replace("{run: new.run}", "{retriever: a}");
    let ran = with("").with("spec.yaml", &alone).run("pool spec.yaml");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.ends_with("error: no configuration could be asked\n"), "{}", ran.stderr);
}

#[test]
fn for_retrievers_of_rust_the_last_test_run_speaks_and_else_the_golden_run() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let with = |source: &str| {
        folder.read("spec.yaml").replace("metrics:", &format!("  mine: {{{source}}}\nmetrics:"))
    };
    let (spec, frozen) = (with("retriever: mine"), with("run: mine.run"));
    let run = |document: &str| format!("q1 Q0 {document} 1 1.0 mine\n");
    // What a test run would write.
    let folder = folder.with("spec.yaml", &frozen).with("mine.run", &run("x1"));
    assert_eq!(folder.run("bless spec.yaml").code, Some(0));
    let folder = folder.with("spec.yaml", &spec);
    let said = |folder: &Folder, document: &str, of: &str| {
        let pool = folder.run("pool spec.yaml -k 1");
        assert_eq!(pool.code, Some(0), "{}", pool.stderr);
        let ranks = format!("\"document\":\"{document}\"");
        assert!(pool.stdout.contains(&ranks) && pool.stdout.contains("\"mine\":1"), "{}", pool.stdout);
        assert!(pool.stderr.contains(&format!("mine is not asked but read: {of}")), "{}", pool.stderr);
        assert!(pool.stderr.contains("; changed since: parameters"), "{}", pool.stderr);
        let lint = folder.run("lint spec.yaml");
        assert!(lint.stdout.contains("1 of 3 configurations were not asked but read"), "{}", lint.stdout);
        assert!(lint.stdout.contains(of) && !lint.stdout.contains("were not measured"), "{}", lint.stdout);
    };
    said(&folder, "x1", "golden/toy/mine.run, the blessed run");
    let folder = folder.with("spec.yaml", &frozen).with("mine.run", &run("r2"));
    folder.run("run spec.yaml");
    let folder = folder.with("spec.yaml", &spec);
    said(&folder, "r2", "target/rankgate/toy/mine.run, made 2");
    // To decide gates it is no retriever.
    let ran = folder.run("run spec.yaml");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("cannot run `mine`"), "{}", ran.stderr);
}

#[test]
fn specs_of_one_collection_are_pooled_together() {
    let folder = benchmark(4, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let other = folder.read("spec.yaml").replace("benchmark: toy", "benchmark: other");
    let folder = folder.with("other.yaml", &other).with(
        "third.yaml",
        "version: 1\nbenchmark: third\ncollection:\n  inline:\n    queries:\n      - {id: q1, text: a, relevant: [d]}\n\
         configurations:\n  old: {run: old.run}\nthresholds:\n  - {metric: RR@10, min: 0.1}\n",
    );
    let ran = folder.run("pool spec.yaml other.yaml -k 2 --queries q4");
    let line: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(line["ranks"], serde_json::json!({"other::old": 2, "toy::old": 2}));
    let ran = folder.run("pool spec.yaml third.yaml");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("toy and third have different queries or judgments"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_pooled_or_merged_ends_with_2() {
    let folder = benchmark(2, "thresholds:\n  - {metric: RR@10, min: 0.1}\n");
    let inline = folder
        .read("spec.yaml")
        .replace("beir: data", "inline:\n    queries:\n      - {id: q1, text: a, relevant: [d]}");
    let folder = folder
        .with("inline.yaml", &inline)
        .with("judged.jsonl", "{\"query\": \"q1\", \"document\": \"x1\", \"grade\": 1}\n")
        .with("slip.jsonl", "{\"query\": \"q9\", \"document\": \"x1\", \"grade\": 1}\n")
        .with("half.jsonl", "{\"query\": \"q1\", \"document\": \"x1\", \"grade\": 1}\n{\"query\": \"q1\"}\n");
    insta::assert_snapshot!(folder.session(&[
        "pool",
        "pool spec.yaml -k 0",
        "pool spec.yaml --queries q1 q9",
        "pool nowhere.yaml",
        "pool --merge judged.jsonl inline.yaml",
        "pool --merge slip.jsonl spec.yaml",
        "pool --merge half.jsonl spec.yaml",
        "pool --merge nowhere.jsonl spec.yaml",
        "pool --merge judged.jsonl spec.yaml inline.yaml",
        "pool --into b.tsv spec.yaml",
    ]));
    assert!(!folder.path("b.tsv").exists());
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
    for told in ["queries    1 judged; 1 word\n", "documents  1; 1 word\n", "1 judged query is few: "] {
        assert!(one.stdout.contains(told), "{told:?} in\n{}", one.stdout);
    }
    let none = folder.run("lint none.json");
    assert_eq!((none.code, none.stderr.as_str()), (Some(2), "error: none.json: the file is empty\n"));
}

#[test]
fn metrics_of_documents_that_cannot_be_computed_are_found() {
    let spec = |metrics: &str| {
        format!(
            "version: 1\nbenchmark: toy\ncollection: {{beir: data}}\nconfigurations: {{mine: {{run: mine.run}}}}\nmetrics: [{metrics}]\nthresholds: [{{metric: R@5, min: 0.1}}]\n"
        )
    };
    let folder = Folder::new()
        .with("data/queries.jsonl", "{\"_id\": \"q1\", \"text\": \"refunds\"}\n")
        .with("data/corpus.jsonl", "{\"_id\": \"d1\", \"text\": \"refunds\", \"source\": \"faq\"}\n{\"_id\": \"d2\", \"text\": \"x\"}\n")
        .with("data/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t1\n")
        .with("bare/queries.jsonl", "{\"_id\": \"q1\", \"text\": \"refunds\"}\n")
        .with("bare/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")
        .with("mine.run", "q1 Q0 d1 1 9 x\n")
        .with("toy.yaml", &spec("Distinct(surce)@5, Exposure(source)@5, Copies@5"))
        .with("bare.yaml", &spec("Distinct(source)@5, Exposure(source)@5, Copies@5").replace("beir: data", "beir: bare"));
    let lint = |file: &str| {
        folder.run(&format!("lint {file}")).stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = lint("toy.yaml");
    for expected in [
        "1 metric cannot be computed",
        "Distinct(surce)@5",
        "no document has `surce` in its metadata",
        "1 relevant document lacks a key that a metric compares",
        "no source, for Exposure(source)@5",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    let text = lint("bare.yaml");
    for expected in ["2 metrics cannot be computed", "Exposure(source)@5", "Copies@5"] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn what_attributes_know_nothing_of_is_found() {
    let folder = Folder::new()
        .with(
            "data/queries.jsonl",
            "{\"_id\": \"q1\", \"text\": \"refunds\", \"tenant\": \"acme\"}\n{\"_id\": \"q2\", \"text\": \"delivery\", \"tenant\": \"acmee\"}\n",
        )
        .with(
            "data/corpus.jsonl",
            "{\"_id\": \"d1\", \"text\": \"refunds\", \"tenant\": \"acme\"}\n{\"_id\": \"d2\", \"text\": \"delivery\"}\n",
        )
        .with("data/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td1\t1\n")
        .with("mine.run", "q1 Q0 d1 1 9 x\nq2 Q0 d1 1 9 x\n")
        .with(
            "toy.yaml",
            "version: 1\nbenchmark: toy\ncollection: {beir: data}\nconfigurations: {mine: {run: mine.run}}\nattributes:\n  leak: \
             {tenant: {not: $query.tenant}}\n  stale: {year: {less-than: 2020}}\nthresholds: [{metric: Count(leak)@5, max: 0}]\n",
        );
    let text = folder.run("lint toy.yaml").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "1 of 2 attributes is counted by no metric",
        "such as `Count(stale)@10`",
        "1 attribute cannot be tested",
        "no document has `year` in its metadata",
        "1 document lacks a key that an attribute tests",
        "no tenant, for leak",
        "1 query has a value that no document has",
        "tenant \"acmee\", and no document has it as tenant",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn turns_without_what_was_said_before_are_found() {
    let spec = "version: 1\nbenchmark: toy\ncollection: {jsonl: turns.jsonl}\nconfigurations: {mine: {run: mine.run}}\n\
                thresholds: [{metric: RR, min: 0.1}]\n";
    let folder = Folder::new()
        .with(
            "turns.jsonl",
            "{\"id\": \"a\", \"text\": \"when are you open?\", \"session_id\": 7, \"turn\": 1, \"relevant\": [\"d1\"]}\n\
             {\"id\": \"b\", \"text\": \"and in winter?\", \"session_id\": 7, \"turn\": 2, \"relevant\": [\"d2\"]}\n",
        )
        .with("mine.run", "a Q0 d1 1 9 x\nb Q0 d2 1 9 x\nb Q0 d3 2 8 x\n")
        .with("toy.yaml", spec)
        .with("turns.yaml", &spec.replace("turns.jsonl", "turns.jsonl, turns: {conversation: session_id}"));
    let said = |spec: &str| {
        let text = folder.run(&format!("lint {spec}")).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let text = said("toy.yaml");
    for expected in [
        "1 query is a later turn of a conversation by `session_id` and `turn`, and is asked without what was said before",
        "and in winter?",
        "`collection: {turns: {conversation: session_id}}` gives retrievers",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!said("turns.yaml").contains("later turn"));
    // Who judges documents for a turn reads what was said before it.
    let pool = folder.run("pool turns.yaml").stdout;
    assert!(pool.contains("user: when are you open?\\n\\nThe query:\\nand in winter?"), "{pool}");
}
