//! Runs whose lists are upside down or end too early: what each command says of them.

#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::cli;
use crate::repository::root;
use serde_json::Value;

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
                - {candidate: short, baseline: right, metric: R@30, coverage: 0}\n";
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
    let rising = scores["rising_scores"].as_str().unwrap();
    assert!(rising.starts_with("scores rise with the ranks in 20 of 20 queries"), "{rising}");
    let by_rank = told("eval qrels.txt ranks.run -m RR@10 --order rank");
    assert!(!by_rank.stderr.contains("scores rise"), "{}", by_rank.stderr);

    let compared = told("compare qrels.txt right.run ranks.run -m RR@10");
    let text = compared.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(&format!("ranks.run: {rising}")), "{}", compared.stdout);
    let compared = told("compare qrels.txt right.run ranks.run -m RR@10 --format json -q");
    let all: Value = serde_json::from_str(&compared.stdout).unwrap();
    let warning = &all["comparisons"][0]["warnings"][0];
    assert_eq!(warning["kind"], "rising-scores", "{}", compared.stdout);
    assert!(warning["text"].as_str().unwrap().starts_with(&format!("ranks.run: {rising}")), "{warning}");
    let many = told("compare qrels.txt right.run ranks.run short.run lists.run -m RR@10");
    assert!(many.status == Some(2), "{}", many.stdout);
    std::fs::copy(folder.path().join("right.run"), folder.path().join("lists.run")).unwrap();
    let many = told("compare qrels.txt right.run ranks.run short.run lists.run -m RR@10");
    assert!(many.stderr.contains(&format!("ranks.run: {rising}")), "{}", many.stderr);

    let ran = told("run lists.yaml");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(rising) && text.contains("`order: rank`"), "{}", ran.stdout);
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
    let said = scores["rising_scores"].as_str().unwrap();
    assert!(said.contains("in 20 of 20 queries") && said.contains("has no ranks"), "{said}");
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

    let refused = told("compare qrels.txt right.run short.run -m R@30");
    let said = "error: short.run has complete lists for 0 of 20 queries, and the others end at rank 10 (0%). 90% is needed. Make \
                the run with more results, or use a metric with a cutoff of 10";
    assert!(refused.status == Some(2) && refused.stderr.starts_with(said), "{}", refused.stderr);
    let compared = told("compare qrels.txt right.run short.run -m R@30 --min-coverage 0");
    let text = compared.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let warning = "the lists of short.run end at rank 10, those of right.run at 30, and R@30 looks further down than 10";
    assert!(text.contains(warning), "{}", compared.stdout);
    assert!(!text.contains("nobody judged"), "{}", compared.stdout);
    let compared = told("compare qrels.txt right.run short.run -m RR@10");
    assert!(!compared.stdout.contains("end at rank"), "{}", compared.stdout);

    let ran = told("run lists.yaml");
    let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the lists of short end at rank 10, those of right at 30"), "{}", ran.stdout);
    assert!(text.contains(cut), "{}", ran.stdout);
}

/// What an attacker found: a baseline of one result makes a candidate pass that is .0926 worse on nDCG@10.
#[test]
fn a_baseline_that_was_cut_by_rank_is_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let qrels = root().join("examples/data/helpdesk/qrels/test.tsv");
    let qrels = qrels.to_str().unwrap();
    // The blessed rankings as TREC runs of so many results a query.
    let write = |name: &str, depth: usize| {
        let text = std::fs::read_to_string(root().join(format!("golden/helpdesk/{name}.run"))).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#')).flat_map(|line| {
            let mut ids = line.split(' ');
            let query = ids.next().unwrap();
            (1..=depth).zip(ids).map(move |(rank, id)| {
                format!("{query} Q0 {} {rank} {} t\n", id.trim_start_matches('='), 1000 - rank)
            })
        });
        std::fs::write(folder.path().join(format!("{name}-{depth}.run")), lines.collect::<String>()).unwrap();
    };
    for depth in [1, 2, 3, 10] {
        write("stemmed", depth);
    }
    write("words", 10);
    let compare = |baseline: &str, more: &str| {
        let line = format!("compare {qrels} {baseline} words-10.run {more}");
        cli::run(folder.path(), &line.split(' ').collect::<Vec<_>>(), "")
    };
    let whole = compare("stemmed-10.run", "-m nDCG@10 --expect improvement");
    assert_eq!(whole.status, Some(1), "{}", whole.stderr);
    for (depth, metric, expect) in [
        (1, "nDCG@10", "improvement"),
        (2, "R@10", "non-inferiority --margin 0.02"),
        (3, "R@10", "no-regression"),
    ] {
        let cut = compare(
            &format!("stemmed-{depth}.run"),
            &format!("-m {metric} --expect {expect} --min-coverage 0.98"),
        );
        assert_eq!((cut.status, &*cut.stdout), (Some(2), ""), "{depth} {metric} {expect}");
        let said = format!("the others end at rank {depth} (");
        assert!(cut.stderr.contains(&said), "{}", cut.stderr);
    }
    // What the attack makes of it: the gain that is none.
    let meant = compare("stemmed-1.run", "-m nDCG@10 --expect improvement --min-coverage 0");
    assert_eq!(meant.status, Some(0), "{}", meant.stdout);
}
