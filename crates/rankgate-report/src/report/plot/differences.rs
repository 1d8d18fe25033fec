//! The queries behind a difference: a bar for each that scores differently, sorted by size.

use crate::metric::Polarity;
use crate::model::ComparisonFinding;

use super::super::clean::{shorten, shorten_name};
use super::super::markup::{Element, el, fragment};
use super::super::number::{apart, count, fixed, signed};
use super::super::page::Role;
use super::super::phrases::measure;
use super::super::polarity;
use super::super::side::{Change, Side, changes};
use super::super::typography::minus;
use super::scale::Scale;
use super::svg::{Picture, line, picture, rect, text};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 28.0;
/// A bar and its gap are at most this wide.
const BAR: f64 = 16.0;
/// Bars that are drawn for losses, and for gains: more would be indistinguishable.
const BARS: usize = 120;
/// Characters of an id and of a text in a bar's name.
const ID: usize = 60;
const TEXT: usize = 120;

/// What was drawn, in words for below the plot.
pub struct Differences {
    pub picture: Picture,
    pub note: String,
}

/// The plot of one comparison, what is worse at its left; `None` where no query scores differently. `link` gives the place to
/// which a query's bar leads.
pub fn differences(
    pair: [Side<'_>; 2],
    finding: &ComparisonFinding,
    link: impl Fn(&str) -> Option<String>,
) -> Option<Differences> {
    let (mut changed, unchanged) = changes(pair, finding);
    if changed.is_empty() {
        return None;
    }
    let polarity = polarity::of_finding(finding);
    let mut words = polarity::words(polarity);
    let mut first = changed.iter().filter(|change| change.difference() < 0.0).count();
    if polarity == Polarity::LessIsBetter {
        changed.reverse();
        words.reverse();
        first = changed.len() - first;
    }
    let worse = first;
    let (losses, gains) = changed.split_at(worse);
    let shown_losses = losses.iter().take(BARS);
    let shown_gains = gains.iter().skip(gains.len().saturating_sub(BARS));
    let hidden = losses.len().saturating_sub(BARS) + gains.len().saturating_sub(BARS);

    let y = Scale::around(changed.iter().map(Change::difference).chain([0.0]), 4, [HEIGHT - BOTTOM, TOP]);
    let mut axes = fragment();
    for (value, label) in y.ticks(4) {
        let at = y.at(value);
        axes = axes.child(line("grid", [LEFT, at], [WIDTH, at])).child(text(
            "muted end",
            [LEFT - 8.0, at + 4.0],
            &minus(&label),
        ));
    }
    let zero = y.at(0.0);
    let drawn = shown_losses.len() + shown_gains.len();
    let step = ((WIDTH - LEFT - 40.0) / drawn as f64).min(BAR);
    let mut bars = fragment();
    let sides = [shown_losses.collect::<Vec<_>>(), shown_gains.collect()];
    let gains_from = WIDTH - sides[1].len() as f64 * step;
    for (side, from) in sides.iter().zip([LEFT, gains_from]) {
        for (index, change) in side.iter().enumerate() {
            let x = from + index as f64 * step;
            bars = bars.child(bar(change, [x, step], &y, (polarity, link(&change.query.id))));
        }
    }
    let losses_to = LEFT + sides[0].len() as f64 * step;
    let picture = picture(WIDTH, HEIGHT, &name(finding))
        .child(axes)
        .child(line("zero", [LEFT, zero], [WIDTH, zero]))
        .child(bars)
        .child(text("muted", [LEFT, HEIGHT - 6.0], &format!("{} {}", count(losses.len()), words[0])))
        .child(text("muted end", [WIDTH, HEIGHT - 6.0], &format!("{} {}", count(gains.len()), words[1])))
        .child(between(losses_to, gains_from, zero, unchanged));
    let note = match hidden {
        0 => String::new(),
        _ => format!("{} more with smaller differences are not drawn", count(hidden)),
    };
    Some(Differences { picture, note })
}

/// How many queries did not change, in the gap where their bars would be, or else below it.
fn between(from: f64, to: f64, zero: f64, unchanged: usize) -> Element {
    let words = format!("{} unchanged", count(unchanged));
    let middle = f64::midpoint(from, to).clamp(LEFT + 130.0, WIDTH - 130.0);
    let y = if to - from > super::svg::width(&words) + 12.0 { zero - 7.0 } else { HEIGHT - 6.0 };
    text("muted middle", [middle, y], &words)
}

fn name(finding: &ComparisonFinding) -> String {
    let [candidate, baseline] = [&finding.candidate, &finding.baseline].map(|name| shorten_name(name, ID));
    let measured = measure(&finding.metric, finding.segment.as_ref());
    format!("Queries that changed, {candidate} vs {baseline} on {measured}")
}

fn bar(
    change: &Change<'_>,
    [x, step]: [f64; 2],
    y: &Scale,
    (polarity, link): (Polarity, Option<String>),
) -> Element {
    let difference = change.difference();
    let (top, bottom) = (y.at(difference.max(0.0)), y.at(difference.min(0.0)));
    let class = match polarity::role(polarity, difference) {
        Role::Gain => "gain",
        Role::Loss => "loss",
        _ => "apart",
    };
    let width = if step > 3.0 { step - 1.0 } else { step * 0.9 };
    let digits = apart(change.before, change.after, 3);
    let words = format!(
        "{} {}: {} \u{2192} {} ({})",
        shorten_name(&change.query.id, ID),
        shorten(&change.query.text, TEXT),
        fixed(change.before, digits),
        fixed(change.after, digits),
        minus(&signed(difference, digits)),
    );
    let group = match link {
        Some(link) => el("a").class("bar").attr("href", &link).attr("aria-label", &words),
        None => el("g").class("bar"),
    };
    group
        .child(el("title").text(&words))
        .child(rect("target", [x, TOP], [step, HEIGHT - TOP - BOTTOM]))
        .child(rect(class, [x, top], [width, (bottom - top).max(1.0)]))
}
