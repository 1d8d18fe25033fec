//! With which probability how many queries show a limit.

use crate::model::ComparisonFinding;

use super::super::clean::shorten_name;
use super::super::markup::{Element, el, fragment};
use super::super::number::{count, fixed};
use super::super::phrases::measure;
use super::scale::Scale;
use super::svg::{Picture, circle, line, picture, polygon, polyline, text, width};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// The power that a number of queries is advised for.
const ADVISED: f64 = 0.8;
/// Numbers of the axis stand at least this far apart.
const APART: f64 = 10.0;

/// The plot of one comparison; nothing where no curve is known.
pub fn power(finding: &ComparisonFinding) -> Option<Picture> {
    let curve: Vec<[f64; 2]> =
        finding.power_curve.iter().map(|point| [point.units as f64, point.power]).collect();
    let (first, last) = (curve.first()?, curve.last()?);
    let needed = finding.queries_needed? as f64;
    let [fewest, most] = finding.queries_needed_between.unwrap_or([0, 0]).map(|units| units as f64);
    let domain = [first[0], last[0].max(most)];
    if domain[0] >= domain[1] {
        return None;
    }
    let x = Scale::logarithmic(domain, [LEFT, WIDTH - 10.0]);
    let y = Scale::around([0.0, 1.0], 5, [HEIGHT - BOTTOM, TOP]);
    let at = |[units, power]: [f64; 2]| [x.at(units), y.at(power)];

    // Where units vary as many times more as it takes more of them, a power belongs to as many more.
    let times = |times: f64| curve.iter().map(move |[units, power]| [units * times, *power]);
    let band = (most > fewest).then(|| {
        let better = times(fewest / needed).chain([[domain[1], last[1]]]);
        let worse = [[domain[0], first[1]]].into_iter().chain(times(most / needed));
        let worse: Vec<[f64; 2]> = worse.collect();
        polygon("wanted", better.chain(worse.into_iter().rev()).map(at))
    });
    let observed = finding.units as f64;
    let [here, advised] = [x.at(observed), x.at(needed)];
    let marks = finding.power_curve.iter().map(|point| {
        let words = format!("{}: {}", count(point.units as usize), fixed(point.power, 2));
        circle("s1", at([point.units as f64, point.power]), 3.5).child(el("title").text(&words))
    });
    let [candidate, baseline] = [&finding.candidate, &finding.baseline].map(|name| shorten_name(name, 40));
    let metric = measure(&finding.metric, finding.segment.as_ref());
    let units = if finding.units == finding.queries { "queries" } else { "groups of queries" };
    let name = format!("Power of {candidate} against {baseline} on {metric} by the number of {units}");
    let picture = picture(WIDTH, HEIGHT, &name)
        .child(fragment().children(band))
        .child(axes([&x, &y], domain))
        .child(line("limit", [LEFT, y.at(ADVISED)], [WIDTH - 10.0, y.at(ADVISED)]))
        .child(line("zero", [here, TOP], [here, HEIGHT - BOTTOM]))
        .child(polyline("s1", curve.iter().copied().map(at)))
        .child(el("g").children(marks))
        .child(labels([(here, format!("now {}", count(finding.units))), (advised, count(needed as usize))]))
        .child(line("rule", [advised, y.at(ADVISED)], [advised, TOP]))
        .child(text("muted middle", [f64::midpoint(LEFT, WIDTH), HEIGHT - 5.0], units));
    Some(picture)
}

/// What is named above the plot, the two of them apart from each other and inside of it.
fn labels([(here, now), (advised, needed)]: [(f64, String); 2]) -> Element {
    let half = |label: &str| width(label) / 2.0;
    let inside = |at: f64, label: &str| at.clamp(LEFT + half(label), WIDTH - half(label));
    let (mut left, mut right) = (inside(here, &now), inside(advised, &needed));
    let lacking = half(&now) + half(&needed) + APART - (right - left).abs();
    if lacking > 0.0 {
        let away = if left <= right { lacking / 2.0 } else { -lacking / 2.0 };
        (left, right) = (inside(left - away, &now), inside(right + away, &needed));
    }
    let y = TOP - 8.0;
    fragment().child(text("muted middle", [left, y], &now)).child(text("strong middle", [right, y], &needed))
}

fn axes([x, y]: [&Scale; 2], domain: [f64; 2]) -> Element {
    let mut axes = fragment();
    for (value, label) in y.ticks(5) {
        let at = y.at(value);
        axes = axes.child(line("grid", [LEFT, at], [WIDTH - 10.0, at])).child(text(
            "muted end",
            [LEFT - 8.0, at + 4.0],
            &label,
        ));
    }
    let mut free = f64::NEG_INFINITY;
    for value in round_numbers(domain) {
        let (at, label) = (x.at(value), count(value as usize));
        let half = width(&label) / 2.0;
        if at - half >= free && at + half <= WIDTH {
            free = at + half + APART;
            axes = axes.child(line("rule", [at, HEIGHT - BOTTOM], [at, HEIGHT - BOTTOM + 4.0])).child(text(
                "muted middle",
                [at, HEIGHT - BOTTOM + 18.0],
                &label,
            ));
        }
    }
    axes.child(line("rule", [LEFT, HEIGHT - BOTTOM], [WIDTH - 10.0, HEIGHT - BOTTOM]))
}

/// 1, 2 and 5 times powers of ten.
fn round_numbers([low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    let all = (0..16).flat_map(|power| [1.0, 2.0, 5.0].map(|one| one * 10_f64.powi(power)));
    all.filter(move |value| (low..=high).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_names_round_numbers() {
        assert_eq!(round_numbers([68.0, 1_094.0]).collect::<Vec<_>>(), [100.0, 200.0, 500.0, 1_000.0]);
    }

    #[test]
    fn labels_stand_apart_and_inside() {
        let near = labels([(100.0, "now 162".into()), (104.0, "170".into())]).render();
        let places: Vec<f64> =
            near.split("x=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
        let half = f64::midpoint(width("now 162"), width("170"));
        assert!(places[1] - places[0] >= half && places[0] >= LEFT, "{places:?}");
    }
}
