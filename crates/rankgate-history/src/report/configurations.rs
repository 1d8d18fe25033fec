//! The configurations of a benchmark on one metric over commits, a line each.

use std::collections::HashMap;

use crate::report::clean::shorten_name;
use crate::report::number::score;
use crate::report::plot::svg::{Picture, line, polyline, text, width};
use crate::{ConfigurationTimeline, Move, Timeline};

use super::frame::{BOTTOM, HEIGHT, LEFT, RIGHT, ground, scale, wide};

/// Lines that can be told from each other.
const LINES: usize = 8;
const NAME: usize = 24;

/// The plot: of each configuration its history, and the place of the first commit that is shown.
pub(super) fn configurations(
    several: &[(&ConfigurationTimeline, usize)],
    metric: &str,
    narrow: bool,
) -> Picture {
    let wide = wide(narrow);
    let shown = &several[..several.len().min(LINES)];
    let places = places(shown);
    let last = places.len().max(2) as f64 - 1.0;
    let x = |commit: &str| LEFT + places[commit] as f64 / last * (wide - RIGHT - LEFT);
    let values = shown.iter().flat_map(|(one, from)| {
        one.timeline.commits[*from..].iter().filter_map(|entry| mean(&one.timeline, entry.state, metric))
    });
    let y = scale(metric, values);
    let name = shorten_name(metric, 40);
    let about = format!("{name} of {} configurations over {} commits", shown.len(), places.len());
    let mut drawn = ground(&about, (&name, 20.0), wide, &y);
    let mut free = LEFT;
    for ((one, from), class) in shown.iter().zip(["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"]) {
        let mut points: Vec<[f64; 2]> = Vec::new();
        let mut now = String::new();
        for entry in &one.timeline.commits[*from..] {
            let value = mean(&one.timeline, entry.state, metric);
            // What cannot be compared is another line.
            if (entry.moved == Move::First || value.is_none()) && !points.is_empty() {
                drawn = drawn.child(polyline(class, points.drain(..)));
            }
            let Some(value) = value else { continue };
            let place = [x(&entry.commit.commit), y.at(value)];
            if let Some([_, before]) = points.last().copied()
                && before != place[1]
            {
                points.push([place[0], before]);
            }
            points.push(place);
            now = format!(" {}", score(metric, value));
        }
        drawn = drawn.child(polyline(class, points));
        let label = format!("{}{now}", shorten_name(&one.configuration, NAME));
        if free + width(&label) < wide {
            drawn = drawn.child(text(class, [free, 42.0], &label));
            free += width(&label) + 14.0;
        }
    }
    drawn.child(line("rule", [LEFT, HEIGHT - BOTTOM], [wide - RIGHT, HEIGHT - BOTTOM]))
}

fn mean(timeline: &Timeline, state: usize, metric: &str) -> Option<f64> {
    let state = timeline.states.get(state.checked_sub(1)?)?;
    state.values.iter().find(|value| value.metric == metric).map(|value| value.mean)
}

/// The place of each commit: those of one configuration in their order, and those of another between them.
fn places<'a>(several: &[(&'a ConfigurationTimeline, usize)]) -> HashMap<&'a str, usize> {
    let mut line: Vec<&str> = Vec::new();
    for (one, from) in several {
        let known: HashMap<&str, usize> = line.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let (mut merged, mut at) = (Vec::with_capacity(line.len()), 0);
        for entry in &one.timeline.commits[*from..] {
            let id = entry.commit.commit.as_str();
            match known.get(id) {
                Some(place) if *place >= at => {
                    merged.extend(&line[at..=*place]);
                    at = place + 1;
                }
                Some(_) => {}
                None => merged.push(id),
            }
        }
        merged.extend(&line[at..]);
        line = merged;
    }
    line.into_iter().enumerate().map(|(at, id)| (id, at)).collect()
}
