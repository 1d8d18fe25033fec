//! The forest plot: what comparisons saw, one below the other, with intervals and limits.

use crate::metric::Metric;
use crate::model::{ComparisonFinding, Conclusion, Expect, GateReport, Report, Verdict};

use super::super::clean::shorten_name;
use super::super::markup::{Element, el, fragment};
use super::super::number::percent;
use super::super::phrases;
use super::super::phrases::measure;
use super::super::side::compared;
use super::super::typography::minus;
use super::super::verdict::{mark, word};
use super::scale::Scale;
use super::svg::{Picture, circle, line, picture, rect, text};

mod collections;

pub use collections::collections;

/// Where the parts of a plot stand.
struct Layout {
    width: f64,
    /// Where labels begin, and how many characters they have.
    label: f64,
    name: usize,
    /// Where the axis begins and ends, and about how many values it names.
    axis: [f64; 2],
    ticks: usize,
    /// Where differences end, and where intervals begin.
    difference: f64,
    interval: f64,
    /// The height of a row, and where in it the line of the numbers and the middle of the bar are.
    row: f64,
    numbers: f64,
    bar: f64,
}

/// Everything of a row side by side.
const WIDE: Layout = Layout {
    width: 1120.0,
    label: 16.0,
    name: 32,
    axis: [250.0, 760.0],
    ticks: 6,
    difference: 850.0,
    interval: 864.0,
    row: 30.0,
    numbers: 19.5,
    bar: 15.0,
};
/// The bar of a row below its numbers, and those below its name: for a phone.
const NARROW: Layout = Layout {
    width: 350.0,
    label: 0.0,
    name: 22,
    axis: [16.0, 334.0],
    ticks: 3,
    difference: 60.0,
    interval: 72.0,
    row: 64.0,
    numbers: 36.0,
    bar: 50.0,
};
/// Characters of a metric and its segment.
const NAME: usize = 32;
/// The line of a label.
const LABEL: f64 = 19.5;
const TITLE: f64 = 30.0;
const TOP: f64 = 6.0;
/// Half of what a bar's ground is high.
const GROUND: f64 = 12.0;
/// Below the rows: the axis' numbers, and what its directions mean.
const BOTTOM: f64 = 48.0;

/// A line of a plot.
struct Row {
    /// Candidate and baseline, which head the rows that have them in common; or what else does.
    heading: String,
    label: String,
    difference: String,
    interval: Option<String>,
    at: f64,
    ends: Option<[f64; 2]>,
    /// Differences that a limit is at, and from where to where one is wanted.
    limits: Vec<f64>,
    wanted: Option<[f64; 2]>,
    /// How it is drawn, by the word for a verdict, and what stands at its end.
    class: String,
    said: String,
}

impl Row {
    fn new(gate: &GateReport, finding: &ComparisonFinding, name: usize) -> Self {
        let [candidate, baseline] =
            [&finding.candidate, &finding.baseline].map(|one| shorten_name(one, name));
        let class = word(gate.verdict).to_lowercase();
        let (class, said) = match finding.conclusion {
            // Of which nothing is expected, what is shown is the verdict.
            Some(conclusion) => match conclusion {
                Conclusion::Better => {
                    ("passed".to_owned(), format!("{} {conclusion}", mark(Verdict::Passed)))
                }
                Conclusion::Worse => ("failed".to_owned(), format!("{} {conclusion}", mark(Verdict::Failed))),
                Conclusion::Higher | Conclusion::Lower | Conclusion::NotShown | Conclusion::Identical => {
                    (class, format!("{} {conclusion}", mark(gate.verdict)))
                }
            },
            None => (class.clone(), format!("{} {class}", mark(gate.verdict))),
        };
        Self {
            heading: format!("{candidate} vs {baseline}"),
            label: measure(&finding.metric, finding.segment.as_ref()),
            difference: minus(&phrases::difference(finding, 4).to_string()),
            interval: phrases::limits(finding, 3).map(|limits| minus(&limits)),
            at: finding.difference,
            ends: finding.interval,
            limits: limits(finding),
            wanted: finding.conclusion.is_none().then(|| wanted(finding)),
            said,
            class,
        }
    }
}

/// One plot for all metrics that lie between 0 and 1, and one for each other metric: they have no
/// common scale. Each comes with the name of its metric, if it is one's own, and again for a narrow screen.
pub fn forests(report: &Report) -> Vec<(Option<String>, Picture, Picture)> {
    let mut groups: Vec<(Option<String>, Vec<Compared<'_>>)> = Vec::new();
    for row in compared(report) {
        let name = (!is_share(&row.1.metric)).then(|| row.1.metric.clone());
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((name, vec![row])),
        }
    }
    let drawn = |(name, compared): (_, Vec<Compared<'_>>)| {
        let [wide, narrow] = [&WIDE, &NARROW].map(|layout| {
            let rows: Vec<Row> =
                compared.iter().map(|(gate, finding)| Row::new(gate, finding, layout.name)).collect();
            forest(report, &rows, layout)
        });
        (name, wide, narrow)
    };
    groups.into_iter().map(drawn).collect()
}

type Compared<'a> = (&'a GateReport, &'a ComparisonFinding);

/// Whether a metric lies between 0 and 1.
fn is_share(metric: &str) -> bool {
    metric.parse::<Metric>().is_ok_and(|metric| *metric.range().end() <= 1.0)
}

/// Differences that a limit is at.
fn limits(finding: &ComparisonFinding) -> Vec<f64> {
    let Some(limit) = finding.limit else { return Vec::new() };
    match finding.expectation_or_gain() {
        Expect::Improvement => vec![limit],
        Expect::Equivalence => vec![-limit, limit],
        Expect::NoRegression | Expect::NonInferiority => vec![-limit],
        Expect::Identical | Expect::Overlap => Vec::new(),
    }
}

fn forest(report: &Report, rows: &[Row], layout: &Layout) -> Picture {
    let values = rows.iter().flat_map(|row| {
        let limits = row.limits.iter().copied();
        row.ends.into_iter().flatten().chain([row.at, 0.0]).chain(limits)
    });
    let x = Scale::around(values, layout.ticks, layout.axis);
    let mut y = TOP;
    let (mut bands, mut content) = (fragment(), fragment());
    let mut heading = None;
    // Where numbers stand above their bars, lines through the whole picture would cross them.
    let is_narrow = layout.label < 1.0;
    let mut bars: Vec<[f64; 2]> = Vec::new();
    for one in rows {
        if heading.replace(&one.heading) != Some(&one.heading) {
            content = content.child(text("strong", [0.0, y + 20.0], &one.heading));
            y += TITLE;
        }
        if let Some(wanted) = one.wanted {
            bands = bands.child(band(wanted, &x, y + layout.bar));
        }
        content = content.child(row(one, &x, y, layout));
        bars.push([y + layout.bar - GROUND, y + layout.bar + GROUND]);
        y += layout.row;
    }
    let crossed = if is_narrow { bars } else { vec![[TOP, y]] };
    let down = |class: &str, at: f64| {
        fragment().children(
            crossed.iter().map(|[from, to]| line(class, [at, *from], [at, *to])).collect::<Vec<_>>(),
        )
    };
    let mut axes = fragment();
    for (value, label) in x.ticks(layout.ticks) {
        let at = x.at(value);
        axes = axes.child(down("grid", at)).child(text("muted middle", [at, y + 18.0], &minus(&label)));
    }
    let zero = x.at(0.0);
    axes = axes.child(down("zero", zero)).child(line("zero", [zero, y], [zero, y + 4.0]));
    let below = y + 38.0;
    let name =
        format!("Differences between candidates and baselines with {} intervals", percent(report.confidence));
    // Where there is no room beside the axis, the words stand at its ends.
    let (left, right) = if is_narrow { (0.0, layout.width) } else { (zero - 10.0, zero + 10.0) };
    let (to_left, to_right) = if is_narrow { ("muted", "muted end") } else { ("muted end", "muted") };
    picture(layout.width, y + BOTTOM, &name)
        .child(bands)
        .child(axes)
        .child(content)
        .child(text(to_left, [left, below], "\u{2190} baseline higher"))
        .child(text(to_right, [right, below], "candidate higher \u{2192}"))
}

fn row(one: &Row, x: &Scale, top: f64, layout: &Layout) -> Element {
    let middle = top + layout.bar;
    let class = &one.class;
    let mut row = el("g");
    for &limit in &one.limits {
        let at = x.at(limit);
        row = row.child(line("limit", [at, middle - GROUND], [at, middle + GROUND]));
    }
    if let Some([low, high]) = one.ends {
        let class = format!("interval {class}");
        row = row.child(line(&class, [x.at(low), middle], [x.at(high), middle]));
    }
    let (baseline, first) = (top + layout.numbers, top + LABEL);
    let mut numbers = fragment()
        .child(text("", [layout.label, first], &shorten_name(&one.label, NAME)))
        .child(text("end", [layout.difference, baseline], &one.difference));
    if let Some(interval) = &one.interval {
        numbers = numbers.child(text("muted", [layout.interval, baseline], interval));
    }
    row.child(circle(class, [x.at(one.at), middle], 5.0)).child(numbers).child(text(
        &format!("end {class}"),
        [layout.width, first],
        &one.said,
    ))
}

/// The ground of a row, where the gate wants the difference to be.
fn band(wanted: [f64; 2], x: &Scale, middle: f64) -> Element {
    let [from, to] = wanted.map(|value| x.at(value));
    rect("wanted", [from, middle - GROUND], [to - from, 2.0 * GROUND])
}

/// From where to where the gate wants the difference to be.
fn wanted(finding: &ComparisonFinding) -> [f64; 2] {
    let limit = finding.limit.unwrap_or(0.0);
    match finding.expectation_or_gain() {
        Expect::Improvement => [limit, f64::INFINITY],
        Expect::Equivalence => [-limit, limit],
        Expect::NoRegression | Expect::NonInferiority => [-limit, f64::INFINITY],
        Expect::Identical | Expect::Overlap => [0.0, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sample::gate;
    use super::super::super::sample_comparison::{compared as found, comparing, expecting, gained};
    use super::*;

    #[test]
    fn metrics_without_a_common_scale_have_plots_of_their_own() {
        let mut report = comparing();
        let counted = ComparisonFinding { metric: "NumRelRet".to_owned(), ..gained() };
        report.gates.push(gate("a-vs-b::NumRelRet", Verdict::Passed, found(counted)));
        let names: Vec<Option<String>> = forests(&report).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, [None, Some("NumRelRet".to_owned())]);
    }

    #[test]
    fn intervals_of_every_verdict_are_seen() {
        for verdict in Verdict::ALL {
            let class = word(verdict).to_lowercase();
            let strokes = super::super::STYLE.lines().filter(|line| line.starts_with(".plot ."));
            let mut strokes = strokes.filter_map(|line| line.split_once(" { stroke: var("));
            let is_drawn =
                |(selectors, _): (&str, _)| selectors.split(", ").any(|one| one == format!(".plot .{class}"));
            assert!(strokes.any(is_drawn), "{class}");
        }
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
