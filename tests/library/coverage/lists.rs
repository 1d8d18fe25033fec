//! Runs that were cut by rank.

use rankgate::benchmark::model::{Covered, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::{Hit, Query, report, retriever_fn};

use super::{EITHER, Folder, QUERIES, counts, cut, good, reason, run, verdicts, worse};

/// What was found by an attacker: half of the queries lose their document with the baseline's second rank, and the worse
/// candidate gains.
#[test]
fn a_run_that_was_cut_by_rank_decides_nothing() {
    let folder = Folder::new();
    folder.write("new.run", &worse());
    folder.write("old.run", &good());
    assert_eq!(verdicts(&folder.decide(EITHER)), [Verdict::Failed; 2]);
    folder.write("old.run", &cut(&good(), |_| 1));
    let report = folder.decide(EITHER);
    assert_eq!(verdicts(&report), [Verdict::Error; 2]);
    assert_eq!(
        reason(&report.gates[1]),
        "old has complete lists for 10 of 20 queries, and the others end at rank 1 (50%). 90% is needed. Make the run with more \
         results, or use a metric with a cutoff of 1 (`q01`, `q03`, `q05`, `q07`, `q09`, 5 more).\nIf this is intended, write \
         `coverage: 0.5` beside the gate, or in the spec for all of its gates."
    );
    let meant = folder.decide(&format!("coverage: 0.5\n{EITHER}"));
    assert_eq!(verdicts(&meant), [Verdict::Passed, Verdict::Inconclusive]);
    let message = report::message(&meant, &meant.gates[1]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains("warning: the lists of old end at rank 1, those of new at 4, and RR@10"),
        "{message}"
    );
}

#[test]
fn lists_are_whole_on_both_sides_in_every_gate_that_compares() {
    let folder = Folder::new();
    let gate = |gate: &str| format!("comparisons:\n  - {{candidate: new, baseline: old, {gate}}}\n");
    let overlap = gate("expect: overlap, cutoff: 4, min: 0.9");
    let one_or_two = |query: usize| 1 + query / 2 % 2;
    let undecided = [
        // Lengths that vary a little; the candidate's; a metric without a cutoff; all kinds of claims.
        (cut(&good(), one_or_two), worse(), gate("metric: RR@10")),
        (good(), cut(&worse(), |_| 1), gate("metric: RR@10")),
        (cut(&good(), |_| 1), worse(), gate("metric: AP")),
        (cut(&good(), |_| 1), worse(), gate("metric: nDCG@10, expect: non-inferiority, margin: 0.02")),
        (cut(&good(), |_| 1), worse(), gate("metric: R@2, expect: equivalence, margin: 0.9")),
        // As many lists as are no longer a few.
        (cut(&good(), |query| if query < 12 { 1 } else { 4 }), worse(), gate("metric: RR@10")),
        (cut(&good(), |_| 1), cut(&worse(), |_| 1), overlap.clone()),
        (cut(&good(), |_| 1), cut(&good(), |_| 1), overlap.clone()),
    ];
    for (old, new, gates) in undecided {
        folder.write("old.run", &old);
        folder.write("new.run", &new);
        let report = folder.decide(&gates);
        assert_eq!(verdicts(&report), [Verdict::Error], "{gates}");
        assert_eq!(counts(&report.gates[0])[0].0, Covered::Complete);
        assert!(reason(&report.gates[0]).contains(" has complete lists for "), "{gates}");
    }
    let decided = [
        // Both end there; they have found what there is; a cutoff that they reach; all documents of the corpus.
        (cut(&good(), |_| 2), cut(&worse(), |_| 2), gate("metric: RR@10")),
        (cut(&run(0..QUERIES, |_| 1), |_| 1), worse(), gate("metric: nDCG@10")),
        (cut(&good(), |_| 1), worse(), gate("metric: P@1")),
        (cut(&good(), |_| 1), cut(&good(), |_| 1), gate("expect: overlap, cutoff: 1, min: 0.9")),
        (cut(&good(), |_| 1), cut(&good(), |_| 1), gate("expect: identical")),
        (cut(&good(), |query| if query < 4 { 1 } else { 4 }), worse(), gate("metric: RR@10")),
    ];
    for (old, new, gates) in decided {
        folder.write("old.run", &old);
        folder.write("new.run", &new);
        let report = folder.decide(&gates);
        assert_ne!(verdicts(&report), [Verdict::Error], "{gates}\n{}", report::text(&report));
    }
    // What both lack is said.
    folder.write("old.run", &cut(&good(), |_| 2));
    folder.write("new.run", &cut(&worse(), |_| 2));
    let report = folder.decide(&gate("metric: RR@10"));
    let message = report::message(&report, &report.gates[0]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        message.contains("the lists of new and of old end at rank 2, and RR@10 looks further down"),
        "{message}"
    );
}

#[test]
fn a_retriever_that_returns_less_than_it_was_asked_for_has_answered() {
    let folder = Folder::new();
    folder.write("new.run", &worse());
    let mut registry = Registry::new();
    let first = |query: &Query, _| {
        let number: usize = query.id[1..].parse()?;
        Ok(vec![Hit::new(format!("{}-{}", query.id, number % 2), 1.0)])
    };
    registry.retrievers.register("first", move |_| Ok(retriever_fn(first))).unwrap();
    let gates =
        "  first: {retriever: first}\ncomparisons:\n  - {candidate: new, baseline: first, metric: RR@10}\n";
    let report = Benchmark::open(folder.spec(gates), &registry).unwrap().run();
    assert_eq!(verdicts(&report), [Verdict::Passed]);
    let message = report::message(&report, &report.gates[0]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(message.contains("the lists of first end at rank 1, those of new at 4"), "{message}");
}

#[test]
fn a_golden_run_that_ends_early_is_to_be_blessed_again() {
    let folder = Folder::new();
    folder.write("new.run", &cut(&good(), |_| 1));
    let gates = "comparisons:\n  - {candidate: new, baseline: golden, metric: RR@10}\n";
    if !folder.bless(gates) {
        return; // on a CI machine nothing is blessed
    }
    folder.write("new.run", &worse());
    let report = folder.decide(gates);
    assert_eq!(verdicts(&report), [Verdict::Error]);
    let said = reason(&report.gates[0]);
    assert!(said.starts_with("golden has complete lists for 10 of 20 queries"), "{said}");
    assert!(
        report.gates[0].advice.iter().any(|advice| advice.value.contains("RANKGATE_BLESS")),
        "{report:?}"
    );
}
