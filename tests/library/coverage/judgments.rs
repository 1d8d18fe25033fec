//! Judgments, documents and queries that are not there.

use rankgate::benchmark::model::{Covered, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::run::RunReader;
use rankgate::{Collection, Evaluation, report};

use super::{EITHER, Folder, QUERIES, counts, id, panic_message, reason, run, verdicts};

#[test]
fn a_baseline_of_another_corpus_shows_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| 2 + query % 3));
    // A third of what it finds is of no document, the relevant ones among them.
    let foreign: String = run(0..QUERIES, |_| 1)
        .lines()
        .map(|line| {
            let of_third =
                ["q00", "q03", "q06", "q09", "q12", "q15", "q18"].iter().any(|id| line.starts_with(id));
            if of_third { format!("{}\n", line.replacen(" q", " old/q", 1)) } else { format!("{line}\n") }
        })
        .collect();
    folder.write("old.run", &foreign);
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report), [Verdict::Error, Verdict::Error]);
    let said = reason(&report.gates[1]);
    assert!(
        said.starts_with(
            "52 of 80 results of old are in the corpus (65%). 90% is needed. Make the run on this corpus"
        ),
        "{said}"
    );
    assert!(said.contains("(`old/q00-0`, `old/q00-1`"), "{said}");
    // A candidate's count as well.
    let turned = "thresholds:\n  - {metric: RR@10, min: 0.1, for: [old]}\n";
    assert_eq!(verdicts(&folder.decide(turned)), [Verdict::Error]);
    // Without a corpus nobody knows.
    std::fs::remove_file(folder.path("data/corpus.jsonl")).unwrap();
    assert_eq!(verdicts(&folder.decide(turned)), [Verdict::Passed]);
}

#[test]
fn judgments_that_were_cut_off_decide_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| if query < 2 { 1 } else { 4 }));
    let gates = format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new]}}\n{EITHER}");
    assert_eq!(verdicts(&folder.decide(&gates)), [Verdict::Failed; 3]);
    folder.judge("test", 0..2, |_| true);
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Error; 3]);
    let said = reason(&report.gates[0]);
    assert!(
        said.starts_with(
            "2 of 20 queries are judged (10%). 90% is needed. Restore the judgments (`q02`, `q03`"
        ),
        "{said}"
    );
    // Queries that another split judges are no part of this one.
    folder.judge("train", 2..QUERIES, |_| true);
    assert_eq!(verdicts(&folder.decide(&gates))[..2], [Verdict::Passed, Verdict::Passed]);
}

#[test]
fn a_golden_run_remembers_how_much_was_judged() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |query| if query < 2 { 1 } else { 3 }));
    let gates = "thresholds:\n  - {metric: RR@10, min: 0.3, for: [new]}\ncomparisons:\n  - {candidate: new, baseline: \
                 golden, metric: RR@10}\n";
    if !folder.bless(gates) {
        return; // on a CI machine nothing is blessed
    }
    let head = std::fs::read_to_string(folder.path("golden/toy/new.run")).unwrap();
    assert!(head.contains("# judgeable: 20\n"), "{head}");
    assert_eq!(verdicts(&folder.decide(gates)), [Verdict::Passed, Verdict::Passed]);
    // Queries, judgments and the run are cut alike, so that nothing else shows it.
    folder.judge("test", 0..2, |_| true);
    folder.judge("train", 2..QUERIES, |_| true);
    let report = folder.decide(gates);
    assert_eq!(verdicts(&report), [Verdict::Error, Verdict::Error]);
    let said = reason(&report.gates[0]);
    assert!(
        said.starts_with("2 of 20 queries are judged, compared with the day on which new was blessed (10%)"),
        "{said}"
    );
    assert!(
        report.gates[0].advice.iter().any(|advice| advice.value.contains("RANKGATE_BLESS")),
        "{report:?}"
    );
    // Judged they are, but nothing is relevant any more.
    folder.judge("test", 0..QUERIES, |query| query < 2);
    std::fs::remove_file(folder.path("data/qrels/train.tsv")).unwrap();
    let skipping = format!("skip-queries-without-relevant: true\n{gates}");
    let report = folder.decide(&skipping);
    assert_eq!(verdicts(&report), [Verdict::Error, Verdict::Error]);
    let said = reason(&report.gates[0]);
    assert!(
        said.starts_with(
            "2 of 20 queries have a relevant document, compared with the day on which new was blessed"
        ),
        "{said}"
    );
    // Blessing is what mends it.
    assert!(folder.bless(&skipping));
    assert_eq!(verdicts(&folder.decide(&skipping)), [Verdict::Passed, Verdict::Passed]);
}

#[test]
fn a_golden_run_that_shares_few_queries_decides_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let gates = "comparisons:\n  - {candidate: new, baseline: golden, metric: RR@10}\n";
    // All queries but the first were called otherwise on that day.
    let (queries, then) =
        (std::fs::read_to_string(folder.path("data/queries.jsonl")).unwrap(), |text: &str| {
            text.replace("q0", "p0").replace("q1", "p1").replace("p00", "q00")
        });
    folder.write("data/queries.jsonl", &then(&queries));
    let judged = std::fs::read_to_string(folder.path("data/qrels/test.tsv")).unwrap();
    folder.write("data/qrels/test.tsv", &then(&judged));
    for name in ["old.run", "new.run"] {
        folder.write(name, &then(&run(0..QUERIES, |_| 1)));
    }
    let corpus = std::fs::read_to_string(folder.path("data/corpus.jsonl")).unwrap();
    std::fs::remove_file(folder.path("data/corpus.jsonl")).unwrap();
    if !folder.bless(gates) {
        return; // on a CI machine nothing is blessed
    }
    folder.write("data/queries.jsonl", &queries);
    folder.write("data/qrels/test.tsv", &judged);
    folder.write("data/corpus.jsonl", &corpus);
    folder.write("old.run", &run(0..QUERIES, |_| 1));
    folder.write("new.run", &run(0..QUERIES, |_| 4));
    let report = folder.decide(gates);
    assert_eq!(verdicts(&report), [Verdict::Error]);
    let said = reason(&report.gates[0]);
    assert!(said.starts_with("1 of 39 queries is in golden as well (2.5%). 90% is needed."), "{said}");
    assert!(said.contains("Bless on today's queries"), "{said}");
}

#[test]
fn queries_without_a_relevant_document_decide_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..QUERIES, |_| 4));
    folder.judge("test", 0..QUERIES, |query| query == 0);
    let gates = format!("thresholds:\n  - {{metric: RR@10, max: 0.9, for: [new]}}\n{EITHER}");
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Error; 3]);
    let said = reason(&report.gates[2]);
    assert!(said.starts_with("1 of 20 queries has a relevant document (5%). 90% is needed."), "{said}");
    assert!(said.contains("`skip-queries-without-relevant`"), "{said}");
    // It is meant where the spec leaves them out, and says nothing of metrics that ask for no relevance.
    let skipping = format!("skip-queries-without-relevant: true\n{gates}");
    assert!(!verdicts(&folder.decide(&skipping)).contains(&Verdict::Error));
    let of_rankings =
        "comparisons:\n  - {candidate: new, baseline: old, expect: overlap, cutoff: 4, min: 0.9}\n";
    assert_eq!(verdicts(&folder.decide(of_rankings)), [Verdict::Passed]);
}

/// Both sides lose what nobody can find, so that a comparison sees no difference.
#[test]
fn relevant_documents_that_the_corpus_lacks_decide_nothing() {
    let folder = Folder::new();
    let corpus = std::fs::read_to_string(folder.path("data/corpus.jsonl")).unwrap();
    let keep = |queries: std::ops::Range<usize>| {
        let lost = |line: &&str| queries.clone().any(|query| line.contains(&format!("{}-0", id(query))));
        let kept: Vec<&str> = corpus.lines().filter(|line| !lost(line)).collect();
        folder.write("data/corpus.jsonl", &kept.join("\n"));
    };
    let nothing =
        run(0..QUERIES, |_| 4).lines().filter(|line| !line.contains("-0 ")).collect::<Vec<_>>().join("\n");
    for side in ["old.run", "new.run"] {
        folder.write(side, &nothing);
    }
    let gates = format!("thresholds:\n  - {{metric: RR@10, max: 0.9, for: [new]}}\n{EITHER}");
    keep(0..17);
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Error; 3]);
    assert_eq!(
        reason(&report.gates[1]),
        "3 of 20 queries have a relevant document in the corpus (15%). 90% is needed. Restore the documents and their texts, or \
         use the judgments of this corpus (`q00`, `q01`, `q02`, `q03`, `q04`, 12 more).\nIf this is intended, write \
         `coverage: 0.15` beside the gate, or in the spec for all of its gates."
    );
    // An emptied document is as good as none, where others have a text.
    let emptied: Vec<String> = corpus
        .lines()
        .map(|line| match (0..17).any(|query| line.contains(&format!("{}-0", id(query)))) {
            true => line.replace("\"text\": \"x\"", "\"text\": \" \""),
            false => line.to_owned(),
        })
        .collect();
    folder.write("data/corpus.jsonl", &emptied.join("\n"));
    let report = folder.decide(&gates);
    assert_eq!(counts(&report.gates[1]), [(Covered::Findable, 3, 20)]);
    folder.write("data/corpus.jsonl", &corpus.replace("\"text\": \"x\"", "\"text\": \"\""));
    assert!(folder.decide(&gates).gates[1..].iter().all(|gate| gate.coverage.is_none()));
    keep(0..17);
    // It says nothing of what needs no relevance.
    let of_rankings =
        "comparisons:\n  - {candidate: new, baseline: old, expect: overlap, cutoff: 3, min: 0.9}\n";
    assert_eq!(verdicts(&folder.decide(of_rankings)), [Verdict::Passed]);
    let segment =
        "comparisons:\n  - {candidate: new, baseline: old, metric: RR@10, segment: {topic: billing}}\n";
    keep(8..QUERIES);
    assert_eq!(verdicts(&folder.decide(segment)), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&gates)), [Verdict::Error; 3]);
    // Above the share it is a warning.
    keep(0..2);
    let report = folder.decide(&gates);
    assert_eq!(counts(&report.gates[1]), [(Covered::Findable, 18, 20)]);
    assert_eq!(report.gates[1].verdict, Verdict::Passed);
    let message = report::message(&report, &report.gates[1]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("18 of 20 queries have a relevant document in the corpus"), "{message}");
    // An assertion rests on as much as a gate.
    keep(0..17);
    let collection = Collection::beir(folder.path("data"), "test").unwrap();
    let run = RunReader::new().parse("a.run", nothing.as_bytes()).unwrap();
    let evaluation = Evaluation::of_run(&collection, run).unwrap();
    let text = panic_message(|| evaluation.assert_at_most("RR@10", 0.9));
    assert!(text.contains("3 of 20 queries have a relevant document in the corpus (15%)"), "{text}");
}

#[test]
fn a_run_of_one_segment_is_whole_in_that_segment() {
    let folder = Folder::new();
    folder.write("new.run", &run(0..8, |_| 1));
    let gate = |more: &str| format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new]{more}}}\n");
    assert_eq!(verdicts(&folder.decide(&gate(", segment: {topic: billing}"))), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&gate(""))), [Verdict::Error]);
}

#[test]
fn topics_of_trec_of_which_few_were_judged_are_whole() {
    let folder = Folder::new();
    let topics: String = (0..QUERIES).map(|query| format!("{}\tx\n", id(query))).collect();
    folder.write("topics.tsv", &topics);
    folder.write("qrels.txt", &(0..4).map(|query| format!("{0} 0 {0}-0 1\n", id(query))).collect::<String>());
    folder.write("new.run", &run(0..QUERIES, |_| 1));
    let text = "version: 1\nbenchmark: toy\ncollection:\n  trec: {queries: topics.tsv, qrels: qrels.txt}\nconfigurations:\n  new: \
                {run: new.run}\nthresholds:\n  - {metric: RR@10, min: 0.9}\n";
    folder.write("trec.yaml", text);
    let report = Benchmark::open(folder.path("trec.yaml"), &Registry::new()).unwrap().run();
    assert_eq!(verdicts(&report), [Verdict::Passed]);
}
