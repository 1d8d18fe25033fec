//! Titles of documents beside their ids, where a corpus has any.

use crate::toy_spec::Folder;

#[test]
fn messages_show_titles_of_documents() {
    let folder = Folder::new();
    let corpus = "{\"_id\": \"d1\", \"title\": \"Lost parcels\", \"text\": \"a\"}\n\
                  {\"_id\": \"d2\", \"text\": \"without a title\"}\n\
                  {\"_id\": \"d3\", \"title\": \"Wet parcels\", \"text\": \"b\"}\n";
    folder.write("data/corpus.jsonl", corpus);
    folder.write("data/queries.jsonl", "{\"_id\": \"q1\", \"text\": \"where is it?\"}\n");
    folder.write("data/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t1\n");
    folder.write("old.run", "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\n");
    folder.write("new.run", "q1 Q0 d3 1 3 t\nq1 Q0 d2 2 2 t\n");
    folder.write(
        "toy.yaml",
        "version: 1\nbenchmark: toy\ncollection: {beir: data}\n\
         configurations: {old: {run: old.run}, new: {run: new.run}}\nmetrics: [nDCG@2]\n\
         thresholds: [{metric: nDCG@2, min: 0.9, for: new}]\n\
         comparisons: [{candidate: new, baseline: old, expect: identical}]\n",
    );
    let ran = folder.rankgate(&["run", "toy.yaml", "--output", "out"]).ends_with(1);
    // Where relevant documents are.
    assert!(ran.stdout.contains(" d1  Lost parcels  (grade 1) not retrieved\n"), "{}", ran.all());
    assert!(ran.stdout.contains(" d2 (grade 1) rank 2\n"), "{}", ran.all());
    // The first documents that differ.
    assert!(ran.stdout.contains(" d1  Lost parcels\n"), "{}", ran.all());
    assert!(ran.stdout.contains(" d3  Wet parcels  instead\n"), "{}", ran.all());
    let page = folder.read("out/toy/report.html");
    let line = r#"{"document":"d1","title":"Lost parcels","said":" (grade 1) not retrieved"}"#;
    assert!(page.contains(line), "{page}");
}
