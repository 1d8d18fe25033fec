//! The trend of a metric, as SVG.

use std::fmt::Write;

use crate::page::escaped;
use crate::text::subject;
use crate::timeline::{Entry, Timeline};

const WIDE: f64 = 960.0;
const HIGH: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 24.0;
/// Of more commits not every one has a dot.
const DOTS: usize = 200;

/// The plot of one metric: a step for each ranking, a dot for each commit, marks for alarms and releases.
pub(crate) fn plot(told: &Timeline, metric: &str) -> String {
    let points: Vec<(usize, f64, &Entry)> = told
        .commits
        .iter()
        .enumerate()
        .filter_map(|(at, entry)| Some((at, *entry.means.get(metric)?, entry)))
        .collect();
    let Some((low, high)) = range(&points) else { return String::new() };
    let last = told.commits.len().max(2) as f64 - 1.0;
    let x = |at: usize| LEFT + at as f64 / last * (WIDE - LEFT - RIGHT);
    let y = |value: f64| HIGH - BOTTOM - (value - low) / (high - low) * (HIGH - BOTTOM - TOP);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDE} {HIGH}\" role=\"img\" aria-label=\"{} over {} commits\">",
        escaped(metric),
        told.commits.len()
    );
    for tick in 0..=4 {
        let value = low + (high - low) * f64::from(tick) / 4.0;
        let at = y(value);
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{value:.3}</text>",
            WIDE - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (at, _, entry) in &points {
        if !entry.commit.releases.is_empty() || !entry.changed.is_empty() {
            let class = if entry.changed.is_empty() { "release" } else { "changed" };
            let name = entry.commit.releases.first().map_or("changed", String::as_str);
            let _ = write!(
                svg,
                "<line class=\"{class}\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{TOP}\" y2=\"{1:.1}\"/>\
                 <text x=\"{0:.1}\" y=\"{2:.1}\">{3}</text>",
                x(*at),
                HIGH - BOTTOM,
                TOP - 8.0,
                escaped(&name.chars().take(12).collect::<String>())
            );
        }
    }
    // Nothing before changed inputs is comparable with anything after them: the line is broken there.
    let mut path = String::new();
    for (index, (at, value, entry)) in points.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| points[index].1).filter(|_| entry.changed.is_empty());
        let _ = match before {
            Some(before) => write!(path, "L{:.1},{:.1} L{:.1},{:.1} ", x(*at), y(before), x(*at), y(*value)),
            None => write!(path, "M{:.1},{:.1} ", x(*at), y(*value)),
        };
    }
    let _ = write!(svg, "<path class=\"trend\" d=\"{}\"/>", path.trim_end());
    for (at, value, entry) in &points {
        let alarm = told.alarms.iter().find(|one| one.metric == metric && one.commit.id == entry.commit.id);
        if alarm.is_none() && points.len() > DOTS && !entry.moved {
            continue;
        }
        let class = match alarm {
            Some(alarm) if alarm.is_open() => "open",
            Some(_) => "closed",
            None => "commit",
        };
        let radius = if alarm.is_some() { 5.5 } else { 2.8 };
        let _ = write!(
            svg,
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"><title>{} {}: {value:.4}</title></circle>",
            x(*at),
            y(*value),
            escaped(entry.commit.short()),
            escaped(&subject(&entry.commit))
        );
    }
    svg + "</svg>"
}

/// Lowest and highest value with some room around them.
fn range(points: &[(usize, f64, &Entry)]) -> Option<(f64, f64)> {
    let values = points.iter().map(|(_, value, _)| *value);
    let (low, high) = (values.clone().reduce(f64::min)?, values.reduce(f64::max)?);
    let room = ((high - low) * 0.1).max(0.005);
    Some((low - room, high + room))
}
