//! The forest plot: what comparisons saw, one below the other, with intervals and limits.

use crate::benchmark::model::{ComparisonFinding, GateReport, Report};
use crate::metric::Metric;

use super::super::clean::shorten_name;
use super::super::markup::{Element, el, fragment};
use super::super::message::{mark, measure, word};
use super::super::number::percent;
use super::super::phrases;
use super::super::side::compared;
use super::super::typography::minus;
use super::scale::Scale;
use super::svg::{Picture, circle, line, picture, rect, text};

const WIDTH: f64 = 1120.0;
/// Where labels end, the axis begins and ends, and numbers begin.
const LABEL: f64 = 16.0;
const AXIS: [f64; 2] = [250.0, 760.0];
const DIFFERENCE: f64 = 850.0;
const INTERVAL: f64 = 864.0;
const ROW: f64 = 30.0;
const TOP: f64 = 6.0;
/// Below the rows: the axis' numbers, and what its directions mean.
const BOTTOM: f64 = 48.0;
/// Characters of a label.
const NAME: usize = 32;

type Row<'a> = (&'a GateReport, &'a ComparisonFinding);

/// One plot for all metrics that lie between 0 and 1, and one for each other metric: they have no
/// common scale. Each comes with the name of its metric, if it is one's own.
pub(in super::super) fn forests(report: &Report) -> Vec<(Option<String>, Picture)> {
    let mut groups: Vec<(Option<String>, Vec<Row<'_>>)> = Vec::new();
    for row in compared(report) {
        let name = (!is_share(&row.1.metric)).then(|| row.1.metric.clone());
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    groups.into_iter().map(|(name, rows)| (name, forest(report, &rows))).collect()
}

/// Whether a metric lies between 0 and 1.
fn is_share(metric: &str) -> bool {
    metric.parse::<Metric>().is_ok_and(|metric| *metric.range().end() <= 1.0)
}

/// Differences that a limit is at.
fn limits(finding: &ComparisonFinding) -> Vec<f64> {
    let Some(limit) = finding.limit else { return Vec::new() };
    match finding.expect.as_str() {
        "improvement" => vec![limit],
        "equivalence" => vec![-limit, limit],
        _ => vec![-limit],
    }
}

fn forest(report: &Report, rows: &[Row<'_>]) -> Picture {
    let values = rows.iter().flat_map(|(_, finding)| {
        let interval = finding.interval.into_iter().flatten();
        interval.chain([finding.difference, 0.0]).chain(limits(finding))
    });
    let x = Scale::around(values, 6, AXIS);
    let mut y = TOP;
    let (mut bands, mut content) = (fragment(), fragment());
    let mut pair = None;
    for (gate, finding) in rows {
        if pair.replace((&finding.candidate, &finding.baseline))
            != Some((&finding.candidate, &finding.baseline))
        {
            let [candidate, baseline] =
                [&finding.candidate, &finding.baseline].map(|name| shorten_name(name, NAME));
            content = content.child(text("strong", [0.0, y + 20.0], &format!("{candidate} vs {baseline}")));
            y += ROW;
        }
        if finding.conclusion.is_none() {
            bands = bands.child(band(finding, &x, y));
        }
        content = content.child(row(gate, finding, &x, y));
        y += ROW;
    }
    let mut axes = fragment();
    for (value, label) in x.ticks(6) {
        let at = x.at(value);
        axes = axes.child(line("grid", [at, TOP], [at, y])).child(text(
            "muted middle",
            [at, y + 18.0],
            &minus(&label),
        ));
    }
    let zero = x.at(0.0);
    axes = axes.child(line("zero", [zero, TOP], [zero, y + 4.0]));
    let below = y + 38.0;
    let name =
        format!("Differences between candidates and baselines with {} intervals", percent(report.confidence));
    picture(WIDTH, y + BOTTOM, &name)
        .child(bands)
        .child(axes)
        .child(content)
        .child(text("muted end", [zero - 10.0, below], "\u{2190} baseline higher"))
        .child(text("muted", [zero + 10.0, below], "candidate higher \u{2192}"))
}

fn row(gate: &GateReport, finding: &ComparisonFinding, x: &Scale, top: f64) -> Element {
    let middle = top + ROW / 2.0;
    let class = word(gate.verdict).to_lowercase();
    let measured = measure(&finding.metric, finding.segment.as_ref());
    let mut row = el("g");
    for limit in limits(finding) {
        let at = x.at(limit);
        row = row.child(line("limit", [at, top + 3.0], [at, top + ROW - 3.0]));
    }
    if let Some([low, high]) = finding.interval {
        let class = format!("interval {class}");
        row = row.child(line(&class, [x.at(low), middle], [x.at(high), middle]));
    }
    let baseline = middle + 4.5;
    let mut numbers = fragment()
        .child(text("", [LABEL, baseline], &shorten_name(&measured, NAME)))
        .child(text("end", [DIFFERENCE, baseline], &minus(&phrases::difference(finding, 4))));
    if let Some(interval) = phrases::limits(finding, 3) {
        numbers = numbers.child(text("muted", [INTERVAL, baseline], &minus(&interval)));
    }
    let verdict = format!("{} {class}", mark(gate.verdict));
    row.child(circle(&class, [x.at(finding.difference), middle], 5.0)).child(numbers).child(text(
        &format!("end {class}"),
        [WIDTH, baseline],
        &verdict,
    ))
}

/// The ground of a row, where the gate wants the difference to be.
fn band(finding: &ComparisonFinding, x: &Scale, top: f64) -> Element {
    let [from, to] = wanted(finding).map(|value| x.at(value));
    rect("wanted", [from, top + 3.0], [to - from, ROW - 6.0])
}

/// From where to where the gate wants the difference to be.
fn wanted(finding: &ComparisonFinding) -> [f64; 2] {
    let limit = finding.limit.unwrap_or(0.0);
    match finding.expect.as_str() {
        "improvement" => [limit, f64::INFINITY],
        "equivalence" => [-limit, limit],
        _ => [-limit, f64::INFINITY],
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::gate;
    use super::super::super::sample_comparison::{compared as found, comparing, expecting, gained};
    use super::*;
    use crate::benchmark::model::Verdict;

    #[test]
    fn metrics_without_a_common_scale_have_plots_of_their_own() {
        let mut report = comparing();
        let counted = ComparisonFinding { metric: "NumRelRet".to_owned(), ..gained() };
        report.gates.push(gate("a-vs-b::NumRelRet", Verdict::Passed, found(counted)));
        let names: Vec<Option<String>> = forests(&report).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, [None, Some("NumRelRet".to_owned())]);
    }

    #[test]
    fn every_expectation_has_its_limits_drawn() {
        for (expect, limit, lines) in [
            ("no-regression", None, 0),
            ("no-regression", Some(0.01), 1),
            ("improvement", Some(0.01), 1),
            ("non-inferiority", Some(0.02), 1),
            ("equivalence", Some(0.02), 2),
        ] {
            let finding = expecting(gained(), expect, limit, "it is shown", &[]);
            let mut report = comparing();
            report.gates = vec![gate("a-vs-b::nDCG@10", Verdict::Passed, found(finding))];
            let picture = forests(&report).remove(0).1.inside().render();
            assert_eq!(picture.matches("class=\"limit\"").count(), lines, "{expect}");
            assert_eq!(picture.matches("class=\"interval passed\"").count(), 1);
            assert!(picture.contains("\u{2713} passed"), "{picture}");
        }
    }
}
