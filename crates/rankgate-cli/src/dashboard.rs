//! Values with their intervals for dashboards: OpenMetrics, and a badge.

use rankgate::benchmark::model::{MetricReport, Outcome, Report, Verdict, Verdicts};
use rankgate_report::report::internal::clean::{plain, shorten_name};
use rankgate_report::report::internal::escaped;
use rankgate_report::report::internal::phrases;
use rankgate_report::report::internal::width::width;

/// Each measured value: the report, the configuration and the metric.
fn values(reports: &[Report]) -> impl Iterator<Item = (&Report, &str, &MetricReport)> {
    let configurations = |report| {
        let report: &Report = report;
        report.configurations.iter().map(move |one| (report, one))
    };
    reports.iter().flat_map(configurations).flat_map(|(report, one)| {
        let metrics = match &one.outcome {
            Outcome::Measured(measured) => measured.metrics.as_slice(),
            Outcome::Error(_) | Outcome::NotAsked => &[],
        };
        metrics.iter().map(move |metric| (report, one.name.as_str(), metric))
    })
}

/// The values of metrics with their intervals, and how many gates came to each verdict, in the text format of OpenMetrics,
/// which Prometheus reads. Configurations that were not measured have no line.
///
/// Source: OpenMetrics 1.0, "Text Format".
pub(crate) fn openmetrics(reports: &[Report]) -> String {
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

fn labels(report: &Report, configuration: &str, metric: &MetricReport) -> Vec<(&'static str, String)> {
    vec![
        ("benchmark", report.benchmark.clone()),
        ("configuration", configuration.to_owned()),
        ("metric", metric.metric.clone()),
    ]
}

fn family(name: &str, help: &str) -> String {
    format!("# TYPE {name} gauge\n# HELP {name} {help}\n")
}

fn sample(name: &str, labels: &[(&str, String)], value: f64) -> String {
    // The format escapes a line break; what else cannot be seen is made visible, as in all that is shown.
    let escaped = |text: &str| plain(text).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> =
        labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
    format!("{name}{{{}}} {value}\n", labels.join(","))
}

/// The verdicts as a badge in SVG: the benchmark's name, or of several `retrieval`, and the counts of all their gates.
pub(crate) fn badge(reports: &[Report]) -> String {
    let verdicts: Verdicts =
        reports.iter().flat_map(|report| &report.gates).map(|gate| gate.verdict).collect();
    let name = match reports {
        [one] => shorten_name(&one.benchmark, NAME),
        _ => "retrieval".to_owned(),
    };
    let unrun = reports.iter().any(|report| report.error.is_some());
    match verdicts.worst() {
        // A spec with an error in it has no gate that could fail.
        _ if unrun => badge_of(&name, "not run", Some(Verdict::Error)),
        None => badge_of(&name, "no gates", None),
        Some(worst) => badge_of(&name, &phrases::counts(&verdicts).to_string(), Some(worst)),
    }
}

/// A badge in SVG: a name, and words in the colour of a verdict, if there is one.
fn badge_of(name: &str, words: &str, verdict: Option<Verdict>) -> String {
    let colour = verdict.map_or(GREY, colour);
    let [name, words] = [name, words].map(plain);
    let [left, right] = [&name, &words].map(|text| width(text) * CHARACTER + 2 * GAP);
    let [inner_left, inner_right, start] = [left - 2 * GAP, right - 2 * GAP, left + GAP];
    let all = left + right;
    let [name, words] = [name, words].map(|text| escaped(&text).replace('"', "&quot;"));
    // Texts are as wide as they were counted, whatever font there is.
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="20" role="img" aria-label="{name}: {words}">
<title>{name}: {words}</title>
<rect width="{left}" height="20" fill="#1c2128"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/>
<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{GAP}" y="14" textLength="{inner_left}">{name}</text>
<text x="{start}" y="14" textLength="{inner_right}">{words}</text>
</g>
</svg>
"##
    )
}

/// Characters of a benchmark's name on a badge, the width of one, and the room beside texts, in pixels.
const NAME: usize = 40;
const CHARACTER: usize = 7;
const GAP: usize = 6;
const PURPLE: &str = "#7a3fc0";
const GREY: &str = "#5b6570";

/// As in reports on a light ground.
fn colour(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "#17713a",
        Verdict::Failed => "#bd2130",
        Verdict::Inconclusive => "#8a5a00",
        Verdict::Error => PURPLE,
        Verdict::Advisory => "#0b6e8f",
        Verdict::Reported => GREY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shipped example: one gate that failed and one that passed.
    fn example() -> Report {
        serde_json::from_str(include_str!("../../rankgate-report/src/report/example.json")).unwrap()
    }

    #[test]
    fn text_from_data_ends_no_label_and_no_element() {
        let mut report = example();
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
        let (failed, mut passed) = (example(), example());
        passed.gates.retain(|gate| gate.verdict == Verdict::Passed);
        let mut unrun = Report::blank("other");
        unrun.error = Some("no spec".to_owned());
        for (reports, colour, label) in [
            (vec![failed.clone()], "#bd2130", "helpdesk: "),
            (vec![failed.clone(), unrun.clone()], PURPLE, "retrieval: not run"),
            (vec![Report::blank("other")], GREY, "other: no gates"),
            (vec![passed, failed], "#bd2130", "retrieval: "),
            (vec![], GREY, "retrieval: no gates"),
        ] {
            let svg = badge(&reports);
            assert!(svg.contains(colour) && svg.contains(label), "{svg}");
        }
    }
}
