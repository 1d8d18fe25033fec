//! Progress, parameters and variants, as the command shows them.

use crate::repository::root;
use crate::toy_spec::Folder;
use insta::assert_snapshot;

#[test]
fn where_nobody_watches_a_terminal_progress_is_two_lines_a_configuration() {
    let folder = Folder::new();
    let spec = root().join("examples/helpdesk.yaml");
    let spec = spec.to_str().unwrap();
    let filter = ["--filter", "helpdesk::words::nDCG@10", "--format", "json"];
    let ran = folder.rankgate(&[&["run", spec], &filter[..]].concat()).ends_with(0);
    assert_eq!(
        ran.stderr,
        "helpdesk: asking words: 162 queries\nhelpdesk: asked words: 162 of 162 queries\n\
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

/// Three queries: of the first one word is found for all a slip, the second is one word that is missed, and the third
/// is a number.
const VARIANTS: &str = "version: 1
benchmark: toy
collection:
  inline:
    documents: {d1: cancel my subscription, d2: where are my parcels, d3: HTTP 404}
    queries:
      - {id: q1, text: cancel subscription, relevant: [d1]}
      - {id: q2, text: parcels, relevant: [d2]}
      - {id: q3, text: \"404\", relevant: [d3]}
configurations:
  words: {builtin: bm25}
variants:
  typos: {kind: typos, seed: 7}
  spoken: {kind: file, queries: spoken.tsv, for: words}
metrics: [RR@10]
snapshot: true
evidence: {at-least: 0.5}
thresholds: [{metric: RR@10, min: 0.5, max: 0.5, for: [words@typos]}]
comparisons:
  - {candidate: words@typos, baseline: words, metrics: [RR@10], level: advisory}
  - {candidate: words@typos, baseline: golden, metrics: [RR@10]}
";

#[test]
fn variants_are_printed_measured_and_blessed() {
    let folder = Folder::new();
    folder.write("toy.yaml", VARIANTS);
    folder.write("spoken.tsv", "q1\tplease cancel it\n");
    let printed = folder.rankgate(&["variants", "toy.yaml"]).ends_with(0);
    assert_snapshot!(printed.all());
    let lines = folder.rankgate(&["variants", "toy.yaml", "spoken", "--format", "jsonl"]).ends_with(0);
    assert_eq!(lines.stdout, "{\"asked-as\":\"q1@spoken\",\"id\":\"q1\",\"text\":\"please cancel it\"}\n");
    // What is printed is a file of variants.
    folder.write("spoken.tsv", &lines.stdout);
    assert_eq!(
        folder.rankgate(&["variants", "toy.yaml", "spoken", "--format", "jsonl"]).stdout,
        lines.stdout
    );
    let unknown = folder.rankgate(&["variants", "toy.yaml", "typo"]).ends_with(2);
    assert!(
        unknown.stderr.contains("no variant is called `typo`: there is typos, spoken"),
        "{}",
        unknown.stderr
    );

    folder.rankgate(&["bless", "toy.yaml"]).ends_with(0);
    for file in ["words.run", "words.snap", "words+typos.run", "words+typos.snap", "words+spoken.snap"] {
        assert!(folder.path(&format!("golden/toy/{file}")).is_file(), "{file}");
    }
    let snapshot = folder.read("golden/toy/words+typos.snap");
    assert!(snapshot.contains("queries without a variant, left out     1\n"), "{snapshot}");
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert!(!ran.stdout.contains("belong"), "no file is an orphan: {}", ran.stdout);
    assert!(folder.path("target/rankgate/toy/words+typos.run").is_file());
    let lint = folder.rankgate(&["lint", "toy.yaml"]).ends_with(0);
    assert!(
        lint.stdout.contains("(scarce-variants)\n  spoken  file spoken.tsv\n    1 of 3 queries, line 14\n"),
        "{}",
        lint.stdout
    );
    // Another seed asks something else, which is no fault of the retriever.
    folder.write("toy.yaml", &VARIANTS.replace("seed: 7", "seed: 8"));
    let ran = folder.rankgate(&["run", "toy.yaml"]);
    assert!(ran.stdout.contains("inputs changed since words@typos was blessed: queries"), "{}", ran.stdout);
    // A file of a variant that is no more belongs to nobody.
    folder.write("toy.yaml", &VARIANTS.replace("spoken:", "heard:"));
    let ran = folder.rankgate(&["run", "toy.yaml"]);
    assert!(ran.stdout.contains("golden/toy/words+spoken.run"), "{}", ran.stdout);
}
