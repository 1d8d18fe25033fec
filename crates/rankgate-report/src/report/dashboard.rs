//! Values with their intervals for dashboards: OpenMetrics, the JSON of Bencher, and a badge.
//!
//! Tests that gates run in never come here: `#[inline]` leaves it to the builds of those who call it.

use serde_json::{Map, Value, json};

use crate::model::{MetricReport, Report, Verdict, Verdicts};

use super::clean::{plain, shorten_name};
use super::lookup::all_measured;
use super::markup::{Element, el};
use super::phrases;
use super::width::width;

/// Each measured value: the report, the configuration and the metric.
#[inline]
fn values(reports: &[Report]) -> impl Iterator<Item = (&Report, &str, &MetricReport)> {
    reports.iter().flat_map(|report| {
        all_measured(report).into_iter().flat_map(move |(configuration, measured)| {
            measured.metrics.iter().map(move |metric| (report, configuration.name.as_str(), metric))
        })
    })
}

/// The values of metrics with their intervals, and how many gates came to each verdict, in the text format of OpenMetrics,
/// which Prometheus reads. Configurations that were not measured have no line.
///
/// Source: OpenMetrics 1.0, "Text Format".
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let text = rankgate::report::openmetrics(&[report]);
/// let line = r#"rankgate_value{benchmark="helpdesk",configuration="bm25",metric="nDCG@10"} 0.5312"#;
/// assert!(text.contains(line) && text.ends_with("# EOF\n"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
#[inline]
pub fn openmetrics(reports: &[Report]) -> String {
    let mut text = family("rankgate_value", "Value of a metric of a configuration.");
    for (report, configuration, metric) in values(reports) {
        text += &sample("rankgate_value", &labels(report, configuration, metric), metric.value);
    }
    for (name, help, end) in [
        ("rankgate_value_lower", "Lower end of the interval of a value.", 0),
        ("rankgate_value_upper", "Upper end of the interval of a value.", 1),
    ] {
        text += &family(name, help);
        for (report, configuration, metric) in values(reports) {
            if let Some(limits) = metric.interval {
                let mut labels = labels(report, configuration, metric);
                labels.push(("confidence", report.confidence.to_string()));
                text += &sample(name, &labels, limits[end]);
            }
        }
    }
    text += &family("rankgate_gates", "Number of gates that came to a verdict.");
    for report in reports {
        for verdict in Verdict::ALL {
            let gates = report.gates.iter().filter(|gate| gate.verdict == verdict).count();
            let labels = [("benchmark", report.benchmark.clone()), ("verdict", verdict.to_string())];
            text += &sample("rankgate_gates", &labels, gates as f64);
        }
    }
    text + "# EOF\n"
}

#[inline]
fn labels(report: &Report, configuration: &str, metric: &MetricReport) -> Vec<(&'static str, String)> {
    vec![
        ("benchmark", report.benchmark.clone()),
        ("configuration", configuration.to_owned()),
        ("metric", metric.metric.clone()),
    ]
}

#[inline]
fn family(name: &str, help: &str) -> String {
    format!("# TYPE {name} gauge\n# HELP {name} {help}\n")
}

#[inline]
fn sample(name: &str, labels: &[(&str, String)], value: f64) -> String {
    // The format escapes a line break; what else cannot be seen is made visible, as in all that is shown.
    let escaped = |text: &str| plain(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> =
        labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
    format!("{name}{{{}}} {value}\n", labels.join(","))
}

/// The values of metrics with their intervals as Bencher Metric Format, JSON by benchmark and configuration
/// (`helpdesk::bm25`). Configurations that were not measured are not in it.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let json: serde_json::Value = serde_json::from_str(&rankgate::report::bencher(&[report]))?;
/// let expected = serde_json::json!({"value": 0.5312, "lower_value": 0.489, "upper_value": 0.5734});
/// assert_eq!(json["helpdesk::bm25"]["nDCG@10"], expected);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
#[inline]
pub fn bencher(reports: &[Report]) -> String {
    let mut all = Map::new();
    for (report, configuration, metric) in values(reports) {
        let mut measure = json!({ "value": metric.value });
        if let Some([lower, upper]) = metric.interval {
            measure["lower_value"] = lower.into();
            measure["upper_value"] = upper.into();
        }
        let name = format!("{}::{configuration}", report.benchmark);
        let measures = all.entry(name).or_insert_with(|| json!({}));
        measures[metric.metric.as_str()] = measure;
    }
    format!("{:#}\n", Value::Object(all))
}

/// The verdicts as a badge in SVG: the benchmark's name, or of several `retrieval`, and the counts of all their gates.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let svg = rankgate::report::badge(&[report]);
/// assert!(svg.starts_with("<svg ") && svg.contains("helpdesk: 1 failed"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
#[inline]
pub fn badge(reports: &[Report]) -> String {
    let verdicts: Verdicts =
        reports.iter().flat_map(|report| &report.gates).map(|gate| gate.verdict).collect();
    let name = match reports {
        [one] => shorten_name(&one.benchmark, NAME),
        _ => "retrieval".to_owned(),
    };
    let unrun = reports.iter().any(|report| report.error.is_some());
    match verdicts.worst() {
        // A spec with an error in it has no gate that could fail.
        _ if unrun => badge_of(&name, "not run", Some(Verdict::Errored)),
        None => badge_of(&name, "no gates", None),
        Some(worst) => badge_of(&name, &phrases::counts(&verdicts).to_string(), Some(worst)),
    }
}

/// A badge in SVG: a name, and words in the colour of a verdict, if there is one.
#[inline]
pub fn badge_of(name: &str, words: &str, verdict: Option<Verdict>) -> String {
    let colour = verdict.map_or(GREY, colour);
    let [left, right] = [name, words].map(|text| width(text) * CHARACTER + 2 * GAP);
    let label = format!("{name}: {words}");
    let rect = |x: usize, wide: usize, fill: &str| {
        el("rect")
            .attr("x", &x.to_string())
            .attr("width", &wide.to_string())
            .attr("height", "20")
            .attr("fill", fill)
    };
    let text = |x: usize, wide: usize, text: &str| -> Element {
        el("text")
            .attr("x", &(x + GAP).to_string())
            .attr("y", "14")
            // As wide as it was counted, whatever font there is.
            .attr("textLength", &(wide - 2 * GAP).to_string())
            .text(text)
    };
    let texts = el("g")
        .attr("fill", "#ffffff")
        .attr("font-family", "Verdana,DejaVu Sans,sans-serif")
        .attr("font-size", "11")
        .child(text(0, left, name))
        .child(text(left, right, words));
    el("svg")
        .attr("xmlns", "http://www.w3.org/2000/svg")
        .attr("width", &(left + right).to_string())
        .attr("height", "20")
        .attr("role", "img")
        .attr("aria-label", &label)
        .child(el("title").text(&label))
        .child(rect(0, left, "#1c2128"))
        .child(rect(left, right, colour))
        .child(texts)
        .render()
}

/// Characters of a benchmark's name on a badge, the width of one, and the room beside texts, in pixels.
const NAME: usize = 40;
const CHARACTER: usize = 7;
const GAP: usize = 6;
const PURPLE: &str = "#7a3fc0";
const GREY: &str = "#5b6570";

/// As in reports on a light ground.
#[inline]
fn colour(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "#17713a",
        Verdict::Failed => "#bd2130",
        Verdict::Inconclusive => "#8a5a00",
        Verdict::Errored => PURPLE,
        Verdict::Advisory => "#0b6e8f",
        Verdict::Reported | Verdict::Skipped => GREY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::helpdesk;

    #[test]
    fn what_data_holds_ends_no_label_and_no_element() {
        let mut report = helpdesk();
        report.benchmark = "a\u{1b}[2J\r\u{202e}".to_owned();
        let text = openmetrics(std::slice::from_ref(&report));
        assert!(text.contains(r#"{benchmark="a\\u{1b}[2J\\r\\u{202e}",configuration="#), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text}");
        report.benchmark = "a\"} 1\n<script>\\".to_owned();
        let text = openmetrics(std::slice::from_ref(&report));
        assert!(text.contains("{benchmark=\"a\\\"} 1\\n<script>\\\\\",configuration="), "{text}");
        assert!(text.lines().all(|line| line.starts_with("# ") || line.starts_with("rankgate_")), "{text}");
        assert!(!badge(&[report]).contains("<script>"));
    }

    #[test]
    fn a_badge_has_the_colour_of_the_worst_verdict_of_all_reports() {
        let (failed, mut passed) = (helpdesk(), helpdesk());
        passed.gates.retain(|gate| gate.verdict == Verdict::Passed);
        let mut unrun = Report::blank("other");
        unrun.error = Some("no spec".to_owned());
        for (reports, colour, label) in [
            (vec![failed.clone()], "#bd2130", "helpdesk: "),
            (vec![passed.clone()], "#17713a", "helpdesk: "),
            (vec![passed.clone(), failed], "#bd2130", "retrieval: "),
            (vec![passed, unrun.clone()], PURPLE, "retrieval: not run"),
            (vec![Report::blank("other")], GREY, "other: no gates"),
            (vec![], GREY, "retrieval: no gates"),
        ] {
            let svg = badge(&reports);
            assert!(svg.contains(colour) && svg.contains(label), "{svg}");
        }
    }
}
