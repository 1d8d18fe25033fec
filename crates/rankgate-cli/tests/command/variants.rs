//! Progress and parameters as the command shows them, and variants of queries.

use crate::repository::root;
use crate::toy_spec::Folder;

#[test]
fn where_nobody_watches_a_terminal_progress_is_two_lines_a_configuration() {
    let folder = Folder::new();
    let spec = root().join("examples/helpdesk.yaml");
    let spec = spec.to_str().unwrap();
    let filter = ["--filter", "helpdesk::words::nDCG@10", "--format", "json"];
    let ran = folder.rankgate(&[&["run", spec], &filter[..]].concat()).ends_with(0);
    assert_eq!(
        ran.stderr,
        "helpdesk: asking words: 162 queries\nhelpdesk: asking words: 162 of 162 queries\n\
         helpdesk: full report: target/rankgate/helpdesk/report.html\n"
    );
    let quiet = folder.rankgate(&[&["--quiet", "run", spec], &filter[..]].concat()).ends_with(0);
    assert_eq!(quiet.stderr, "");
}

/// A parameter that is misspelt keeps a configuration from being measured: what has changed since it was
/// blessed has nothing to do with that.
#[test]
fn a_wrong_parameter_is_told_without_what_else_has_changed() {
    let folder = Folder::new().judged();
    let corpus: String = (1..=12).map(|query| format!("d{query}\tquestion {query}\n")).collect();
    folder.write("corpus.tsv", &format!("r\tquestion\nn\tanswer\n{corpus}"));
    let spec = |configuration: &str| {
        let collection = "{trec: {queries: topics.tsv, qrels: qrels.txt, corpus: corpus.tsv}}";
        format!(
            "version: 1\nbenchmark: toy\ncollection: {collection}\nconfigurations:\n  words: {configuration}\n\
             metrics: [RR@2]\nsnapshot: true\nthresholds:\n  - {{metric: RR@2, min: 0}}\n"
        )
    };
    folder.write("toy.yaml", &spec("{builtin: bm25}"));
    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    folder.write("toy.yaml", &spec("{builtin: bm25, params: {stemer: english}}"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert!(ran.all().contains("did you mean `stemmer`?"), "{}", ran.all());
    assert!(!ran.all().contains("inputs changed"), "{}", ran.all());
}

#[test]
fn variants_are_the_queries_of_another_collection() {
    let folder = Folder::new();
    folder.write("queries.tsv", "q1\tcancel subscription\nq2\tparcels\nq3\t404\n");
    folder.write("qrels.tsv", "q1\td1\t1\nq2\td2\t1\nq3\td3\t1\n");
    folder.write("corpus.tsv", "d1\tcancel my subscription\nd2\twhere are my parcels\nd3\tHTTP 404\n");
    let typos = ["variants", "queries.tsv", "--kind", "typos", "--seed", "7", "--out", "typos.jsonl"];
    let ran = folder.rankgate(&typos).ends_with(0);
    assert!(ran.stderr.contains("1 of 3 queries keep their text"), "{}", ran.stderr);
    // So that an update does not change everyone's numbers unnoticed.
    assert_eq!(
        folder.read("typos.jsonl"),
        "{\"_id\":\"q1\",\"metadata\":{\"changed\":true},\"text\":\"cance subscription\"}\n\
         {\"_id\":\"q2\",\"metadata\":{\"changed\":true},\"text\":\"parcls\"}\n\
         {\"_id\":\"q3\",\"metadata\":{\"changed\":false},\"text\":\"404\"}\n"
    );
    // By hand: one word of the first is as it was, the only word of the second is missed, and the third is a number.
    folder.write(
        "typos.yaml",
        "version: 1\nbenchmark: typos\ncollection: {trec: {queries: typos.jsonl, qrels: qrels.tsv, corpus: corpus.tsv}}\n\
         coverage: 0.5\nconfigurations: {words: {builtin: bm25}}\nthresholds:\n\
         - {metric: RR@10, min: 0.6666, max: 0.6667}\n\
         - {metric: RR@10, min: 0.5, max: 0.5, segment: {changed: true}}\n",
    );
    folder.rankgate(&["run", "typos.yaml"]).ends_with(0);
    let ran = folder.rankgate(&["variants", "queries.tsv", "--kind", "keywords"]).ends_with(2);
    assert!(ran.stderr.contains("the rule changes none of the 3 queries"), "{}", ran.stderr);
}
