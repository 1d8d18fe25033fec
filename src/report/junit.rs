//! The report as JUnit XML, which CI systems show as a list of tests.

use crate::model::{GateReport, Outcome, Report, Verdict};
use crate::shown::is_unfit;

use super::BrokenSpec;
use super::lookup::gate_name;
use super::message::{message_in, seen, word};
use super::number::DECIMALS;

/// Columns of a message.
const WIDTH: usize = 100;

/// JUnit XML of these reports, a suite for each; and of the specs that could not be read, each a suite
/// with one error.
///
/// A gate is a test case: `failure` where it failed or is inconclusive, `error` where it could not be
/// decided, and `system-out` with the message where it is advisory. A configuration that the spec
/// ignores is one `skipped` case. Times are left out, so that the same results are the same bytes.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let xml = rankgate::report::junit(&[report], &[]);
/// assert!(xml.contains("<testcase name=\"bm25::nDCG@10\" classname=\"helpdesk\""));
/// assert!(xml.contains("<failure type=\"FAILED\" message=\"0.5312 &lt; 0.6000\">"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn junit(reports: &[Report], broken: &[BrokenSpec]) -> String {
    let suites: Vec<Suite> = reports.iter().map(suite_of).chain(broken.iter().map(suite_of_broken)).collect();
    let mut page = Page(String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    let sum = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let totals = counts(&[
        ("tests", sum(|suite| suite.cases.len())),
        ("failures", sum(|suite| suite.count("failure"))),
        ("errors", sum(|suite| suite.count("error"))),
    ]);
    page.line(0, &format!("<testsuites name=\"rankgate\"{totals}>"));
    for suite in &suites {
        suite.write(&mut page);
    }
    page.line(0, "</testsuites>");
    page.0
}

/// The tests of one spec.
struct Suite {
    name: String,
    properties: Vec<(String, String)>,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    class: String,
    file: String,
    line: Option<u64>,
    outcome: Option<CaseOutcome>,
}

/// What stands inside of a case that did not simply pass.
struct CaseOutcome {
    element: &'static str,
    /// `type` and `message`, of the elements that have them.
    attributes: Vec<(&'static str, String)>,
    text: String,
}

fn suite_of(report: &Report) -> Suite {
    let mut properties = vec![
        ("spec".to_owned(), report.spec.clone()),
        ("confidence".to_owned(), report.confidence.to_string()),
    ];
    if let Some(collection) = &report.collection {
        properties.push(("queries".to_owned(), collection.queries.to_string()));
        properties.push(("judgments".to_owned(), collection.judgments.to_string()));
    }
    for configuration in &report.configurations {
        properties.push((format!("configuration.{}", configuration.name), configuration.source.clone()));
        if let Outcome::Measured(measured) = &configuration.outcome {
            let metric = |metric: &crate::model::MetricReport| {
                (format!("{}.{}", configuration.name, metric.metric), metric.value.to_string())
            };
            properties.extend(measured.metrics.iter().map(metric));
        }
    }
    let mut cases: Vec<Case> = report.gates.iter().map(|gate| case_of(report, gate)).collect();
    for configuration in &report.configurations {
        if let Outcome::Ignored(reason) = &configuration.outcome {
            cases.push(Case {
                name: configuration.name.clone(),
                class: report.benchmark.clone(),
                file: report.spec.clone(),
                line: None,
                outcome: Some(CaseOutcome {
                    element: "skipped",
                    attributes: vec![("message", format!("ignored by the spec: {reason}"))],
                    text: String::new(),
                }),
            });
        }
    }
    Suite { name: report.benchmark.clone(), properties, cases }
}

fn case_of(report: &Report, gate: &GateReport) -> Case {
    let element = match gate.verdict {
        Verdict::Passed => None,
        Verdict::Failed | Verdict::Inconclusive => Some("failure"),
        Verdict::Errored => Some("error"),
        // It passes, and is said all the same.
        Verdict::Advisory | Verdict::Reported => Some("system-out"),
    };
    let outcome = element.map(|element| CaseOutcome {
        element,
        attributes: match element {
            "system-out" => Vec::new(),
            _ => vec![("type", word(gate.verdict).to_owned()), ("message", seen(gate, DECIMALS).to_string())],
        },
        text: message_in(report, gate, WIDTH),
    });
    Case {
        name: gate_name(report, gate).to_owned(),
        class: report.benchmark.clone(),
        file: gate.place.as_ref().map_or_else(String::new, |place| place.file.clone()),
        line: gate.place.as_ref().map(|place| place.line),
        outcome,
    }
}

fn suite_of_broken(spec: &BrokenSpec) -> Suite {
    let case = Case {
        name: "spec".to_owned(),
        class: spec.file.clone(),
        file: spec.file.clone(),
        line: spec.line.map(|line| u64::try_from(line).unwrap_or(u64::MAX)),
        outcome: Some(CaseOutcome {
            element: "error",
            attributes: vec![
                ("type", word(Verdict::Errored).to_owned()),
                ("message", "the spec was not run".to_owned()),
            ],
            text: spec.message.clone(),
        }),
    };
    Suite { name: spec.file.clone(), properties: Vec::new(), cases: vec![case] }
}

impl Suite {
    fn count(&self, element: &str) -> usize {
        self.cases
            .iter()
            .filter_map(|case| case.outcome.as_ref())
            .filter(|one| one.element == element)
            .count()
    }

    fn write(&self, page: &mut Page) {
        let counts = counts(&[
            ("tests", self.cases.len()),
            ("failures", self.count("failure")),
            ("errors", self.count("error")),
            ("skipped", self.count("skipped")),
        ]);
        page.line(1, &format!("<testsuite name=\"{}\"{counts}>", escape(&self.name)));
        if !self.properties.is_empty() {
            page.line(2, "<properties>");
            for (name, value) in &self.properties {
                page.line(3, &format!("<property name=\"{}\" value=\"{}\"/>", escape(name), escape(value)));
            }
            page.line(2, "</properties>");
        }
        for case in &self.cases {
            case.write(page);
        }
        page.line(1, "</testsuite>");
    }
}

impl Case {
    fn write(&self, page: &mut Page) {
        let mut start =
            format!("<testcase name=\"{}\" classname=\"{}\"", escape(&self.name), escape(&self.class));
        if !self.file.is_empty() {
            start += &format!(" file=\"{}\"", escape(&self.file));
        }
        if let Some(line) = self.line {
            start += &format!(" line=\"{line}\"");
        }
        let Some(outcome) = &self.outcome else { return page.line(2, &(start + "/>")) };
        page.line(2, &(start + ">"));
        let name = outcome.element;
        let mut element = format!("<{name}");
        for (attribute, value) in &outcome.attributes {
            element += &format!(" {attribute}=\"{}\"", escape(value));
        }
        match outcome.text.is_empty() {
            true => element += "/>",
            false => element += &format!(">{}</{name}>", escape_text(&outcome.text)),
        }
        page.line(3, &element);
        page.line(2, "</testcase>");
    }
}

fn counts(counts: &[(&str, usize)]) -> String {
    counts.iter().map(|(name, count)| format!(" {name}=\"{count}\"")).collect()
}

struct Page(String);

impl Page {
    fn line(&mut self, depth: usize, text: &str) {
        self.0 += &"  ".repeat(depth);
        self.0 += text;
        self.0.push('\n');
    }
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
