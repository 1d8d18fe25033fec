//! Nothing that a file contains makes reading it panic, hang or exhaust memory.

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use rankgate::Result;
use rankgate::spec::{Params, Registry, Spec};

const EXAMPLE: &str = include_str!("../specs/benchmarks/helpdesk.yaml");

fn parse(text: &str) -> Result<Spec> {
    let mut registry = Registry::new();
    registry.retriever("mine").retriever("big");
    Spec::parse(Path::new("tests/specs/benchmarks/x.yaml"), text, &registry)
}

/// What is wrong, shown and counted.
fn fault(text: &str) -> String {
    let error = match parse(text) {
        Ok(spec) => panic!("the spec is accepted, with {} gates", spec.gates.len()),
        Err(error) => error.to_string(),
    };
    assert!(error.len() < 100_000, "{} bytes of error", error.len());
    error
}

/// A spec whose parts are replaced one at a time.
fn spec(collection: &str, configurations: &str, more: &str) -> String {
    format!("version: 1\nbenchmark: x\ncollection: {collection}\nconfigurations: {configurations}\n{more}\n")
}

const INLINE: &str = "{inline: {queries: [{id: q1, text: a}]}}";
const MINE: &str = "{mine: {retriever: mine}}";
const GATE: &str = "thresholds: [{metric: AP, min: 0.1}]";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_a_spec_or_an_error(text in ".{0,200}") {
        if let Err(error) = parse(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
        if let Ok(params) = Params::from_yaml(&text) {
            let _ = params.deserialize::<serde_json::Value>();
            let _ = params.to_string();
        }
    }

    #[test]
    fn any_sequence_of_yaml_is_a_spec_or_an_error(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "version: 1\n", "benchmark: x\n", "collection:", "inline:", "thresholds:", "configurations:", "- ", "{", "}",
                "[", "]", ",", ": ", "\n", "  ", "&a ", "*a", "<<: ", "\"", "'", "|\n", ">\n", "? ", "!x ", "!!str ", "#",
                "---\n", "...\n", "%YAML 1.2\n", "~", "null", "1", "1e999", "-0", ".nan", "metric", "nDCG@10", "min", "日本", "\t", "\r\n",
                "\u{feff}", "\u{0}", "\u{2028}", "\u{202e}", "${A}", "{text}",
            ]),
            0..40,
        )
    ) {
        if let Err(error) = parse(&parts.concat()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_damaged_spec_is_a_spec_or_an_error(
        cuts in prop::collection::vec((0..EXAMPLE.len(), 0..30_usize, "[\\PC\n\t]{0,8}"), 1..6)
    ) {
        let mut text = EXAMPLE.to_owned();
        for (at, length, instead) in cuts {
            let rest: String = text.chars().skip(at + length).collect();
            text = text.chars().take(at).chain(instead.chars()).chain(rest.chars()).collect();
        }
        if let Err(error) = parse(&text) {
            let error = error.to_string();
            prop_assert!(error.contains("tests/specs/benchmarks/x.yaml"), "{error}");
        }
    }
}

#[test]
fn a_file_of_10_mb_is_read_and_a_larger_one_is_refused() {
    let mut queries = String::from("\n  inline:\n    queries:\n");
    for i in 0.. {
        if queries.len() > 9_900_000 {
            break;
        }
        let words = "the quick brown fox jumps over the lazy dog ".repeat(4);
        writeln!(queries, "      - {{id: q{i}, text: {words}, relevant: [d{i}], category: animals}}")
            .unwrap();
    }
    let spec = parse(&spec(&queries, MINE, GATE)).unwrap();
    assert!(spec.collection.resolve().unwrap().load().unwrap().queries().len() > 30_000);
    let error = parse(&format!("# {}", "x".repeat(10_000_000))).unwrap_err().to_string();
    assert!(error.starts_with("tests/specs/benchmarks/x.yaml: larger than 10 MB"), "{error}");
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let levels: String = (0..60).fold(String::new(), |mut text, i| {
        writeln!(text, "a{}: &a{} [*a{i}, *a{i}, *a{i}, *a{i}]", i + 1, i + 1).unwrap();
        text
    });
    assert!(fault(&format!("a0: &a0 [x, x]\n{levels}")).contains("more than 1000000 values"));
    // What aliases repeat is checked wherever it is used: once for every use is not too much.
    let limits = "{metric: nDCG@5, mim: 1}, ".repeat(1000);
    let uses: String = (0..100).map(|i| format!("  c{i}: {{retriever: mine, params: *limits}}\n")).collect();
    let text = spec(INLINE, &format!("\n{uses}"), &format!("x-limits: &limits [{limits}]\n"));
    fault(&text.replace("version: 1\n", &format!("thresholds: &limits [{limits}]\nversion: 1\n")));
}

#[test]
fn very_many_of_anything_are_an_error_or_a_plan() {
    let many = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<String>();
    let keys = many(5_000, &|i| format!("key{i}: 1\n"));
    assert!(fault(&keys).contains("errors in"));
    let twice = many(5_000, &|_| "depth: 1\n".to_owned());
    assert!(fault(&twice).contains("stands here twice"));
    let metrics = many(2_000, &|i| format!("P@{}, ", i + 1));
    assert!(parse(&spec(INLINE, MINE, &format!("metrics: [{metrics}AP]\n{GATE}"))).is_ok());
    let segments = many(5_000, &|i| format!("s{i}, "));
    assert!(parse(&spec(INLINE, MINE, &format!("segments: [{segments}x]\n{GATE}"))).is_ok());
    let names = many(5_000, &|i| format!("n{i}, "));
    assert!(
        fault(&spec(INLINE, MINE, &format!("thresholds: [{{metric: AP, min: 0.1, for: [{names}x]}}]")))
            .contains("no configuration")
    );
    let same = many(3_000, &|_| "  - {metric: AP, min: 0.1}\n".to_owned());
    assert!(fault(&spec(INLINE, MINE, &format!("thresholds:\n{same}"))).contains("two gates"));
    let documents = many(3_000, &|i| format!("d{i}: text, "));
    let judged = many(3_000, &|i| format!("e{i}, "));
    let collection = format!(
        "{{inline: {{documents: {{{documents}}}, queries: [{{id: q, text: a, relevant: [{judged}]}}]}}}}"
    );
    assert!(fault(&spec(&collection, MINE, GATE)).contains("no document has the id"));
    let headers = many(3_000, &|i| format!("h{i}: x, "));
    let http = format!(
        "{{a: {{http: {{url: 'http://x', headers: {{{headers}}}, body: '{{text}}', hits: '', id: ''}}}}}}"
    );
    assert!(parse(&spec(INLINE, &http, GATE)).is_ok());
}

#[test]
fn very_long_text_makes_no_very_long_message() {
    let long = "x".repeat(1_000_000);
    for text in [
        spec(INLINE, MINE, &format!("thresholds: [{{metric: {long}, min: 0.1}}]")),
        spec(INLINE, MINE, &format!("'{long}': 1\n{GATE}")),
        spec(INLINE, &format!("{{mine: {{retriever: {long}}}}}"), GATE),
        spec(INLINE, &format!("{{'{long}': {{retriever: mine}}}}"), GATE),
        spec(INLINE, &format!("{{mine: {{command: {long}}}}}"), GATE),
        spec(INLINE, &format!("{{mine: {{run: {long}}}}}"), GATE),
        spec(INLINE, &format!("{{mine: {{retriever: mine, timeout: {long}}}}}"), GATE),
        spec(INLINE, &format!("{{mine: {{run: '${{{long}'}}}}"), GATE),
        spec(INLINE, MINE, &format!("thresholds: [{{metric: AP, min: 0.1, name: {long}}}]")),
        spec(INLINE, MINE, &format!("thresholds: [{{metric: AP, min: 0.1, segment: {{{long}: {long}}}}}]")),
        spec(INLINE, MINE, &format!("thresholds: [{{metric: AP, min: 0.1, for: {long}}}]")),
        spec(INLINE, MINE, &format!("statistics: {{confidence: {long}}}\n{GATE}")),
        format!("{long}: *{long}"),
        format!("a: !{long} b"),
        format!("version: {long}"),
    ] {
        let error = fault(&text);
        assert!(error.len() < 5_000, "{} bytes: {}...", error.len(), &error[..1000]);
    }
}
