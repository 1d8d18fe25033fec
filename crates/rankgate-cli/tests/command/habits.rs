//! What users of trec_eval, ir_measures and ranx type first.

use std::fs;

use crate::runs::run;

/// Two command lines that do the same.
#[test]
fn other_tools_ways_to_name_metrics_and_judgments_work() {
    for (typed, ours) in [
        ("eval qrels.txt new.run nDCG@10 P@5", "eval qrels.txt new.run -m nDCG@10,P@5"),
        ("eval qrels.txt new.run -m nDCG@10 P@5", "eval qrels.txt new.run -m nDCG@10,P@5"),
        (
            "eval qrels.txt old.run new.run ndcg_cut_10 map",
            "eval qrels.txt old.run new.run -m ndcg_cut_10,map",
        ),
        ("eval qrels.txt new.run RR(rel=2)@10", "eval qrels.txt new.run -m RR(rel=2)@10"),
        ("eval qrels.txt new.run mrr@10 --metrics map", "eval qrels.txt new.run -m map,RR@10"),
        (
            "eval qrels.txt new.run -m set",
            "eval qrels.txt new.run -m num_ret,num_rel,num_rel_ret,set_P,set_recall,set_F",
        ),
    ] {
        let [typed, ours] = [typed, ours].map(|line| run(&line.split(' ').collect::<Vec<_>>()));
        assert_eq!(typed.status, Some(0), "{}", typed.stderr);
        assert_eq!(typed.stdout, ours.stdout);
    }
    let all = run(&["eval", "qrels.txt", "new.run", "-m", "all_trec", "--format", "trec_eval"]);
    assert_eq!(all.status, Some(0), "{}", all.stderr);
    for name in ["map ", "P_1000", "recall_5", "ndcg_cut_10", "relative_P_5", "success_1", "set_F"] {
        assert!(all.stdout.lines().any(|line| line.starts_with(name)), "no {name} in {}", all.stdout);
    }
}

#[test]
fn all_that_is_misspelt_is_named_at_once() {
    let output = run(&["eval", "qrels.txt", "new.run", "-m", "Rcall@100", "nDGC@10", "11pt_avg(x=1)"]);
    assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        output.stderr,
        "error: 3 metrics are wrong:\n  unknown metric `Rcall@100`; did you mean `recall@100`?\n  unknown metric \
         `nDGC@10`; did you mean `nDCG@10`?\n  metric `11pt_avg(x=1)`: the mean of eleven values; \
         type `iprec_at_recall` for each of them\n"
    );
}

#[test]
fn a_metric_or_a_run_that_is_missing_is_named() {
    for (line, expected) in [
        (
            "eval qrels.txt new.run 11pt_avg",
            "metric `11pt_avg`: the mean of eleven values; type `iprec_at_recall` for each of them\n",
        ),
        (
            "eval qrels.txt nDCG@10",
            "no run is named: `rankgate eval QRELS RUN`, with metrics behind it or after -m\n",
        ),
        (
            "compare qrels.txt old.run new.run nDCG@10 P@5",
            "nDCG@10, P@5: no such files; metrics are named with -m: `-m nDCG@10,P@5`\n",
        ),
    ] {
        let output = run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!((output.status, output.stdout.as_str()), (Some(2), ""), "{line}");
        assert!(
            output.stderr.starts_with("error: ") && output.stderr.ends_with(expected),
            "{}",
            output.stderr
        );
    }
}

#[test]
fn a_folder_of_beir_stands_for_its_judgments() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("scifact/qrels")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("scifact/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n");
    write("scifact/qrels/train.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t1\n");
    write("a.run", "q1 Q0 d1 1 9 x\n");
    write("b.run", "q1 Q0 d1 1 9 x\n");
    let run = |arguments: &[&str]| crate::cli::run(folder.path(), arguments, "");
    let ours = run(&["eval", "scifact/qrels/test.tsv", "a.run", "RR"]);
    for judgments in ["scifact", "scifact/qrels"] {
        let output = run(&["eval", judgments, "a.run", "RR"]);
        assert_eq!((output.status, &output.stdout), (Some(0), &ours.stdout), "{}", output.stderr);
    }
    let compared = run(&["compare", "scifact", "a.run", "b.run", "--expect", "identical"]);
    assert_eq!(compared.status, Some(0), "{}", compared.stderr);
    fs::remove_file(folder.path().join("scifact/qrels/test.tsv")).unwrap();
    write("scifact/qrels/dev.tsv", "query-id\tcorpus-id\tscore\nq2\td1\t1\n");
    let output = run(&["eval", "scifact", "a.run"]);
    assert_eq!(output.status, Some(2));
    assert!(
        output.stderr.contains("name one of scifact/qrels/dev.tsv, scifact/qrels/train.tsv"),
        "{}",
        output.stderr
    );
}
