//! Names of tests.
//!
//! A name has the subject and the metric, never the limit, so that it stays the same when a limit
//! moves. It consists of what every test runner can list and filter by; the rest is
//! percent-encoded.

use std::fmt::Write;

use super::{Expectation, Segment};
use crate::metric::Metric;
use crate::stats::Quantile;

/// Longer names would make paths that some systems cannot hold.
pub const LONGEST_NAME: usize = 100;

/// Why this cannot be part of the names of tests and files, with what could be; `None` where it can.
pub fn name_fault(name: &str) -> Option<(&'static str, &'static str)> {
    let punctuation = |byte: u8| matches!(byte, b'.' | b'_' | b'-');
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let alphabet = "names are lower-case letters, digits, `.`, `_` and `-`, and start with a letter or digit";
    let stem = name.split('.').next().unwrap_or_default();
    let device = matches!(stem, "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    if name.is_empty() {
        Some(("is empty", alphabet))
    } else if !name.bytes().all(|byte| letter(byte) || punctuation(byte)) {
        Some(("has characters that names do not have", alphabet))
    } else if !letter(name.as_bytes()[0]) {
        Some(("does not start with a letter or digit", alphabet))
    } else if name.len() > LONGEST_NAME {
        Some(("is too long", "names have up to 100 characters"))
    } else if name.contains("__") {
        Some(("has two underscores in a row", "insta's review splits file names there"))
    } else if name.contains("-vs-") {
        Some(("has `-vs-` in it", "that is how tests of comparisons are named"))
    } else if name.ends_with('.') {
        Some(("ends in a dot", "Windows cannot have such files"))
    } else if device {
        Some(("is a device on Windows", "Windows cannot have such files"))
    } else {
        None
    }
}

/// A part of a test's name: what runners cannot carry is percent-encoded.
///
/// The alphabet is letters and digits of ASCII and `_ . @ = , [ ] -`.
pub fn encode_name(text: &str) -> String {
    encode(text, b"_.@=>,[]-")
}

/// What somebody types of a gate's name, as the name has it: `RBP(p=0.9)` of the spec is `RBP%28p=0.9%29` there.
pub fn encode_filter(text: &str) -> String {
    encode(text, b"_.@=>,[]-:%")
}

/// The same inside of brackets, where `=`, `,` and brackets have a meaning: different texts stay
/// different.
fn encode_label(text: &str) -> String {
    encode(text, b"_.@-")
}

fn encode(text: &str, punctuation: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || punctuation.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// `helpdesk::bm25::nDCG@10`, `...[category=billing]`, `...[goal]`.
pub fn threshold_name(
    benchmark: &str,
    configuration: &str,
    metric: &Metric,
    segment: Option<&Segment>,
    name: Option<&str>,
) -> String {
    let metric = encode_name(&metric.to_string());
    format!("{benchmark}::{configuration}::{metric}{}", brackets(segment, name))
}

/// `helpdesk::bm25-vs-golden::nDCG@10`, `...::identical`, `...::overlap@10`.
pub fn comparison_name(
    benchmark: &str,
    candidate: &str,
    baseline: &str,
    (expect, metric): (&Expectation, Option<&Metric>),
    segment: Option<&Segment>,
    name: Option<&str>,
) -> String {
    let what = match (metric, expect) {
        (Some(metric), _) => encode_name(&metric.to_string()),
        (None, Expectation::Overlap { cutoff, .. }) => format!("overlap@{cutoff}"),
        (None, Expectation::Identical | Expectation::Scores(_)) => expect.to_string(),
    };
    format!("{benchmark}::{candidate}-vs-{baseline}::{what}{}", brackets(segment, name))
}

/// `helpdesk::mine::latency-p95`, `helpdesk::mine-vs-bm25::latency[goal]`.
pub fn latency_name(
    benchmark: &str,
    configuration: &str,
    quantile: Option<Quantile>,
    baseline: Option<&str>,
    name: Option<&str>,
) -> String {
    let versus = baseline.map_or(String::new(), |baseline| format!("-vs-{baseline}"));
    let of = quantile.map_or(String::new(), |quantile| format!("-{quantile}"));
    format!("{benchmark}::{configuration}{versus}::latency{of}{}", brackets(None, name))
}

/// `helpdesk::bm25::snapshot`, `helpdesk::bm25::deterministic`.
pub fn configuration_name(benchmark: &str, configuration: &str, what: &str) -> String {
    format!("{benchmark}::{configuration}::{what}")
}

fn brackets(segment: Option<&Segment>, name: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(Segment { key, value }) = segment {
        let _ = write!(text, "[{}={}]", encode_label(key), encode_label(value));
    }
    if let Some(name) = name {
        let _ = write!(text, "[{}]", encode_label(name));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str) -> Metric {
        name.parse().unwrap()
    }

    #[test]
    fn names_say_what_is_judged() {
        let billing = Segment::new("category", "billing");
        let plain = threshold_name("helpdesk", "bm25", &metric("ndcg@10"), None, None);
        assert_eq!(plain, "helpdesk::bm25::nDCG@10");
        let both = threshold_name("helpdesk", "bm25", &metric("nDCG@10"), Some(&billing), Some("goal"));
        assert_eq!(both, "helpdesk::bm25::nDCG@10[category=billing][goal]");
        let expect = Expectation::Scores(crate::stats::Expectation::NoRegression { margin: 0.0 });
        let recall = metric("R@100");
        let pair = comparison_name("helpdesk", "bm25", "golden", (&expect, Some(&recall)), None, None);
        assert_eq!(pair, "helpdesk::bm25-vs-golden::R@100");
        let overlap = Expectation::Overlap { cutoff: 10, min: 0.9 };
        assert_eq!(comparison_name("x", "a", "b", (&overlap, None), None, None), "x::a-vs-b::overlap@10");
        assert_eq!(configuration_name("helpdesk", "bm25", "snapshot"), "helpdesk::bm25::snapshot");
        assert_eq!(latency_name("x", "a", Some(Quantile::P95), None, None), "x::a::latency-p95");
        assert_eq!(latency_name("x", "a", None, Some("b"), Some("goal")), "x::a-vs-b::latency[goal]");
        assert_eq!(
            comparison_name("x", "a", "b", (&Expectation::Identical, None), None, None),
            "x::a-vs-b::identical"
        );
    }

    #[test]
    fn what_runners_cannot_carry_is_percent_encoded() {
        let name = threshold_name("x", "a", &metric("nDCG(gain=exp2)@10"), None, Some("our goal: 70%\n"));
        assert_eq!(name, "x::a::nDCG%28gain=exp2%29@10[our%20goal%3A%2070%25%0A]");
        assert_eq!(encode_name("benchmarks/é.yaml"), "benchmarks%2F%C3%A9.yaml");
    }

    #[test]
    fn different_segments_have_different_names() {
        let name =
            |key, value| threshold_name("x", "a", &metric("AP"), Some(&Segment::new(key, value)), None);
        assert_ne!(name("a", "b=c"), name("a=b", "c"));
        assert_ne!(name("a", "b][c"), name("a", "b%5D%5Bc"));
    }
}
