//! Suites read: their gates, and what is refused at which place.

use super::*;

const ONE: &str = "
version: 1
benchmark: NAME
collection:
  inline:
    queries:
      - {id: q1, text: alpha, relevant: [d1]}
configurations:
  old: {retriever: old}
  new: {retriever: new}
metrics: [nDCG@10]
";

fn load(suite: &str) -> Result<SuiteSpec> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["one", "two", "three"] {
        let text = ONE.replace("NAME", name);
        let text = if name == "three" { text.replace("  new: {retriever: new}\n", "") } else { text };
        std::fs::write(folder.path().join(format!("{name}.yaml")), text).unwrap();
    }
    std::fs::write(folder.path().join("broken.yaml"), ONE.replace("NAME", "broken") + "dept: 5\n").unwrap();
    let path = folder.path().join("suite.yaml");
    std::fs::write(&path, format!("version: 1\nsuite: all\n{suite}")).unwrap();
    assert!(SuiteSpec::is_in(&path) && !SuiteSpec::is_in(folder.path().join("one.yaml")));
    let mut registry = Registry::new();
    registry.retriever("old").retriever("new");
    SuiteSpec::load(&path, &registry)
}

#[test]
fn a_suite_has_gates_over_its_benchmarks() {
    let suite = load(
        "benchmarks: [one.yaml, two.yaml]
thresholds:
  - {metric: nDCG@10, min: 0.5, for: [new]}
comparisons:
  - {candidate: new, baseline: old, metrics: [nDCG@10, RR@5], expect: improvement}
  - {candidate: new, baseline: golden, metrics: [nDCG@10]}
",
    )
    .unwrap();
    let names: Vec<&str> = suite.gates.iter().map(|gate| gate.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "all::new::nDCG@10",
            "all::new-vs-old::nDCG@10",
            "all::new-vs-old::RR@5",
            "all::new-vs-golden::nDCG@10"
        ]
    );
    assert_eq!(suite.gates[1].line, 7);
}

#[test]
fn what_is_wrong_with_a_suite_is_said_at_its_place() {
    let mut wrong = Vec::new();
    let gate = "thresholds: [{metric: nDCG@10, min: 0.5}]\n";
    let two = "benchmarks: [one.yaml, two.yaml]\n";
    let compared = |entry: &str| {
        format!("{two}comparisons: [{{candidate: new, baseline: old, metric: RR@5, {entry}}}]\n")
    };
    for (text, place, said) in [
        (format!("benchmarks: [one.yaml]\n{gate}"), "3:13", "a suite takes two benchmarks or more"),
        (format!("benchmarks: [one.yaml, six.yaml]\n{gate}"), "3:24", "no such file"),
        (format!("benchmarks: [one.yaml, ./one.yaml]\n{gate}"), "3:24", "two benchmarks are called `one`"),
        (
            format!("benchmarks: [one.yaml, broken.yaml]\n{gate}"),
            "3:24",
            "`broken.yaml` has an error in line 12: unknown key `dept` in a spec",
        ),
        (format!("benchmarks: [one.yaml, suite.yaml]\n{gate}"), "3:24", "is a suite itself"),
        (
            "benchmarks: [one.yaml, three.yaml]\ncomparisons: [{candidate: new, baseline: old, metric: RR@5}]\n"
                .to_owned(),
            "4:27",
            "`new` is a configuration of `one` and not of `three`",
        ),
        (format!("{two}thresholds: [{{metric: R@50, min: 0.5}}]\n"), "4:23", "R@50 looks deeper than one asks, which is 10"),
        (format!("{two}metrics: [RR, FalseAnswer]\n{gate}"), "4:15", "FalseAnswer goes with the queries of one collection"),
        (
            format!("{two}thresholds: [{{metric: RR@5, min: 0.5, segment: {{a: b}}}}]\n"),
            "4:39",
            "`segment` is not for suites",
        ),
        (compared("expect: identical"), "4:", "`identical`"),
        (format!("{two}thresholds: [{{score: cost, max: 2}}]\n"), "4:15", "a column of scores is not for suites"),
        (compared("score: cost"), "4:", "a column of scores is not for suites"),
        (format!("{two}{gate}statistics: {{group-by: user}}\n"), "5:14", "`group-by` is not for suites"),
        (two.to_owned(), "1:1", "needs `thresholds` or `comparisons`"),
        (format!("{two}thresholds: []\n"), "1:1", "has no gate"),
    ] {
        let error = match load(&text) {
            Ok(_) => panic!("{text}"),
            Err(error) => error.to_string(),
        };
        let too_few = error.contains("two benchmarks or more") && !said.contains("two benchmarks or more");
        if too_few || !(error.contains(&format!("suite.yaml:{place}")) && error.contains(said)) {
            wrong.push(format!("{text}\n{error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_suite_is_no_benchmark() {
    let registry = Registry::new();
    let error =
        Spec::parse(Path::new("s.yaml"), "version: 1\nsuite: x\n", &registry).unwrap_err().to_string();
    assert!(error.contains("this is a suite, and a benchmark is needed here"), "{error}");
}
