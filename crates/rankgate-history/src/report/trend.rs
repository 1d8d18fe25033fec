//! A metric over commits: a step for each ranking.

use crate::report::clean::{shorten, shorten_name};
use crate::report::markup::{Element, el, fragment};
use crate::report::number::{fixed, score};
use crate::report::plot::scale::Scale;
use crate::report::plot::svg::{Picture, circle, line, polyline, rect, text, width};
use crate::{Alarm, Entry, Move, Timeline, Value};

use super::frame::{BOTTOM, HEIGHT, LEFT, RIGHT, TOP, ground, scale, wide};

/// Characters of a release's name.
const NAME: usize = 12;
/// How far the tick of a release reaches whose name has no room.
const TICK: f64 = 5.0;
/// Of more commits not every one has a dot.
const DOTS: usize = 300;

/// The plot of one metric, from a commit on, whose points lead where `to` says.
pub(super) fn trend(
    timeline: &Timeline,
    metric: &str,
    (narrow, from): (bool, usize),
    to: &dyn Fn(&str) -> Option<String>,
) -> Picture {
    let wide = wide(narrow);
    let commits = &timeline.commits[from..];
    let value = |at: usize| -> Option<&Value> {
        let state = timeline.states.get(commits[at].state.checked_sub(1)?)?;
        state.values.iter().find(|value| value.metric == metric)
    };
    let values: Vec<Option<&Value>> = (0..commits.len()).map(value).collect();
    let all = values
        .iter()
        .flatten()
        .flat_map(|value| std::iter::once(value.mean).chain(value.interval.into_iter().flatten()));
    let y = scale(metric, all);
    let last = commits.len().max(2) as f64 - 1.0;
    let x = |at: usize| LEFT + at as f64 / last * (wide - RIGHT - LEFT);
    let name = shorten_name(metric, 40);
    let about = format!("{name} over {} commits", commits.len());
    let mut drawn = ground(&about, (&name, 30.0), wide, &y);
    drawn =
        drawn.child(suspects((timeline, commits), metric, &x)).child(marks((timeline, commits), &x, wide));
    let many = commits.len() > DOTS;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        let shown = !many || !matches!(commits[at].moved, Move::Same);
        if let Some([low, high]) = value.interval.filter(|_| shown && !narrow) {
            drawn = drawn.child(line("zero", [x(at), y.at(low)], [x(at), y.at(high)]));
        }
    }
    drawn = drawn.child(steps(commits, &values, &x, &y));
    for (at, value) in values.iter().enumerate() {
        let (Some(value), entry) = (value, &commits[at]) else { continue };
        let alarmed = timeline.alarmed_at(&entry.commit.commit, Some(metric));
        if alarmed || (!many && !narrow) {
            let (class, radius) = if alarmed { ("failed", 5.5) } else { ("s1", 2.8) };
            let words = format!(
                "{} {}: {}{}",
                entry.commit.commit.chars().take(8).collect::<String>(),
                shorten(&entry.commit.subject, 60),
                score(metric, value.mean),
                if alarmed { ", alarm" } else { "" }
            );
            let point = circle(class, [x(at), y.at(value.mean)], radius).child(el("title").text(&words));
            drawn = drawn.child(match to(&entry.commit.commit) {
                Some(to) => el("a").attr("href", &to).child(point),
                None => point,
            });
        }
    }
    let ends = [
        commits.first().map(|one| (LEFT, "muted", one)),
        commits.last().map(|one| (wide - RIGHT, "muted end", one)),
    ];
    for (at, class, entry) in ends.into_iter().flatten() {
        let id: String = entry.commit.commit.chars().take(8).collect();
        drawn = drawn.child(text(class, [at, HEIGHT - 6.0], &id));
    }
    let now = values.last().copied().flatten().map(|value| fixed(value.mean, 4));
    drawn.child(line("rule", [LEFT, HEIGHT - BOTTOM], [wide - RIGHT, HEIGHT - BOTTOM])).child(text(
        "muted end",
        [wide - RIGHT, 30.0],
        &now.map_or(String::new(), |now| format!("now {now}")),
    ))
}

/// The line of steps, broken where nothing can be compared.
fn steps(commits: &[Entry], values: &[Option<&Value>], x: &dyn Fn(usize) -> f64, y: &Scale) -> Element {
    let mut drawn = fragment();
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        let is_end = commits[at].moved == Move::First || value.is_none();
        if is_end && !points.is_empty() {
            drawn = drawn.child(polyline("s1", points.drain(..)));
        }
        let Some(value) = value else { continue };
        let place = [x(at), y.at(value.mean)];
        // Level up to the commit, and then up or down.
        if let Some([_, before]) = points.last().copied()
            && before != place[1]
        {
            points.push([place[0], before]);
        }
        points.push(place);
    }
    if points.is_empty() { drawn } else { drawn.child(polyline("s1", points)) }
}

fn is_of(alarm: &Alarm, metric: &str) -> bool {
    alarm.against.iter().any(|held| held.metric == metric)
}

/// The commits that may have done what an alarm is about.
fn suspects((timeline, commits): (&Timeline, &[Entry]), metric: &str, x: &dyn Fn(usize) -> f64) -> Element {
    let place = |id: &str| commits.iter().position(|entry| entry.commit.commit == id);
    let mut drawn = fragment();
    for alarm in timeline.alarms.iter().filter(|alarm| alarm.open && is_of(alarm, metric)) {
        let from = alarm.after.as_ref().and_then(|after| place(&after.commit));
        if let (Some(from), Some(until)) = (from, place(&alarm.opened.commit)) {
            let size = [(x(until) - x(from)).max(2.0), HEIGHT - BOTTOM - TOP];
            drawn = drawn.child(rect("wanted", [x(from), TOP], size));
        }
    }
    drawn
}

/// Epochs and releases; of names that would overlap some are left to the table, and a tick stands for such a release: two
/// hundred lines from top to bottom would hide the plot.
fn marks((timeline, commits): (&Timeline, &[Entry]), x: &dyn Fn(usize) -> f64, wide: f64) -> Element {
    let mut drawn = fragment();
    let mut free = LEFT;
    for (at, entry) in commits.iter().enumerate() {
        let id = &entry.commit.commit;
        let epoch = timeline.epochs.iter().skip(1).find(|epoch| epoch.from == *id);
        let mut names: Vec<String> = entry.releases.iter().map(|name| shorten_name(name, NAME)).collect();
        names.extend(epoch.iter().flat_map(|epoch| &epoch.changed).map(ToString::to_string));
        let name = names.join(", ");
        let half = width(&name) / 2.0;
        let middle = middle(x(at), half, wide);
        let is_named = !name.is_empty() && middle - half >= free - LEFT / 2.0;
        if is_named {
            drawn = drawn.child(text("muted middle", [middle, TOP - 8.0], &name));
            free = middle + half + LEFT / 2.0 + 8.0;
        }
        let below = if is_named || epoch.is_some() { HEIGHT - BOTTOM } else { TOP + TICK };
        if epoch.is_some() || !name.is_empty() {
            let class = if epoch.is_some() { "limit" } else { "zero" };
            drawn = drawn.child(line(class, [x(at), TOP], [x(at), below]));
        }
    }
    drawn
}

/// Where the middle of a name is that belongs to a place: above it, and within the picture as far as there is room.
fn middle(place: f64, half: f64, wide: f64) -> f64 {
    place.min(wide - half).max(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_release_is_not_cut_at_the_edge() {
        assert_eq!(middle(500.0, 20.0, wide(false)), 500.0);
        assert_eq!(middle(wide(false) - RIGHT, 20.0, wide(false)), wide(false) - 20.0);
        assert_eq!(middle(wide(true) - RIGHT, 5.0, wide(true)), wide(true) - RIGHT);
        assert_eq!(middle(LEFT, 60.0, wide(true)), 60.0);
        // What is wider than the picture begins with it.
        assert_eq!(middle(wide(true) - RIGHT, 200.0, wide(true)), 200.0);
    }
}
