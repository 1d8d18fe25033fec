//! The commands on run files, as they are seen: standard output, standard error, exit status.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::{cli, schema};

use std::path::{Path, PathBuf};

use crate::repository::root;
use serde_json::Value;

fn folder() -> PathBuf {
    root().join("tests/data/cli")
}

fn run(arguments: &[&str]) -> cli::Output {
    cli::run(&folder(), arguments, "")
}

/// What a command line with blanks between its words shows.
fn transcript_of(line: &str) -> String {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    run(&arguments).transcript(&arguments)
}

macro_rules! shown {
    ($($name:ident: $line:literal,)+) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(transcript_of($line));
        }
    )+};
}

shown! {
    eval_text: "eval qrels.txt new.run",
    eval_several: "eval qrels.txt old.run new.run -m nDCG@10,RR@10 -m NumRelRet",
    eval_many: "eval qrels.txt old.run new.run copy.run run.json ./new.run -m nDCG@10,RR@10 -m NumRelRet",
    eval_per_query: "eval qrels.txt new.run -m RR@10,P@2 --per-query --quiet",
    eval_json: "eval qrels.txt new.run -m RR@10,NumRet --format json",
    eval_csv: "eval qrels.txt old.run run.json -m RR(rel=2)@10,NumRet --format csv -q",
    eval_trec: "eval qrels.txt run.json -m recip_rank -m ndcg_cut.5,10 -m num_ret --per-query --format trec_eval -q",
    eval_trec_official: "eval qrels.txt old.run --format trec_eval",
    eval_csv_per_query: "eval qrels.txt new.run -m AP --per-query --format csv -q",
    eval_latex: "eval qrels.txt old.run new.run -m nDCG@10,RR@10 --format latex -q",
    eval_groups: "eval qrels.txt new.run -m nDCG@10,Success@1 --queries queries.jsonl --cluster topic",
    eval_groups_json: "eval qrels.txt new.run -m RR@10 --queries queries.jsonl --cluster topic --format json",
    eval_groups_unknown: "eval qrels.txt new.run --queries queries.jsonl --cluster user",
    eval_groups_of_nothing: "eval qrels.txt new.run --cluster topic",
    eval_strict: "eval qrels.txt new.run -m R@10 --relevant-from 3 --skip-unanswered --order rank",

    compare_text: "compare qrels.txt old.run new.run -m nDCG@10,RR@10 --queries topics.tsv",
    compare_groups: "compare qrels.txt old.run new.run -m RR@10 --queries queries.jsonl --cluster topic --top 0",
    compare_several: "compare qrels.txt old.run new.run copy.run -m RR@10 --top 1",
    compare_many: "compare qrels.txt old.run new.run copy.run run.json -m RR@10,AP --evidence 0.1",
    compare_many_details: "compare qrels.txt old.run new.run copy.run run.json -m RR@10 --expect no-regression --details new.run --top 1 --evidence 0.1",
    compare_latex: "compare qrels.txt old.run new.run copy.run -m nDCG@10,RR@10 --format latex -q",
    compare_csv: "compare qrels.txt old.run new.run -m RR@10 --format csv -q",
    compare_json: "compare qrels.txt old.run new.run -m RR@10 --format json --top 1 -q",
    compare_passed: "compare qrels.txt old.run new.run -m nDCG@10 --expect no-regression --tolerance 0.2 --top 0",
    compare_failed: "compare qrels.txt new.run old.run -m RR@10 --expect no-regression --top 0",
    compare_inconclusive: "compare qrels.txt old.run new.run -m RR@10 --expect equivalence --margin 0.3 --top 0",
    compare_identical: "compare qrels.txt old.run copy.run -m RR@10 --expect identical",
    compare_not_identical: "compare qrels.txt old.run new.run -m RR@10 --expect identical --top 0",

    explain_text: "explain qrels.txt old.run new.run --query q01 --queries topics.tsv --corpus docs.jsonl -m nDCG@10,RR@10",
    explain_unanswered: "explain qrels.txt old.run new.run --query q09 -k 2 -m RR@10",
    explain_json: "explain qrels.txt old.run new.run --query q08 -k 2 -m RR@10 --format json",

    power_groups: "power qrels.txt old.run new.run -m RR@10 --queries queries.jsonl --cluster topic --effect 0.3",
    power_two: "power qrels.txt old.run new.run -m RR@10",
    power_one: "power qrels.txt old.run -m RR@10 --effect 0.05 --power 0.9",
    power_json: "power qrels.txt old.run copy.run -m RR@10 --effect 0.05 --format json",
}

/// The same two rankings from a file, from JSON and from standard input: q1 finds itself and then its answer,
/// q2 its answer only.
#[test]
fn documents_with_the_id_of_their_query_are_taken_out_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let run = "q1 Q0 q1 1 9 x\nq1 Q0 r 2 8 x\nq2 Q0 r 1 9 x\n";
    write("qrels.txt", "q1 0 r 1\nq2 0 r 1\n");
    write("a.run", run);
    write("b.run", "q1 Q0 r 1 9 x\nq2 Q0 r 1 9 x\n");
    write("a.json", r#"{"q1": {"q1": 9, "r": 8}, "q2": {"r": 9}}"#);
    let told = |line: &str, input: &str| {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        cli::run(folder.path(), &arguments, input)
    };
    for file in ["a.run", "a.json", "-"] {
        let line = format!("eval qrels.txt {file} -m RR --format json");
        let mean = |output: &str| serde_json::from_str::<Value>(output).unwrap();
        let plain = told(&line, run);
        assert_eq!(mean(&plain.stdout)["mean"]["RR"], 0.75, "{}", plain.stderr);
        let without = told(&format!("{line} --exclude-identical-ids"), run);
        let scores = mean(&without.stdout);
        assert_eq!(
            (&scores["mean"]["RR"], &scores["identical_ids"]),
            (&1.0.into(), &1.into()),
            "{}",
            without.stderr
        );
        assert!(
            without.stderr.contains("1 document has the id of its query; taken out"),
            "{}",
            without.stderr
        );
    }
    let alike = told("compare qrels.txt a.run b.run -m RR --expect identical --exclude-identical-ids", "");
    assert_eq!(alike.status, Some(0), "{}", alike.stderr);
    assert!(alike.stderr.contains("a.run: 1 document has the id"), "{}", alike.stderr);
}

/// The scores of two runs say of their difference what the runs say, and are not compared where a row is missing.
#[test]
fn scores_that_were_written_are_compared_as_their_runs_are() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let (old, new) = (file("old.csv"), file("new.csv.gz"));
    for (from, to) in [("old.run", &old), ("new.run", &new)] {
        let written = run(&["eval", "qrels.txt", from, "-m", "nDCG@10,RR@10", "--write-scores", to]);
        assert_eq!(written.status, Some(0), "{}", written.stderr);
    }
    let compared = |arguments: &[&str]| {
        let told = run(&[&["compare"][..], arguments, &["-m", "RR@10", "--format", "json", "-q"]].concat());
        serde_json::from_str::<Value>(&told.stdout).unwrap()["comparisons"][0].clone()
    };
    let of_scores = compared(&["--from-scores", &old, &new]);
    let of_runs = compared(&["qrels.txt", "old.run", "new.run"]);
    // Resamples are drawn by the files' names: what rests on them may differ.
    for key in ["queries", "wins", "ties", "losses", "baseline_mean", "candidate_mean", "difference"] {
        assert!(!of_runs[key].is_null(), "{key}");
        assert_eq!(of_scores[key], of_runs[key], "{key}");
    }
    let gate = |baseline: &str, candidate: &str| {
        run(&[
            "compare",
            "--from-scores",
            baseline,
            candidate,
            "-m",
            "RR@10",
            "--expect",
            "no-regression",
            "-q",
        ])
        .status
    };
    assert_eq!((gate(&old, &new), gate(&new, &old)), (Some(0), Some(1)));
    let text = std::fs::read_to_string(&old).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    std::fs::write(&old, &text[..=last]).unwrap();
    let told = run(&["compare", "--from-scores", &old, &new]);
    assert_eq!(told.status, Some(2));
    assert!(told.stderr.contains("a row was dropped, changed or doubled"), "{}", told.stderr);
}

/// One query of many that changes is the smallest change there is: what explains the verdict must not take it along.
#[test]
fn one_query_that_differs_has_a_verdict_and_a_plan() {
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str, of_first: &str, queries: usize| {
        let path = scratch.path().join(name);
        let lines =
            (0..queries).map(|query| format!("q{query:04},{}\n", if query == 0 { of_first } else { "0.6" }));
        std::fs::write(&path, format!("query,AP\n{}", lines.collect::<String>())).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for queries in [162, 225, 1_000] {
        let (old, new) = (file("old.csv", "0.6", queries), file("new.csv", "0.8", queries));
        for [one, other] in [[&old, &new], [&new, &old]] {
            for expect in [
                &[][..],
                &["--expect", "no-regression"],
                &["--expect", "non-inferiority", "--margin", "0.02"],
            ] {
                let told = run(&[&["compare", "--from-scores", one, other, "-q"][..], expect].concat());
                assert!(matches!(told.status, Some(0 | 1)), "{queries} {expect:?}: {}", told.stderr);
                assert!(
                    !told.stdout.contains("no plan within the budget"),
                    "{queries} {expect:?}: {}",
                    told.stdout
                );
            }
        }
    }
}

/// A folder with judgments of 20 queries, a run as it should be, one whose scores are its ranks, and one of ten results.
fn lists() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, line: &dyn Fn(usize, usize) -> Option<String>| {
        let lines = (0..20).flat_map(|query| (1..=30).map(move |rank| (query, rank)));
        let text: String = lines.filter_map(|(query, rank)| line(query, rank)).collect();
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    // The answer is at rank 1, 2 or 3, and another one at 15 to 25.
    let relevant = |query: usize, rank: usize| rank == 1 + query % 3 || rank == 15 + query % 10;
    let line =
        |query: usize, rank: usize, score: f64| format!("q{query:02} Q0 d{rank:02} {rank} {score} t\n");
    write("qrels.txt", &|query, rank| relevant(query, rank).then(|| format!("q{query:02} 0 d{rank:02} 1\n")));
    write("right.run", &|query, rank| Some(line(query, rank, 1.0 / rank as f64)));
    write("ranks.run", &|query, rank| Some(line(query, rank, rank as f64)));
    write("short.run", &|query, rank| (rank <= 10).then(|| line(query, rank, 1.0 / rank as f64)));
    let spec = "version: 1\nbenchmark: lists\ncollection: {trec: {queries: topics.tsv, qrels: qrels.txt}}\n\
                configurations:\n  right: {run: right.run}\n  ranks: {run: ranks.run}\n  short: {run: short.run}\n\
                metrics: [RR@10, R@30]\ndepth: 30\nthresholds:\n  - {metric: R@30, min: 0.1, for: [ranks, short]}\n\
                comparisons:\n  - {candidate: ranks, baseline: right, metric: RR@10}\n  \
                - {candidate: short, baseline: right, metric: R@30}\n";
    std::fs::write(folder.path().join("lists.yaml"), spec).unwrap();
    let topics: String = (0..20).map(|query| format!("q{query:02}\twhat about {query}?\n")).collect();
    std::fs::write(folder.path().join("topics.tsv"), topics).unwrap();
    folder
}

/// Scores that rise with the ranks turn a run upside down: every command that reads it says so, by its file, and what
/// to do.
#[test]
fn a_run_whose_scores_are_its_ranks_is_told_wherever_it_is_read() {
    let folder = lists();
    let told = |line: &str| cli::run(folder.path(), &line.split(' ').collect::<Vec<_>>(), "");
    let rising = "scores rise with the ranks in 20 of 20 queries";
    let eval = told("eval qrels.txt right.run ranks.run -m RR@10");
    assert!(eval.stderr.contains(&format!("ranks.run: {rising}")), "{}", eval.stderr);
    assert!(
        eval.stderr.contains("`--order rank`") && !eval.stderr.contains("right.run: scores"),
        "{}",
        eval.stderr
    );
    let eval = told("eval qrels.txt ranks.run -m RR@10 --format json -q");
    let scores: Value = serde_json::from_str(&eval.stdout).unwrap();
    let scores = if scores.is_array() { &scores[0] } else { &scores };
    assert_eq!(scores["rising_scores"], serde_json::json!({"queries": 20, "of": 20}));
    let by_rank = told("eval qrels.txt ranks.run -m RR@10 --order rank");
    assert!(!by_rank.stderr.contains("scores rise"), "{}", by_rank.stderr);

    let compared = told("compare qrels.txt right.run ranks.run -m RR@10");
    let text = compared.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("ranks.run: {rising}")), "{}", compared.stdout);
    let compared = told("compare qrels.txt right.run ranks.run -m RR@10 --format json -q");
    let all: Value = serde_json::from_str(&compared.stdout).unwrap();
    let caution = &all["comparisons"][0]["cautions"][0]["rising-scores"];
    assert_eq!(caution["rising"], serde_json::json!({"queries": 20, "of": 20}), "{}", compared.stdout);
    let many = told("compare qrels.txt right.run ranks.run short.run lists.run -m RR@10");
    assert!(many.status == Some(2), "{}", many.stdout);
    std::fs::copy(folder.path().join("right.run"), folder.path().join("lists.run")).unwrap();
    let many = told("compare qrels.txt right.run ranks.run short.run lists.run -m RR@10");
    assert!(many.stderr.contains(&format!("ranks.run: {rising}")), "{}", many.stderr);

    let ran = told("run lists.yaml");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(rising) && text.contains("`order: rank`"), "{}", ran.stdout);
    let lint = told("lint lists.yaml");
    assert!(lint.stdout.contains("(scores-rise-with-ranks)"), "{}", lint.stdout);
    assert!(lint.stdout.contains("PROBLEM"), "{}", lint.stdout);
}

/// A file without ranks cannot be read by them: what is told is what can be done.
#[test]
fn a_run_without_ranks_is_told_to_write_scores_that_fall() {
    let folder = lists();
    let answer = |query: usize| {
        let documents: Vec<String> = (1..=30).map(|rank| format!("\"d{rank:02}\": {rank}")).collect();
        format!("\"q{query:02}\": {{{}}}", documents.join(", "))
    };
    let json: Vec<String> = (0..20).map(answer).collect();
    std::fs::write(folder.path().join("ranks.json"), format!("{{{}}}", json.join(",\n"))).unwrap();
    let run = |line: &str| cli::run(folder.path(), &line.split(' ').collect::<Vec<_>>(), "");
    let rising = "scores rise from each document to the next in 20 of 20 queries";
    let remedy = "The file has no ranks: if its order is right, write scores that fall";
    for line in
        ["eval qrels.txt right.run ranks.json -m RR@10", "compare qrels.txt right.run ranks.json -m RR@10"]
    {
        let output = run(line);
        let text = format!("{} {}", output.stdout, output.stderr);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&format!("ranks.json: {rising}")) && text.contains(remedy), "{text}");
        assert!(!text.contains("order: rank") && !text.contains("--order rank"), "{text}");
    }
    let eval = run("eval qrels.txt ranks.json -m RR@10 --format json -q");
    let scores: Value = serde_json::from_str(&eval.stdout).unwrap();
    let scores = if scores.is_array() { &scores[0] } else { &scores };
    let expected = serde_json::json!({"queries": 20, "of": 20, "without_ranks": true});
    assert_eq!(scores["rising_scores"], expected);

    let spec = std::fs::read_to_string(folder.path().join("lists.yaml")).unwrap();
    std::fs::write(folder.path().join("lists.yaml"), spec.replace("ranks.run", "ranks.json")).unwrap();
    let lint = run("lint lists.yaml");
    assert!(lint.stdout.contains("(scores-rise-down-the-file)"), "{}", lint.stdout);
    assert!(!lint.stdout.contains("order: rank"), "{}", lint.stdout);
}

#[test]
fn a_run_in_columns_whose_scores_are_its_ranks_is_told() {
    let folder = lists();
    let ranks = rankgate::Run::read(folder.path().join("ranks.run"), rankgate::Order::Rank).unwrap();
    rankgate::run::RunWriter::new("t").write(&ranks, folder.path().join("ranks.parquet")).unwrap();
    let run = |line: &str| cli::run(folder.path(), &line.split(' ').collect::<Vec<_>>(), "");
    let rising = "ranks.parquet: scores rise with the ranks in 20 of 20 queries";
    let eval = run("eval qrels.txt ranks.parquet -m RR@10");
    assert!(eval.stderr.contains(rising) && eval.stderr.contains("`--order rank`"), "{}", eval.stderr);
    let compared = run("compare qrels.txt right.run ranks.parquet -m RR@10").stdout;
    assert!(compared.split_whitespace().collect::<Vec<_>>().join(" ").contains(rising), "{compared}");
    let by_rank = run("eval qrels.txt ranks.parquet -m RR@10 --order rank");
    assert!(!by_rank.stderr.contains("scores rise"), "{}", by_rank.stderr);
}

/// Lists that end above a metric's cutoff, and not unjudged documents, are why it sees less.
#[test]
fn a_run_that_is_cut_above_the_cutoff_is_told_wherever_it_is_read() {
    let folder = lists();
    let told = |line: &str| cli::run(folder.path(), &line.split(' ').collect::<Vec<_>>(), "");
    let cut = "lists end at rank 10, and R@30 looks further down";
    let eval = told("eval qrels.txt short.run -m RR@10,R@30");
    assert!(eval.stderr.contains(&format!("short.run: {cut}")), "{}", eval.stderr);
    assert!(!told("eval qrels.txt short.run -m RR@10").stderr.contains("lists end"), "{}", eval.stderr);
    assert!(!told("eval qrels.txt right.run -m R@30").stderr.contains("lists end"), "{}", eval.stderr);

    let compared = told("compare qrels.txt right.run short.run -m R@30");
    let text = compared.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let caution = "the lists of short.run end at rank 10, those of right.run at 30, and R@30 looks further down than 10";
    assert!(text.contains(caution), "{}", compared.stdout);
    assert!(!text.contains("nobody judged"), "{}", compared.stdout);
    let compared = told("compare qrels.txt right.run short.run -m RR@10");
    assert!(!compared.stdout.contains("end at rank"), "{}", compared.stdout);

    let ran = told("run lists.yaml");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the lists of short end at rank 10, those of right at 30"), "{}", ran.stdout);
    assert!(text.contains(cut), "{}", ran.stdout);
    let lint = told("lint lists.yaml");
    assert!(lint.stdout.contains("(lists-cut)"), "{}", lint.stdout);
}

/// Every kind of bad input, one after the other: what is said, and that it is 2.
#[test]
fn bad_input() {
    let lines = [
        "eval qrels.txt bad/columns.run",
        "eval qrels.txt bad/score.run",
        "eval qrels.txt bad/nan.run",
        "eval qrels.txt bad/twice.run",
        "eval qrels.txt bad/empty.run",
        "eval qrels.txt bad/other.run",
        "eval bad/grade.qrels old.run",
        "eval bad/empty.qrels old.run",
        "eval qrels.txt old.run -m nDGC@10",
        "eval qrels.txt old.run -m AP,,RR",
        "eval qrels.txt old.run --confidence 95",
        "eval qrels.txt old.run new.run --format trec_eval",
        "eval - -",
        "compare qrels.txt old.run bad/empty.run",
        "compare qrels.txt bad/other.run old.run",
        "compare qrels.txt old.run bad/nan.run",
        "compare qrels.txt old.run old.run",
        "compare qrels.txt old.run new.run new.run",
        "compare qrels.txt old.run new.run --expect non-inferiority",
        "compare qrels.txt old.run new.run --expect equivalence --margin -1",
        "compare qrels.txt old.run new.run --expect no-regression --margin 0.1",
        "compare qrels.txt old.run new.run --tolerance 0.1",
        "compare qrels.txt old.run new.run --resamples 1000",
        "compare qrels.txt old.run new.run --report report.txt",
        "compare qrels.txt old.run new.run --queries bad/topics.tsv",
        "compare qrels.txt old.run new.run copy.run run.json --details old.run",
        "compare qrels.txt old.run new.run --all --format json",
        "compare --from-scores old.csv",
        "compare --from-scores",
        "compare --suite suite.yaml old.run",
        "explain qrels.txt old.run new.run --query q1",
        "explain qrels.txt old.run new.run --query extra",
        "explain qrels.txt old.run new.run --query something",
        "explain qrels.txt old.run new.run --query q01 -k 0",
        "power qrels.txt old.run -m AP,RR",
        "power qrels.txt old.run --effect 0",
        "power qrels.txt old.run --effect -0.1",
        "power qrels.txt old.run new.run --effect 2",
        "power qrels.txt old.run --power 80",
    ];
    let mut all = String::new();
    for line in lines {
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let output = run(&arguments);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        all += &format!("$ rankgate {line}\n{}", output.stderr);
    }
    insta::assert_snapshot!(all);
}

/// Judgments of grade 0 and 1, and a run of another collection.
#[test]
fn what_says_nothing_of_relevance_is_told_and_scored_by_no_gate() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("none.qrels", "q1 0 d1 0\nq2 0 d1 0\n");
    write("some.qrels", "q1 0 d1 1\nq2 0 d1 0\n");
    write("mine.run", "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\n");
    write("other.run", "q1 Q0 7 1 2 t\nq1 Q0 8 2 1 t\nq2 Q0 7 1 2 t\n");
    let run = |line: &str| cli::run(dir.path(), &line.split_whitespace().collect::<Vec<_>>(), "");
    let nothing = "error: RR has nothing to find, and would be the same whatever is returned: no document of grade \
                   1 or more was judged for any of the 2 queries\n";
    for line in ["eval none.qrels mine.run -m RR", "eval some.qrels mine.run -m RR --relevant-from 2"] {
        let output = run(line);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        assert_eq!(output.stderr.replace("grade 2", "grade 1"), nothing, "{line}");
    }
    assert_eq!(run("compare none.qrels mine.run other.run -m RR").stderr, nothing);
    assert_eq!(run("eval none.qrels mine.run -m Judged@10").status, Some(0));

    let scored = run("eval some.qrels other.run -m RR --quiet");
    assert_eq!(
        (scored.stderr.as_str(), scored.status),
        (
            "warning: other.run: not one of its 3 results was judged: its ids may be those of another collection, \
             and the scores say nothing\n",
            Some(0)
        )
    );
    let compared = run("compare some.qrels mine.run other.run -m RR --expect no-regression --tolerance 1");
    assert_eq!((compared.stdout.as_str(), compared.status), ("", Some(2)));
    assert!(
        compared.stderr.starts_with("error: RR of other.run says nothing: not one of its 3"),
        "{}",
        compared.stderr
    );
}

#[test]
fn what_the_arguments_parser_refuses_is_2_as_well() {
    for line in [
        "eval qrels.txt",
        "compare qrels.txt old.run",
        "compare qrels.txt old.run new.run --expect better",
        "explain qrels.txt old.run new.run",
        "eval qrels.txt old.run --format xml",
        "schema --of nothing",
    ] {
        let output = run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        assert!(output.stderr.starts_with("error: "), "{line}: {}", output.stderr);
    }
}

/// Files that are no run, or no judgments: each is named for what it is, with what to do about it.
#[test]
fn a_wrong_file_is_told_what_it_is_and_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let wide = |text: &str| {
        let bytes = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(bytes).collect::<Vec<u8>>()
    };
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let text = |text: &str| text.as_bytes().to_vec();
    let line = "q01 Q0 best-1 1 2.5 t\n";
    let runs: [(&str, Vec<u8>, &str); 17] = [
        (
            "excel.run",
            text("\u{feff}query;document;score\nq01;best-1;2,5\n"),
            "this looks like comma-separated values",
        ),
        ("commas.run", text("q01,best-1,2.5\n"), "put blanks or tabs between the columns"),
        ("unicode.run", wide(line), "it is text in UTF-16: save it as UTF-8"),
        ("a.run.zst", vec![0x28, 0xb5, 0x2f, 0xfd, 4, 0], "cannot decompress"),
        ("a.run.xz", b"\xfd7zXZ\0\0\x04".to_vec(), "it is compressed with xz: decompress it"),
        ("a.run.bz2", b"BZh91AY&SY\x01\x02".to_vec(), "it is compressed with bzip2: decompress it"),
        ("a.xlsx", b"PK\x03\x04\x14\0".to_vec(), "it is a zip archive, as .xlsx files are too"),
        ("a.run.gz", gzip(&gzip(line.as_bytes())), "it is compressed twice: decompress it once"),
        ("a.parquet", b"PAR1\x15\x04".to_vec(), "it cannot be read as Parquet"),
        ("page.run", text("<!DOCTYPE html>\n<title>502</title>\n"), "this looks like HTML or XML"),
        ("judged.run", text("q01 0 best-1 1\n"), "are judgments and run in each other's place?"),
        ("spaces.run", text("q01 Q0 best 1 1 2.5 t\n"), "neither ids nor the tag may hold spaces"),
        ("tag.run", text("q01 Q0 best-1 1 2.5 my run\n"), "neither ids nor the tag may hold spaces"),
        (
            "lists.json",
            text("{\"q01\": [\"best-1\", \"good-1\"]}\n"),
            "a run in JSON is `{\"q1\": {\"d7\": 12.5",
        ),
        (
            "response.json",
            text("{\"took\": 3, \"hits\": {\"hits\": [{\"_id\": \"best-1\", \"_score\": 2.5}]}}"),
            "this looks like the response of a search service; a run in JSON is",
        ),
        ("list.run", text("[{\"qid\": \"q01\", \"docid\": \"best-1\"}]\n"), "this looks like JSON"),
        ("lines.run", text("{\"qid\": \"q01\"}\n{\"qid\": \"q02\"}\n"), "a run in JSON is"),
    ];
    let qrels: [(&str, Vec<u8>, &str); 7] = [
        ("run.qrels", text(line), "six columns are a run: are judgments and run in each other's place?"),
        ("blanks.qrels", text("q01 best-1 1\n"), "judgments in three columns have tabs between them"),
        ("spaces.qrels", text("q01 0 best 1 1\n"), "ids hold no spaces"),
        ("half.qrels", text("q01 0 best-1 1.5\n"), "grade `1.5` is not a whole number"),
        (
            "excel.qrels",
            text("query-id,corpus-id,score\nq01,best-1,1\n"),
            "this looks like comma-separated values",
        ),
        ("page.qrels", text("<html><body>Not found</body></html>\n"), "this looks like HTML or XML"),
        ("empty.qrels", Vec::new(), "there are no judgments"),
    ];
    for (name, bytes, said) in runs.iter().chain(&qrels) {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let arguments =
            if name.ends_with(".qrels") { ["eval", path, "old.run"] } else { ["eval", "qrels.txt", path] };
        let output = run(&arguments);
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{name}");
        assert!(output.stderr.contains(said) && output.stderr.contains(name), "{name}: {}", output.stderr);
    }
    let floats = dir.path().join("floats.qrels");
    std::fs::write(&floats, "q01 0 best-1 2.0\n").unwrap();
    assert_eq!(run(&["eval", floats.to_str().unwrap(), "old.run"]).status, Some(0));
}

/// A difference of scores that sum up to the same is 0, whatever floats make of it, and a number that cannot be
/// had is null.
#[test]
fn in_json_what_is_0_is_0_and_what_cannot_be_had_is_null() {
    let dir = tempfile::tempdir().unwrap();
    // P@10 of 0.5 and 0.5 against 0.8 and 0.2.
    let run_of = |relevant: [usize; 2]| -> String {
        let line = |(query, place): (usize, usize)| {
            let document = if place < relevant[query] { "r" } else { "n" };
            format!("q{query} Q0 {document}{place} {} {} t\n", place + 1, 10 - place)
        };
        (0..2).flat_map(|query| (0..10).map(move |place| (query, place))).map(line).collect()
    };
    let qrels: String =
        (0..2).flat_map(|query| (0..10).map(move |place| format!("q{query} 0 r{place} 1\n"))).collect();
    for (name, text) in [
        ("qrels.txt", qrels),
        ("even.run", run_of([5, 5])),
        ("odd.run", run_of([8, 2])),
        ("copy.run", run_of([5, 5])),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let compared = |candidate: &str| -> Value {
        let line = ["compare", "qrels.txt", "even.run", candidate, "-m", "P@10", "--format", "json", "-q"];
        let all: Value = serde_json::from_str(&cli::run(dir.path(), &line, "").stdout).unwrap();
        all["comparisons"][0].clone()
    };
    let cancelled = compared("odd.run");
    assert_eq!(cancelled["difference"].to_string(), "0.0");
    let same = compared("copy.run");
    for key in ["interval", "p_value"] {
        assert!(same["bootstrap"].as_object().unwrap().contains_key(key), "{same}");
    }
    assert_eq!((&same["effect_dz"], &same["bootstrap"]["p_value"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_missing_file_is_named() {
    for line in
        ["eval missing.qrels old.run", "eval qrels.txt missing.run", "compare qrels.txt old.run missing.run"]
    {
        let output = run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!((output.stdout.as_str(), output.status), ("", Some(2)), "{line}");
        assert!(output.stderr.starts_with("error: cannot open missing."), "{line}: {}", output.stderr);
    }
}

#[test]
fn standard_input_and_compressed_files_are_read_like_files() {
    let text = std::fs::read_to_string(folder().join("old.run")).unwrap();
    let of_file = run(&["eval", "qrels.txt", "old.run", "-m", "AP", "--format", "trec_eval"]);
    let of_pipe =
        cli::run(&folder(), &["eval", "qrels.txt", "-", "-m", "AP", "--format", "trec_eval"], &text);
    assert_eq!((&of_pipe.stdout, of_pipe.status), (&of_file.stdout, Some(0)));

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("old.run.gz");
    let file = std::fs::File::create(&path).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    encoder.finish().unwrap();
    let path = path.to_str().unwrap();
    let of_gzip = run(&["eval", "qrels.txt", path, "-m", "AP", "--format", "trec_eval"]);
    assert_eq!((&of_gzip.stdout, of_gzip.status), (&of_file.stdout, Some(0)));

    let broken = cli::run(&folder(), &["eval", "qrels.txt", "-"], "q01 Q0 d 1 high t\n");
    assert_eq!(broken.stderr, "error: standard input:1: score `high` is not a number: `q01 Q0 d 1 high t`\n");
    assert_eq!(broken.status, Some(2));
}

#[test]
fn infinite_scores_that_tie_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let qrels = (1..=6).map(|query| format!("q{query} 0 a 1\n")).collect::<String>();
    let lines = |scores: [&str; 2]| {
        let of_query = |query| format!("q{query} Q0 a 1 {} t\nq{query} Q0 b 2 {} t\n", scores[0], scores[1]);
        (1..=6).map(of_query).collect::<String>()
    };
    for (name, text) in
        [("qrels.txt", qrels), ("a.run", lines(["2", "1"])), ("b.run", lines(["inf", "1e999"]))]
    {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let command = |arguments: &[&str]| cli::run(folder.path(), arguments, "");
    let said = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let scored = command(&["eval", "qrels.txt", "b.run", "-m", "RR"]);
    let tied = "b.run: 6 queries have documents that share an infinite score; they tie";
    assert!(said(&scored.stderr).contains(tied), "{}", scored.stderr);
    let json = command(&["eval", "qrels.txt", "b.run", "-m", "RR", "--format", "json"]).stdout;
    assert!(json.contains("\"infinite_ties\": 6") || json.contains("\"infinite_ties\":6"), "{json}");
    let compared = command(&["compare", "qrels.txt", "a.run", "b.run", "-m", "RR"]);
    let tied = "b.run: documents have one infinite score in 6 queries: they tie, and stand in the order of their ids";
    assert!(
        said(&compared.stdout).contains(&tied.replace("b.run", "b")) || said(&compared.stdout).contains(tied),
        "{}",
        compared.stdout
    );
    let clean = command(&["eval", "qrels.txt", "a.run", "-m", "RR"]);
    assert!(!clean.stderr.contains("infinite"), "{}", clean.stderr);
}

#[test]
fn a_name_that_needs_quotes_is_quoted() {
    let name = "odd names, 100%.run";
    let csv = run(&["eval", "qrels.txt", name, "-m", "RR", "--format", "csv", "-q"]).stdout;
    assert!(
        csv.lines().nth(1).unwrap().starts_with("\"odd names, 100%.run\",,RR,0.07142857142857142,"),
        "{csv}"
    );
    let latex = run(&["eval", "qrels.txt", name, "-m", "RR", "--format", "latex", "-q"]).stdout;
    assert!(latex.contains("odd names, 100\\%.run & 0.0714"), "{latex}");
    let hint = run(&["compare", "qrels.txt", name, "old.run", "-m", "RR", "--evidence", "0"]).stderr;
    assert!(hint.contains("rankgate explain qrels.txt 'odd names, 100%.run' old.run --query q"), "{hint}");
}

#[test]
fn too_little_on_either_side_is_not_compared() {
    let name = "odd names, 100%.run";
    let compare = |more: &[&str]| run(&[&["compare", "qrels.txt"], more, &["-m", "RR"]].concat());
    for expected in [&[][..], &["--expect", "improvement"]] {
        let short = compare(&[&[name, "new.run"], expected].concat());
        assert_eq!(short.status, Some(2), "{}", short.stderr);
        let said = "error: odd names, 100%.run answers 1 of the 14 queries: 7.1%, and 90% is needed\n  missing: `q02`, \
                    `q03`, `q04`, `q05`, `q06`, 8 more\n";
        assert!(
            short.stderr.starts_with(said) && short.stderr.contains("`--evidence 0.071`"),
            "{}",
            short.stderr
        );
        assert_eq!(short.stdout, "");
    }
    let accepted = compare(&[name, "new.run", "--expect", "improvement", "--evidence", "0.07"]);
    assert_eq!(accepted.status, Some(0), "{}", accepted.stderr);
    let said = accepted.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("answers 1 of the 14 queries (not `q02`"), "{said}");
    assert!(said.contains("at worst"), "{said}");
    let few = compare(&["old.run", "copy.run", "--judged-queries", "20"]);
    assert_eq!(few.status, Some(2));
    assert!(few.stderr.contains("14 queries are judged, where 20 are expected: 70%"), "{}", few.stderr);
    let wrong = compare(&["old.run", "copy.run", "--evidence", "7"]);
    assert!(wrong.stderr.contains("--evidence is a share from 0 to 1, not 7"), "{}", wrong.stderr);
}

#[test]
fn the_same_command_prints_the_same_bytes_on_any_number_of_threads() {
    let printed = |threads: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_rankgate"))
            .args(["compare", "qrels.txt", "old.run", "new.run", "-m", "nDCG,AP", "--format", "json"])
            .current_dir(folder())
            .env("RANKGATE_THREADS", threads)
            .output()
            .unwrap();
        output.stdout
    };
    assert_eq!(printed("1"), printed("4"));
}

/// What the command prints where somebody says how wide the terminal is.
fn run_at(columns: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rankgate"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", columns)
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A folder with judgments of 30 queries and 30 runs that answer 29, `v29.run` the best and `v00.run` the worst.
fn thirty_runs() -> (tempfile::TempDir, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let qrels: String = (0..30).map(|query| format!("q{query} 0 d{query} 1\n")).collect();
    std::fs::write(dir.path().join("qrels.txt"), qrels).unwrap();
    let names: Vec<String> = (0..30).map(|variant| format!("v{variant:02}.run")).collect();
    for (variant, name) in names.iter().enumerate() {
        let line = |(query, place): (usize, usize)| {
            // The better the variant, the more queries have their document first.
            let document = if place == usize::from(query >= variant) { query } else { 100 + place };
            format!("q{query} Q0 d{document} {} {} t\n", place + 1, 9 - place)
        };
        let run: String = (0..29).flat_map(|query| [(query, 0), (query, 1)]).map(line).collect();
        std::fs::write(dir.path().join(name), run).unwrap();
    }
    (dir, names)
}

/// The best of thirty runs is the first row, every run is one row, and no line is wider than it may be.
#[test]
fn many_runs_are_a_row_each_and_the_best_comes_first() {
    let (dir, names) = thirty_runs();
    let mut arguments = vec!["eval", "qrels.txt"];
    arguments.extend(names.iter().map(String::as_str));
    let output = cli::run(dir.path(), &arguments, "");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert!(lines[3].starts_with("v29.run"), "{}", output.stdout);
    assert!(lines[32].starts_with("v00.run"), "{}", output.stdout);
    assert!(lines.len() < 40 && lines.iter().all(|line| line.chars().count() <= 80), "{}", output.stdout);
    assert!(
        output.stderr.contains("30 of 30 runs have unanswered judged queries, 1 each;"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.lines().count() <= 5, "{}", output.stderr);
}

/// The decisive numbers of thirty candidates are on one screen each metric; what is behind one of them is
/// shown where it is asked for; a wide terminal is used.
#[test]
fn many_candidates_are_a_line_each_and_details_are_shown_when_asked_for() {
    let (dir, names) = thirty_runs();
    let mut arguments = vec!["compare", "qrels.txt", "v15.run", "-m", "RR@10"];
    arguments.extend(names.iter().map(String::as_str).filter(|name| *name != "v15.run"));
    let told = cli::run(dir.path(), &arguments, "").stdout;
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[0].starts_with("RR@10, 29 candidates against v15.run: "), "{told}");
    assert!(lines[2].starts_with("v29.run") && lines[2].ends_with("not shown"), "{told}");
    assert!(lines.iter().any(|line| line.starts_with("v15.run") && line.ends_with("baseline")), "{told}");
    assert!(lines.len() < 60 && lines.iter().all(|line| line.chars().count() <= 80), "{told}");
    assert!(!told.contains("query by query"), "{told}");

    // Ten candidates are many as well.
    let ten = &arguments[..15];
    let wide = run_at("200", dir.path(), ten);
    let header = wide.lines().nth(1).unwrap();
    for column in ["candidate", "mean", "diff", "95% CI", "p ", "p adj.", "W/L", "verdict"] {
        assert!(header.contains(column), "{wide}");
    }
    let one = cli::run(dir.path(), &[&arguments[..], &["--details", "v20.run"]].concat(), "").stdout;
    assert!(one.starts_with(&told[..told.find("\n\n").unwrap()]), "{one}");
    assert_eq!(one.matches("query by query").count(), 1, "{one}");
    let all = cli::run(dir.path(), &[ten, &["--all"]].concat(), "").stdout;
    assert_eq!(all.matches("query by query").count(), 10, "{all}");
    let csv = cli::run(dir.path(), &[ten, &["--format", "csv"]].concat(), "").stdout;
    assert_eq!(csv.lines().count(), 11, "{csv}");
}

#[test]
fn plots_are_written_into_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let plots = dir.path().join("made/here");
    let arguments =
        ["compare", "qrels.txt", "old.run", "new.run", "-m", "RR@10", "--plots", plots.to_str().unwrap()];
    assert_eq!(run(&arguments).status, Some(0));
    for name in ["forest.svg", "changes-new.run-vs-old.run-RR@10.svg"] {
        let svg = std::fs::read_to_string(plots.join(name)).unwrap();
        assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{name}: {svg}");
    }
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let refused = run(&[&arguments[..7], &[file.to_str().unwrap()]].concat());
    assert_eq!(refused.status, Some(2));
    assert!(refused.stderr.contains("cannot make folder"), "{}", refused.stderr);
}

#[test]
fn a_report_of_which_nothing_was_expected_labels_nothing_a_gate() {
    let dir = tempfile::tempdir().unwrap();
    for file in ["report.md", "report.html"] {
        let path = dir.path().join(file);
        let line = ["compare", "qrels.txt", "old.run", "new.run", "copy.run", "-m", "RR@10", "--report"];
        assert_eq!(run(&[&line[..], &[path.to_str().unwrap()]].concat()).status, Some(0));
        let text = std::fs::read_to_string(&path).unwrap();
        for label in ["ADVISORY", "class=\"badge advisory\"", "improvement", "INCONCLUSIVE"] {
            assert!(!text.contains(label), "{file}: {label}");
        }
        assert!(text.contains("REPORTED") && text.contains("identical"), "{file}");
    }
    let markdown = std::fs::read_to_string(dir.path().join("report.md")).unwrap();
    assert!(markdown.starts_with("## compare: 2 reported\n"), "{markdown}");
    assert!(markdown.contains("new.run-vs-old.run::RR@10 | nothing | +0.3214 "), "{markdown}");
}

#[test]
fn a_report_is_written_beside_the_result() {
    let dir = tempfile::tempdir().unwrap();
    let arguments =
        |path: &'static str| ["compare", "qrels.txt", "old.run", "new.run", "-m", "RR@10", "--report", path];
    for (file, begins) in
        [("report.md", "## compare: "), ("report.json", "{\n  \"schema\": 2,"), ("report.html", "<!")]
    {
        let path: &'static str =
            Box::leak(dir.path().join(file).to_str().unwrap().to_owned().into_boxed_str());
        let output = run(&arguments(path));
        assert_eq!(output.status, Some(0), "{}", output.stderr);
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with(begins), "{text}");
    }
}

/// What a command prints as JSON is what its schema says, and every key of it is in the schema.
#[test]
fn what_is_written_as_json_is_what_the_schemas_say() {
    let dir = tempfile::tempdir().unwrap();
    let report = dir.path().join("report.json");
    let report = report.to_str().unwrap();
    for (of, line) in [
        ("eval", "eval qrels.txt new.run --per-query -m AP,NumRet,Success@1"),
        (
            "compare",
            "compare qrels.txt old.run new.run copy.run -m AP,Judged@2 --expect improvement --min-gain 0.1",
        ),
        ("compare", "compare qrels.txt old.run new.run -m P@2 --expect identical"),
        ("explain", "explain qrels.txt old.run new.run --query q08 --corpus docs.jsonl -m AP"),
        ("power", "power qrels.txt old.run"),
        ("power", "power qrels.txt old.run copy.run"),
        ("report", "compare qrels.txt old.run new.run -m AP"),
    ] {
        let schema: Value = serde_json::from_str(&run(&["schema", "--of", of]).stdout).unwrap();
        let mut arguments: Vec<&str> = line.split_whitespace().chain(["--format", "json"]).collect();
        if of == "report" {
            arguments.extend(["--report", report]);
        }
        let output = run(&arguments);
        let text = if of == "report" { std::fs::read_to_string(report).unwrap() } else { output.stdout };
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(schema::faults(&schema, &value), Vec::<String>::new(), "{line}");
        for key in value.as_object().unwrap().keys() {
            assert!(schema["properties"].get(key).is_some(), "{of}: `{key}` is not in the schema");
        }
        let mut wrong = value;
        wrong["schema"] = Value::from("1");
        assert!(!schema::faults(&schema, &wrong).is_empty(), "{of}: the schema says nothing");
    }
}

#[test]
fn help_shows_examples() {
    for command in ["eval", "compare", "explain", "power", "schema"] {
        let output = run(&[command, "--help"]);
        assert_eq!(output.status, Some(0));
        assert!(output.stdout.contains("Examples:\n"), "{command}");
        assert!(output.stdout.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
}

#[test]
fn judgments_that_memory_does_not_hold_are_scored_as_those_that_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines = |row: &dyn Fn(usize, usize) -> String| -> String {
        (0..500).flat_map(|query| (0..80).map(move |place| (query, place))).map(|(q, p)| row(q, p)).collect()
    };
    let judged = lines(&|query, place| format!("q{query} 0 d{} {}\n", place * 3, (query + place) % 3));
    let retrieved =
        lines(&|query, place| format!("q{query} Q0 d{} 0 {} t\n", place * 2, (place * 37 + query) % 80));
    rankgate::Qrels::parse("judged", judged.as_bytes())
        .unwrap()
        .write_parquet(path("judged.parquet"))
        .unwrap();
    std::fs::write(path("a.run"), retrieved).unwrap();
    let run = rankgate::Run::read(path("a.run"), rankgate::Order::Score).unwrap();
    rankgate::run::RunWriter::new("t").write(&run, path("a.parquet")).unwrap();
    let eval = |memory: &str| {
        let arguments =
            ["eval", "judged.parquet", "a.parquet", "--memory", memory, "--write-scores", "scores.csv"];
        let output =
            cli::run(folder.path(), &[&arguments[..], &["--format", "json", "--quiet"]].concat(), "");
        assert_eq!(
            (output.status, output.stderr.as_str()),
            (Some(0), ""),
            "{}",
            output.transcript(&arguments)
        );
        (output.stdout, std::fs::read_to_string(path("scores.csv")).unwrap())
    };
    assert_eq!(eval("1M"), eval("512M"));
}
