//! The report as JUnit XML, which CI systems show as a list of tests.

use rankgate::benchmark::model::{GateReport, Outcome, Report, Verdict};
use rankgate_core::internal::shown::is_unfit;
use rankgate_report::report::internal::clean::clean;
use rankgate_report::report::internal::lookup::gate_name;
use rankgate_report::report::internal::message::{is_remarkable, message_in, short};
use rankgate_report::report::internal::number::DECIMALS;
use rankgate_report::report::internal::verdict::word;

use super::BrokenSpec;

/// Columns of a message.
const WIDTH: usize = 100;

/// JUnit XML of these reports, a suite for each; and of the specs that could not be read, each a suite
/// with one error.
///
/// A gate is a test case: `failure` where it failed or is inconclusive, `error` where it could not be
/// decided, and `system-out` with the message where it is advisory, or passed on inputs that changed, on incomplete
/// coverage or with a warning. An advisory gate that could not be decided beside blocking ones is `skipped`. Times are left out, so that the same results are the same bytes.
pub(crate) fn junit(reports: &[Report], broken: &[BrokenSpec]) -> String {
    let suites: Vec<Node> = reports.iter().map(suite_of).chain(broken.iter().map(suite_of_broken)).collect();
    let sum = |name| suites.iter().map(|suite| suite.count(name)).sum();
    let counts = [("tests", sum("testcase")), ("failures", sum("failure")), ("errors", sum("error"))];
    let all = Node::new("testsuites", [("name", "rankgate".to_owned())]).counted(counts).with(suites);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    all.write(0, &mut xml);
    xml
}

/// An element.
struct Node {
    name: &'static str,
    attributes: Vec<(&'static str, String)>,
    inside: Inside,
}

enum Inside {
    Nothing,
    Text(String),
    Nodes(Vec<Node>),
}

impl Node {
    fn new(name: &'static str, attributes: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self { name, attributes: attributes.into_iter().collect(), inside: Inside::Nothing }
    }

    fn with(self, nodes: Vec<Node>) -> Self {
        Self { inside: Inside::Nodes(nodes), ..self }
    }

    fn counted(mut self, counts: impl IntoIterator<Item = (&'static str, usize)>) -> Self {
        self.attributes.extend(counts.into_iter().map(|(name, count)| (name, count.to_string())));
        self
    }

    /// How many elements of this name are in it.
    fn count(&self, name: &str) -> usize {
        let Inside::Nodes(nodes) = &self.inside else { return 0 };
        nodes.iter().map(|node| usize::from(node.name == name) + node.count(name)).sum()
    }

    fn write(&self, depth: usize, xml: &mut String) {
        let (indent, name) = ("  ".repeat(depth), self.name);
        let attributes: String =
            self.attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escape(value))).collect();
        *xml += &format!("{indent}<{name}{attributes}");
        match &self.inside {
            Inside::Nothing => *xml += "/>\n",
            Inside::Text(text) => *xml += &format!(">{}</{name}>\n", escape_text(text)),
            Inside::Nodes(nodes) => {
                *xml += ">\n";
                nodes.iter().for_each(|node| node.write(depth + 1, xml));
                *xml += &format!("{indent}</{name}>\n");
            }
        }
    }
}

/// The tests of one spec.
fn suite(name: &str, properties: Vec<(String, String)>, cases: Vec<Node>) -> Node {
    let property = |(name, value)| Node::new("property", [("name", name), ("value", value)]);
    let mut nodes = Vec::new();
    if !properties.is_empty() {
        nodes.push(Node::new("properties", []).with(properties.into_iter().map(property).collect()));
    }
    nodes.extend(cases);
    let suite = Node::new("testsuite", [("name", name.to_owned())]).with(nodes);
    let names = [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")];
    let counts = names.map(|(name, element)| (name, suite.count(element)));
    suite.counted(counts)
}

fn case([name, class, file]: [&str; 3], line: Option<u64>, outcome: Option<Node>) -> Node {
    let mut attributes = vec![("name", name.to_owned()), ("classname", class.to_owned())];
    attributes.extend((!file.is_empty()).then(|| ("file", file.to_owned())));
    attributes.extend(line.map(|line| ("line", line.to_string())));
    let case = Node::new("testcase", attributes);
    match outcome {
        Some(outcome) => case.with(vec![outcome]),
        None => case,
    }
}

fn suite_of(report: &Report) -> Node {
    let mut properties = vec![
        ("spec".to_owned(), report.spec.clone()),
        ("confidence".to_owned(), report.confidence.to_string()),
    ];
    if let Some(collection) = &report.collection {
        properties.push(("queries".to_owned(), collection.queries.to_string()));
        properties.push(("judgments".to_owned(), collection.judgments.to_string()));
    }
    let cases: Vec<Node> = report.gates.iter().map(|gate| case_of(report, gate)).collect();
    for one in &report.configurations {
        properties.push((format!("configuration.{}", one.name), one.source.clone()));
        match &one.outcome {
            Outcome::Measured(measured) => properties.extend(
                measured
                    .metrics
                    .iter()
                    .map(|metric| (format!("{}.{}", one.name, metric.metric), metric.value.to_string())),
            ),
            Outcome::Error(_) | Outcome::NotAsked => {}
        }
    }
    suite(&report.benchmark, properties, cases)
}

fn case_of(report: &Report, gate: &GateReport) -> Node {
    let told = || [("type", word(gate.verdict).to_owned()), ("message", clean(&short(gate, DECIMALS)))];
    let outcome = match gate.verdict {
        // What it rests on has changed, or is not all there.
        Verdict::Passed if is_remarkable(gate) => Some(Node::new("system-out", [])),
        Verdict::Passed => None,
        Verdict::Failed | Verdict::Inconclusive => Some(Node::new("failure", told())),
        // It fails nothing, and was not measured.
        Verdict::Error if !report.fails_by(gate) => Some(Node::new("skipped", told())),
        Verdict::Error => Some(Node::new("error", told())),
        // It passes, and is said all the same.
        Verdict::Advisory | Verdict::Reported => Some(Node::new("system-out", [])),
    };
    let text = |node| Node { inside: Inside::Text(message_in(report, gate, WIDTH)), ..node };
    let (file, line) = gate.file_and_line().unzip();
    case([gate_name(report, gate), &report.benchmark, file.unwrap_or_default()], line, outcome.map(text))
}

fn suite_of_broken(spec: &BrokenSpec) -> Node {
    let told = [("type", word(Verdict::Error).to_owned()), ("message", "the spec was not run".to_owned())];
    let error = Node { inside: Inside::Text(spec.message.clone()), ..Node::new("error", told) };
    let line = spec.line.map(|line| u64::try_from(line).unwrap_or(u64::MAX));
    suite(&spec.file, Vec::new(), vec![case(["spec", &spec.file, &spec.file], line, Some(error))])
}

/// Text of an attribute: line breaks would become blanks there.
fn escape(text: &str) -> String {
    escape_text(text).replace('\t', "&#9;").replace('\n', "&#10;")
}

/// Text between tags. Characters that XML cannot hold, not even as a reference, and those that reorder
/// lines become visible.
fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(c),
            c if is_unfit(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.extend(c.escape_unicode()),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_xml_cannot_hold_becomes_visible() {
        for (text, expected) in [
            ("a < b & \"c\" > d", "a &lt; b &amp; &quot;c&quot; &gt; d"),
            ("]]>", "]]&gt;"),
            ("a\u{0}b\u{1b}[0m\u{b}\r", r"a\u{0}b\u{1b}[0m\u{b}\u{d}"),
            ("\u{fffe}\u{ffff}\u{85}", r"\u{fffe}\u{ffff}\u{85}"),
            ("検索 \u{1f600}", "検索 \u{1f600}"),
        ] {
            assert_eq!(escape_text(text), expected);
        }
        assert_eq!(escape("a\n\tb"), "a&#10;&#9;b");
    }
}
