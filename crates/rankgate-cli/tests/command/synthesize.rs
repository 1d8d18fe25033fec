//! `rankgate synthesize` as a user types it, and gates on what it writes.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;

const SUBJECTS: [&str; 12] = [
    "kettle", "toaster", "blender", "freezer", "heater", "shaver", "vacuum", "dryer", "radio", "lamp",
    "scale", "clock",
];

/// Twelve documents with words of their own, one query of a person, and a spec with a judge.
fn prepared() -> Folder {
    let folder = Folder::new();
    let document = |(n, name): (usize, &&str)| {
        let own: String = (0..6).map(|k| format!("{name}part{k} ")).collect();
        let text = format!(
            "The {name} has these parts which you can order from us at any time of the year: {own}and so on"
        );
        format!(
            "{}\n",
            json!({"_id": format!("d{n:02}"), "title": format!("Parts of the {name}"), "text": text})
        )
    };
    let corpus: String = SUBJECTS.iter().enumerate().map(document).collect();
    folder.write("data/corpus.jsonl", &corpus);
    folder.write("data/queries.jsonl", "{\"_id\": \"q1\", \"text\": \"parts of the toaster\"}\n");
    folder.write("data/qrels/test.tsv", "q1\td01\t1\n");
    folder.write("toy.yaml", &spec("beir: data"));
    folder.write("no.run", "q1 Q0 d01 1 1 t\n");
    folder
}

fn lines(folder: &Folder, name: &str) -> Vec<Value> {
    folder.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn spec(collection: &str) -> String {
    format!(
        "version: 1\nbenchmark: toy\ncollection: {{{collection}}}\nconfigurations:\n  words: {{builtin: bm25}}\n  kept: {{run: no.run}}\n\
         metrics: [RR@10]\nthresholds: [{{metric: RR@10, min: 0.2, for: [words]}}]\n"
    )
}

#[test]
fn titles_and_words_become_queries_that_name_their_document() {
    let folder = prepared();
    fs::create_dir_all(folder.path("benchmarks")).unwrap();
    let text = folder.read("toy.yaml");
    folder.write("benchmarks/toy.yaml", &text.replace("data", "../data").replace("no.run", "../no.run"));
    let line = "synthesize benchmarks/toy.yaml --kind titles";
    let said = folder.asking("", line, 0);
    for part in [
        "11 queries in benchmarks/synthetic (1 document left out: ",
        "collection: {trec: {queries: synthetic/queries.jsonl, qrels: synthetic/qrels/test.tsv, corpus: ...}}",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let first = &lines(&folder, "benchmarks/synthetic/queries.jsonl")[0];
    let metadata = json!({"kind": "titles", "origin": "synthetic", "source": "d00"});
    assert_eq!(first, &json!({"_id": "titles-d00", "text": "Parts of the kettle", "metadata": metadata}));
    let judged = folder.read("benchmarks/synthetic/qrels/test.tsv");
    assert!(judged.contains("titles-d00\td00\t1\n") && judged.lines().count() == 1 + 11, "{judged}");
    let refused = folder.asking("", &format!("{line} --documents 3"), 2);
    assert!(refused.contains("benchmarks/synthetic/queries.jsonl exists: --replace"), "{refused}");
    folder.asking("", &format!("{line} --documents 3 --replace"), 0);
    assert_eq!(lines(&folder, "benchmarks/synthetic/queries.jsonl").len(), 3);
    folder.asking("", "synthesize toy.yaml --kind terms --documents 6 --output more", 0);
    assert_eq!(lines(&folder, "more/queries.jsonl").len(), 6);
}

#[test]
fn a_min_on_made_queries_alone_only_advises() {
    let folder = prepared();
    folder.asking("", "synthesize toy.yaml --kind titles", 0);
    let alone = "trec: {queries: synthetic/queries.jsonl, qrels: synthetic/qrels/test.tsv, corpus: data/corpus.jsonl}";
    let text = spec(alone)
        .replace("  kept: {run: no.run}\n", "  stemmed: {builtin: bm25, params: {stemmer: english}}\n");
    folder.write("alone.yaml", &text);
    let said = folder.asking("", "run alone.yaml", 2);
    assert!(
        said.contains("ERROR")
            && said.contains("all of its queries were made from documents (`origin: synthetic`)"),
        "{said}"
    );
    folder.write("alone.yaml", &text.replace("for: [words]", "level: advisory"));
    folder.asking("", "run alone.yaml", 0);
    let compared = "comparisons: [{candidate: stemmed, baseline: words, metrics: [RR@10], margin: 0.5}]";
    let thresholds = text.lines().find(|line| line.starts_with("thresholds")).unwrap();
    folder.write("alone.yaml", &text.replace(thresholds, compared));
    folder.asking("", "run alone.yaml", 0);
    // Where others stand beside them, the spec says which are meant.
    let segment = "thresholds: [{metric: RR@10, min: 0.2, segment: {origin: synthetic}, for: [words]}]";
    folder.write("toy.yaml", &spec("beir: data").replace(thresholds, segment));
    let said = folder.asking("", "run toy.yaml", 2);
    assert!(
        said.contains("toy.yaml:8:") && said.contains("queries made from documents say little of how good"),
        "{said}"
    );
}

/// Documents of a few words give no query: what they lack is said, and nothing is claimed to be written.
#[test]
fn what_gives_no_query_says_why() {
    let folder = prepared();
    folder.write("data/corpus.jsonl", "{\"_id\": \"d01\", \"text\": \"a toaster\"}\n");
    for (kind, needs) in [("terms", "a text of 20 words or more"), ("titles", "A title of 2 to 30 words")] {
        let said = folder.asking("", &format!("--quiet synthesize toy.yaml --kind {kind}"), 2);
        assert!(said.contains("no document gives a query") && said.contains(needs), "{said}");
        assert!(!folder.path("synthetic").exists());
    }
}
