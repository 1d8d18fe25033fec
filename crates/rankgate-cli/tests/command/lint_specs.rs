//! `rankgate lint` of specs: what their queries cannot show, gates that nothing decides, metrics that cannot be computed.

use serde_json::Value;

use crate::folder::{Folder, benchmark};

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
fn a_spec_is_told_what_its_queries_cannot_show() {
    let folder = benchmark(
        24,
        "thresholds:\n  - {metric: RR@10, min: 0.65}\n  - {metric: RR@10, min: 0.3, segment: {size: small}, for: [new]}\n\
         comparisons:\n  - {candidate: new, baseline: old, metrics: [RR@10], expect: non-inferiority, margin: 0.01}\n  \
         - {candidate: new, baseline: old, metrics: [nDCG@10], margin: 0.01}\n  \
         - {candidate: new, baseline: old, metrics: [RR@10], expect: improvement, margin: 0.01, name: gain}\n  \
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
             {tenant: {not: $query.tenant}}\n  stale: {year: 2020}\nthresholds: [{metric: Count(leak)@5, max: 0}]\n",
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
