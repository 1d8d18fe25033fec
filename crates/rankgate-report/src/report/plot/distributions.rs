//! How answer times are distributed: which share of them took at most how long, a line for each side.

use crate::model::{LatencyFinding, LatencySide, Report};

use super::super::clean::shorten_name;
use super::super::markup::{Element, el, fragment};
use super::super::number::{percent, time};
use super::scale::Scale;
use super::svg::{Picture, line, picture, polyline, text, width};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 424.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 40.0;
/// Times on the axis stand at least this far apart.
const APART: f64 = 14.0;
/// Characters of a side's name.
const NAME: usize = 20;

/// One measurement, with the gates that it decides.
pub struct Distributions<'a> {
    pub picture: Picture,
    pub name: String,
    pub finding: &'a LatencyFinding,
}

/// One plot for each measurement of answer times: gates on the same times share theirs.
pub fn distributions(report: &Report) -> Vec<Distributions<'_>> {
    let mut measured: Vec<Vec<&LatencyFinding>> = Vec::new();
    for gate in &report.gates {
        let Some(finding) = gate.finding.kind().answer_times() else { continue };
        if finding.sides.is_empty() {
            continue;
        }
        match measured.iter_mut().find(|same| same[0].sides == finding.sides) {
            Some(same) => same.push(finding),
            None => measured.push(vec![finding]),
        }
    }
    measured.into_iter().filter_map(|same| plot(&same)).collect()
}

fn plot<'a>(same: &[&'a LatencyFinding]) -> Option<Distributions<'a>> {
    let finding = *same.first()?;
    let sides = &finding.sides;
    let names: Vec<String> = sides.iter().map(|side| shorten_name(&side.configuration, NAME)).collect();
    let name = names.join(" and ");
    let times = || sides.iter().flat_map(|side| &side.distribution).map(|point| point[0]);
    let limits = || same.iter().filter_map(|one| one.max_ms);
    let low = times().chain(limits()).fold(f64::INFINITY, f64::min);
    let high = times().chain(limits()).fold(0.0, f64::max);
    if !(low > 0.0 && high.is_finite()) {
        return None;
    }
    let x = Scale::logarithmic([low / 1.1, high * 1.1], [LEFT, RIGHT]);
    let y = Scale::logarithmic([1.0, std::f64::consts::E], [HEIGHT - BOTTOM, TOP]);
    let at_share = |share: f64| y.at(share.exp());
    let mut drawn = picture(WIDTH, HEIGHT, &format!("How long answers of {name} took"));
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let at = at_share(share);
        let label = text("muted end", [LEFT - 8.0, at + 4.0], &percent(share));
        drawn = drawn.child(line("grid", [LEFT, at], [RIGHT, at])).child(label);
    }
    for (label, at) in ticks(&x, [low / 1.1, high * 1.1]) {
        let floor = HEIGHT - BOTTOM;
        drawn = drawn.child(line("rule", [at, floor], [at, floor + 4.0])).child(text(
            "muted middle",
            [at, floor + 18.0],
            &label,
        ));
    }
    for one in same {
        let at = at_share(one.quantile.share());
        drawn = drawn.child(line("limit", [LEFT, at], [RIGHT, at])).child(text(
            "muted",
            [RIGHT + 6.0, at + 4.0],
            &one.quantile.to_string(),
        ));
        if let Some(max) = one.max_ms {
            drawn = drawn.child(line("limit", [x.at(max), HEIGHT - BOTTOM], [x.at(max), TOP]));
        }
    }
    let mut key = LEFT;
    for (index, (side, name)) in sides.iter().zip(&names).enumerate() {
        let class = format!("s{}", index + 1);
        drawn =
            drawn
                .child(text(&class, [key, 16.0], name))
                .child(steps(&class, name, side, |share, time| [x.at(time), at_share(share)]));
        key += width(name) + 24.0;
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    let words = "time of an answer; the share that took at most as long";
    let words =
        if finding.batch.is_some() { words.replace("an answer", "a batch") } else { words.to_owned() };
    let picture = drawn.child(line("rule", [LEFT, HEIGHT - BOTTOM], [RIGHT, HEIGHT - BOTTOM])).child(text(
        "muted middle",
        [middle, HEIGHT - 5.0],
        &words,
    ));
    Some(Distributions { picture, name, finding })
}

/// A line that rises at every time, with what it stands for.
fn steps(class: &str, name: &str, side: &LatencySide, place: impl Fn(f64, f64) -> [f64; 2]) -> Element {
    let mut share = 0.0;
    let mut points = Vec::with_capacity(side.distribution.len() * 2);
    for &[time, reached] in &side.distribution {
        points.extend([place(share, time), place(reached, time)]);
        share = reached;
    }
    let known = |value: Option<f64>| value.map_or("\u{2013}".to_owned(), time);
    let words = format!("{name}: p50 {}, p95 {}, max {}", known(side.p50), known(side.p95), time(side.max));
    fragment().child(el("g").child(el("title").text(&words)).child(polyline(class, points)))
}

/// Round times on the axis: 1, 2 and 5 times powers of ten, as many as do not overlap.
fn ticks(x: &Scale, [low, high]: [f64; 2]) -> Vec<(String, f64)> {
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    let of = |factors: &[f64]| -> Vec<f64> {
        let all =
            (first..=last).flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
        all.filter(|time| (low..=high).contains(time)).collect()
    };
    let mut kept: Vec<(String, f64)> = Vec::new();
    // Powers of ten first.
    for time_of in of(&[1.0]).into_iter().chain(of(&[5.0, 2.0])).chain(of(&[3.0, 7.0])) {
        let label = time(time_of).replace(".00 ", " ").replace(".0 ", " ");
        let at = x.at(time_of);
        let room = |other: &(String, f64)| f64::midpoint(width(&other.0), width(&label)) + APART;
        if kept.iter().all(|other| (other.1 - at).abs() >= room(other)) {
            kept.push((label, at));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_on_the_axis_are_round_and_do_not_overlap() {
        for (low, high, expected) in [
            (0.4, 30.0, vec!["1 ms", "10 ms", "500 \u{b5}s", "5 ms", "2 ms", "20 ms"]),
            (2.1, 2.9, vec![]),
            (2.1, 3.9, vec!["3 ms"]),
            (0.0009, 0.002, vec!["1 \u{b5}s", "2 \u{b5}s"]),
        ] {
            let x = Scale::logarithmic([low, high], [LEFT, RIGHT]);
            let labels: Vec<String> = ticks(&x, [low, high]).into_iter().map(|(label, _)| label).collect();
            assert_eq!(labels, expected, "{low} {high}");
        }
    }
}
