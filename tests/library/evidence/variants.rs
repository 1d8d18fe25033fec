//! Texts of a variant that are not there.

use std::fmt::Write;

use rankgate::benchmark::model::{EvidenceKind, Verdict};

use super::{Folder, QUERIES, counts, id, reason, run, verdicts};

const VARIANT: &str = "variants:\n  spoken: {kind: file, queries: spoken.jsonl}\n";

/// Both runs find everything first, asked in either way; the texts of the variant are those of the first queries.
fn folder(texts: usize) -> Folder {
    let folder = Folder::new();
    let own = run(0..QUERIES, |_| 1);
    let spoken: String = own.lines().map(|line| line.replacen(' ', "@spoken ", 1) + "\n").collect();
    for name in ["new.run", "old.run"] {
        folder.write(name, &(own.clone() + &spoken));
    }
    write_texts(&folder, texts);
    folder
}

fn write_texts(folder: &Folder, texts: usize) {
    let mut text = String::new();
    for query in 0..texts {
        writeln!(text, "{{\"id\": \"{}\", \"text\": \"spoken\"}}", id(query)).unwrap();
    }
    folder.write("spoken.jsonl", &text);
}

/// Whoever says how many queries there should be: the gate, or the spec for all of its gates, of whichever side.
#[test]
fn a_variant_of_fewer_queries_than_are_expected_decides_nothing() {
    let limits = |evidence: &str| {
        format!("thresholds:\n  - {{metric: RR@10, min: 0.9, for: [new@spoken]{evidence}}}\n")
    };
    let pairs = |evidence: &str, expect: &str| {
        ["candidate: new@spoken, baseline: old", "candidate: new, baseline: old@spoken"]
            .iter()
            .enumerate()
            .map(|(at, sides)| format!("  - {{{sides}, {expect}, name: n{at}{evidence}}}\n"))
            .fold("comparisons:\n".to_owned(), |all, one| all + &one)
    };
    let of_metric = "metric: RR@10";
    let beside = ", evidence: {queries: 20}";
    let of_spec = "evidence: {queries: 20}\n";
    let gates = [
        limits(beside) + &pairs(beside, of_metric),
        of_spec.to_owned() + &limits("") + &pairs("", of_metric),
        pairs(beside, "expect: identical"),
        of_spec.to_owned() + &pairs("", "expect: overlap, cutoff: 4, min: 0.9"),
    ];
    for gates in gates {
        let rest = VARIANT.to_owned() + &gates;
        let report = folder(QUERIES).decide(&rest);
        assert!(verdicts(&report).iter().all(|one| *one == Verdict::Passed), "{rest}{report:#?}");
        let report = folder(1).decide(&rest);
        for gate in &report.gates {
            assert_eq!(gate.verdict, Verdict::Errored, "{rest}{gate:#?}");
            let said = reason(gate);
            assert!(
                said.starts_with(
                    "1 query with a text of the variant `spoken` is judged, where 20 are expected: 5%"
                ),
                "{said}"
            );
            assert!(said.contains("restore the texts of the variant"), "{said}");
        }
    }
    // Where nobody expects more, a variant is of as many queries as it has texts for.
    let report = folder(1).decide(&(VARIANT.to_owned() + &limits("")));
    assert_eq!(verdicts(&report), [Verdict::Passed]);
}

/// Queries in which a rule finds nothing to change are no part of what a spec says of its collection.
#[test]
fn what_a_spec_expects_is_of_its_collection_and_not_of_what_a_rule_changes() {
    let folder = folder(QUERIES);
    let queries = std::fs::read_to_string(folder.path("data/queries.jsonl")).unwrap();
    folder.write("data/queries.jsonl", &queries.replacen("\"text\": \"x\"", "\"text\": \"two words\"", 1));
    let run = std::fs::read_to_string(folder.path("new.run")).unwrap();
    folder.write("new.run", &run.replace("@spoken", "@turned"));
    let rest = |own: &str| {
        format!(
            "variants:\n  turned: {{kind: word-order}}\nevidence: {{queries: 20}}\nthresholds:\n  - {{metric: RR@10, \
             min: 0.9, for: [new@turned]{own}}}\n"
        )
    };
    assert_eq!(verdicts(&folder.decide(&rest(""))), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&rest(", evidence: {queries: 1}"))), [Verdict::Passed]);
    assert_eq!(verdicts(&folder.decide(&rest(", evidence: {queries: 2}"))), [Verdict::Errored]);
}

#[test]
fn a_golden_run_remembers_of_how_many_queries_a_variant_was() {
    let folder = folder(QUERIES);
    let gates = VARIANT.to_owned()
        + "thresholds:\n  - {metric: RR@10, min: 0.9, for: [new@spoken]}\ncomparisons:\n  - {candidate: new@spoken, \
           baseline: golden, metric: RR@10}\n  - {candidate: new, baseline: new@spoken, metric: RR@10, name: pair}\n";
    if !folder.bless(&gates) {
        return; // on a CI machine nothing is blessed
    }
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Passed; 3], "{report:#?}");
    write_texts(&folder, 1);
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Errored; 3]);
    for gate in &report.gates {
        let said = reason(gate);
        assert!(
            said.starts_with(
                "1 query with a text of the variant `spoken` is judged, where 20 were when new@spoken was blessed: 5%"
            ),
            "{said}"
        );
        assert!(said.contains("missing: `q01`, `q02`"), "{said}");
    }
    let of_golden = counts(&report.gates[1]);
    assert!(of_golden.contains(&(EvidenceKind::Paired, 1, 20)), "{of_golden:?}");
    // Blessing is what mends it.
    assert!(folder.bless(&gates));
    let report = folder.decide(&gates);
    assert_eq!(verdicts(&report), [Verdict::Passed; 3], "{report:#?}");
}
