//! Metrics over the cutoff, a line for each configuration.

use crate::model::{CurveReport, Report};
use crate::order;

use super::super::clean::shorten_name;
use super::super::lookup::{Column, measured};
use super::super::markup::{Element, el, fragment};
use super::super::number::fixed;
use super::super::palette::SERIES;
use super::scale::Scale;
use super::svg::{Picture, circle, line, picture, polyline, text};

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 44.0;
/// Where lines end and their names begin.
const RIGHT: f64 = 320.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
/// Names of lines stand at least this far apart.
const LEADING: f64 = 15.0;
/// Numbers of the axis of cutoffs stand at least this far apart.
const APART: f64 = 22.0;
/// Characters of a line's name.
const NAME: usize = 17;

/// One plot for each metric of which any configuration has a curve, with the metric's name.
pub fn curves(report: &Report) -> Vec<(String, Picture)> {
    let columns = measured(report);
    let mut names: Vec<&str> = Vec::new();
    for curve in columns.iter().flat_map(|(_, measured)| &measured.curves) {
        if !names.contains(&curve.metric.as_str()) {
            names.push(&curve.metric);
        }
    }
    names.into_iter().filter_map(|name| Some((name.to_owned(), plot(name, &columns)?))).collect()
}

/// A configuration's line: its place among all, which gives it its colour, and its name.
type Line<'a> = (usize, &'a str, &'a CurveReport);

fn plot(metric: &str, columns: &[Column<'_>]) -> Option<Picture> {
    let lines: Vec<Line<'_>> = columns
        .iter()
        .enumerate()
        .filter_map(|(index, (configuration, measured))| {
            let curve = measured.curves.iter().find(|curve| curve.metric == metric)?;
            (!curve.points.is_empty()).then_some((index, configuration.name.as_str(), curve))
        })
        .collect();
    let points = || lines.iter().flat_map(|(_, _, curve)| &curve.points);
    let deepest = points().map(|point| point.cutoff).max()?;
    if deepest < 2 {
        return None;
    }
    let x = Scale::logarithmic([1.0, deepest as f64], [LEFT, RIGHT]);
    let y = Scale::around(points().map(|point| point.value), 4, [HEIGHT - BOTTOM, TOP]);
    let name = shorten_name(metric, 40);
    let mut axes = fragment();
    for (value, label) in y.ticks(4) {
        let at = y.at(value);
        axes = axes.child(line("grid", [LEFT, at], [RIGHT, at])).child(text(
            "muted end",
            [LEFT - 8.0, at + 4.0],
            &label,
        ));
    }
    let mut cutoffs: Vec<usize> = points().map(|point| point.cutoff).collect();
    cutoffs.sort_unstable();
    cutoffs.dedup();
    axes = axes.children(cutoff_labels(&cutoffs, &x).into_iter().flat_map(|(cutoff, at)| {
        [
            line("rule", [at, HEIGHT - BOTTOM], [at, HEIGHT - BOTTOM + 4.0]),
            text("muted middle", [at, HEIGHT - BOTTOM + 18.0], &cutoff.to_string()),
        ]
    }));
    let mut drawn = fragment();
    for (index, configuration, curve) in &lines {
        drawn = drawn.child(curve_line(*index, configuration, curve, [&x, &y]));
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    Some(
        picture(WIDTH, HEIGHT, &format!("{name} by cutoff"))
            .child(text("strong", [LEFT, 16.0], &format!("{name}@k")))
            .child(axes)
            .child(line("rule", [LEFT, HEIGHT - BOTTOM], [RIGHT, HEIGHT - BOTTOM]))
            .child(drawn)
            .child(names(&lines, &y))
            .child(text("muted middle", [middle, HEIGHT - 5.0], "cutoff k")),
    )
}

/// The cutoffs that are named on the axis: the deepest, 1, and as many between as do not overlap, powers
/// of ten first.
fn cutoff_labels(cutoffs: &[usize], x: &Scale) -> Vec<(usize, f64)> {
    let is_power = |cutoff: usize| cutoff.to_string().trim_end_matches('0') == "1";
    let mut wanted: Vec<usize> = cutoffs.to_vec();
    let last = cutoffs.last().copied();
    order::sort_by_key(&mut wanted, |&cutoff| (Some(cutoff) != last, !is_power(cutoff), cutoff));
    let mut labels: Vec<(usize, f64)> = Vec::new();
    for cutoff in wanted {
        let at = x.at(cutoff as f64);
        let room = |other: usize| APART.max(super::svg::width(&format!("{cutoff}{other}")) / 2.0 + 6.0);
        if labels.iter().all(|&(other, place)| (place - at).abs() >= room(other)) {
            labels.push((cutoff, at));
        }
    }
    order::sort_by_key(&mut labels, |label| label.0);
    labels
}

/// The class that gives a line its colour; beyond as many as there are, lines are dashed.
fn class(index: usize) -> String {
    format!("s{}{}", index % SERIES + 1, if index / SERIES % 2 == 1 { " dashed" } else { "" })
}

fn curve_line(index: usize, name: &str, curve: &CurveReport, [x, y]: [&Scale; 2]) -> Element {
    let at = |point: &crate::model::CurvePoint| [x.at(point.cutoff as f64), y.at(point.value)];
    let class = class(index);
    let marks = curve.points.iter().map(|point| {
        let words = format!(
            "{} {}@{}: {}",
            shorten_name(name, 60),
            shorten_name(&curve.metric, 40),
            point.cutoff,
            fixed(point.value, 4)
        );
        circle(&class, at(point), 3.5).child(el("title").text(&words))
    });
    el("g").child(polyline(&class, curve.points.iter().map(at))).children(marks)
}

/// The lines' names at their ends, moved apart where they would overlap; names that do not fit are
/// counted.
fn names(lines: &[Line<'_>], y: &Scale) -> Element {
    let room = (((HEIGHT - BOTTOM - TOP) / LEADING) as usize).max(2);
    let mut ends: Vec<(f64, usize, String)> = lines
        .iter()
        .map(|(index, name, curve)| {
            let last = curve.points.last().map_or(0.0, |point| point.value);
            (y.at(last), *index, shorten_name(name, NAME))
        })
        .collect();
    order::sort_by(&mut ends, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let more = ends.len().saturating_sub(room);
    ends.truncate(if more > 0 { room - 1 } else { room });
    let places = apart(&ends.iter().map(|end| end.0).collect::<Vec<f64>>());
    let x = RIGHT + 10.0;
    let mut labels = fragment();
    for ((_, index, name), place) in ends.iter().zip(&places) {
        labels = labels.child(text(&class(*index), [x, place + 4.0], name));
    }
    if more > 0 {
        let below = places.last().copied().unwrap_or(TOP) + LEADING;
        labels = labels.child(text("muted", [x, below + 4.0], &format!("and {} more", more + 1)));
    }
    labels
}

/// Places in ascending order, at least a line apart, as near to where they were as one pass down and
/// one up can bring them, and inside of the plot if there is room.
fn apart(places: &[f64]) -> Vec<f64> {
    let mut moved = places.to_vec();
    for index in 1..moved.len() {
        moved[index] = moved[index].max(moved[index - 1] + LEADING);
    }
    let mut floor = HEIGHT - BOTTOM;
    for place in moved.iter_mut().rev() {
        *place = place.min(floor);
        floor = *place - LEADING;
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_overlap_and_stay_near_their_lines() {
        for places in [vec![40.0], vec![40.0, 41.0, 42.0], vec![200.0, 205.0, 209.0], vec![30.0, 100.0]] {
            let moved = apart(&places);
            assert!(moved.windows(2).all(|two| two[1] - two[0] >= LEADING - 1e-9), "{moved:?}");
            assert!(moved.iter().all(|place| *place <= HEIGHT - BOTTOM), "{moved:?}");
        }
        assert_eq!(apart(&[30.0, 100.0]), [30.0, 100.0]);
    }

    #[test]
    fn cutoffs_that_would_overlap_are_not_named() {
        let x = Scale::logarithmic([1.0, 1000.0], [LEFT, RIGHT]);
        let cutoffs = [1, 2, 3, 5, 7, 10, 20, 50, 100, 200, 500, 1000];
        let named: Vec<usize> = cutoff_labels(&cutoffs, &x).into_iter().map(|label| label.0).collect();
        assert!(named.starts_with(&[1, 2]) && named.ends_with(&[1000]), "{named:?}");
        assert!([10, 100].iter().all(|cutoff| named.contains(cutoff)), "{named:?}");
        assert!(!named.contains(&7), "{named:?}");
    }
}
