//! The queries behind a difference: a bar for each that scores differently, sorted by size.

use crate::metric::Polarity;
use crate::model::ComparisonFinding;

use super::super::clean::{shorten, shorten_name};
use super::super::markup::{Element, el, fragment};
use super::super::number::{apart, count, fixed, queries, signed};
use super::super::page::Role;
use super::super::phrases::measure;
use super::super::polarity;
use super::super::side::{Change, Side, changes};
use super::super::typography::minus;
use super::scale::Scale;
use super::svg::{Picture, line, picture, polygon, rect, text};

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 210.0;
const LEFT: f64 = 48.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 28.0;
/// A bar and its gap are at most this wide.
const BAR: f64 = 16.0;
/// Bars that are drawn for losses, and for gains: more would be indistinguishable, and a line over all takes their place.
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
    let (losses, gains) = changed.split_at(first);
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
    let (bars, [first_to, second_from]) = if hidden > 0 {
        (outline(&changed, polarity, &y), [LEFT + first as f64 / changed.len() as f64 * (WIDTH - LEFT); 2])
    } else {
        let step = ((WIDTH - LEFT - 40.0) / changed.len() as f64).min(BAR);
        let second_from = WIDTH - gains.len() as f64 * step;
        let mut bars = fragment();
        for (side, from) in [(losses, LEFT), (gains, second_from)] {
            for (index, change) in side.iter().enumerate() {
                let x = from + index as f64 * step;
                bars = bars.child(bar(change, [x, step], &y, (polarity, link(&change.query.id))));
            }
        }
        (bars, [LEFT + losses.len() as f64 * step, second_from])
    };
    let picture = picture(WIDTH, HEIGHT, &name(finding))
        .child(axes)
        .child(line("zero", [LEFT, zero], [WIDTH, zero]))
        .child(bars)
        .child(text("muted", [LEFT, HEIGHT - 6.0], &format!("{} {}", count(losses.len()), words[0])))
        .child(text("muted end", [WIDTH, HEIGHT - 6.0], &format!("{} {}", count(gains.len()), words[1])))
        .child(between([first_to, second_from], zero, unchanged));
    let note = match hidden {
        0 => String::new(),
        _ => format!(
            "A line over all {} that changed, on one scale: they are too many for a bar each. The table below leads to them.",
            queries(changed.len())
        ),
    };
    Some(Differences { picture, note })
}

/// The differences of all queries, each as wide as every other, as the outline of what would be their bars: one for what is
/// below no difference, and one for what is above.
fn outline(changed: &[Change<'_>], polarity: Polarity, y: &Scale) -> Element {
    let columns = ((WIDTH - LEFT) * 2.0) as usize;
    let mut outlines = fragment();
    for sign in [-1.0, 1.0] {
        let height = |change: &Change<'_>| y.at((change.difference() * sign).max(0.0) * sign);
        let x = |column: usize| LEFT + column as f64 / columns as f64 * (WIDTH - LEFT);
        let mut points: Vec<[f64; 2]> = vec![[LEFT, y.at(0.0)]];
        for column in 0..columns {
            let Some(change) = changed.get(column * changed.len() / columns) else { continue };
            let top = height(change);
            // A step needs its corners alone.
            if points.last().is_none_or(|last| (last[1] - top).abs() > 0.005) {
                points.extend(points.last().map(|last| [x(column), last[1]]));
                points.push([x(column), top]);
            }
        }
        points.extend(points.last().map(|last| [WIDTH, last[1]]));
        points.push([WIDTH, y.at(0.0)]);
        outlines = outlines.child(polygon(class(polarity, sign), points));
    }
    outlines
}

/// How many queries did not change, in the gap where their bars would be, or else below it.
fn between([from, to]: [f64; 2], zero: f64, unchanged: usize) -> Element {
    let words = format!("{} unchanged", count(unchanged));
    let middle = f64::midpoint(from, to).clamp(LEFT + 130.0, WIDTH - 130.0);
    let y = match to - from > super::svg::width(&words) + 12.0 {
        false => HEIGHT - 6.0,
        // Where everything fell, the line of no difference is the upper end of the picture.
        true if zero - 7.0 < TOP + 12.0 => zero + 17.0,
        true => zero - 7.0,
    };
    text("muted middle", [middle, y], &words)
}

/// How a bar looks.
fn class(polarity: Polarity, difference: f64) -> &'static str {
    match polarity::role(polarity, difference) {
        Role::Gain => "gain",
        Role::Loss => "loss",
        _ => "apart",
    }
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
        .child(rect(class(polarity, difference), [x, top], [width, (bottom - top).max(1.0)]))
}

#[cfg(test)]
mod tests {
    use super::super::super::sample_queries::queried_with;
    use super::super::super::side::{compared, pair, sides};
    use super::*;
    use crate::model::Outcome;

    #[test]
    fn of_very_many_queries_all_are_drawn_on_one_scale() {
        let mut report = queried_with(2_000);
        // 1,960 fall and 40 rise.
        for one in &mut report.configurations {
            let Outcome::Measured(measured) = &mut one.outcome else { continue };
            let changed = measured.queries.iter_mut().filter(|query| query.golden.is_some());
            for (index, query) in changed.enumerate() {
                let score = if index < 1_960 { 0.9 } else { 0.1 };
                query.scores.insert("nDCG@10".to_owned(), 0.5);
                let golden = query.golden.as_mut().unwrap();
                golden.scores.insert("nDCG@10".to_owned(), score);
            }
        }
        let (_, finding) = compared(&report)[0];
        let drawn = differences(pair(&sides(&report), finding).unwrap(), finding, |_| None).unwrap();
        let picture = drawn.picture.inside().render();
        assert_eq!(picture.matches("<rect").count(), 0, "no bars");
        assert!(drawn.note.contains("all 2,000 queries that changed"), "{}", drawn.note);
        let outline = |class: &str| {
            let points = picture.split(&format!("class=\"{class}\" points=\"")).nth(1).unwrap();
            let points = points.split('"').next().unwrap().split(' ').map(|point| {
                let (x, y) = point.split_once(',').unwrap();
                [x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap()]
            });
            points.collect::<Vec<_>>()
        };
        // 1,960 of 2,000 are 98% of the picture.
        let zero = outline("loss")[0][1];
        let width = |class: &str| {
            let points = outline(class);
            points
                .windows(2)
                .filter(|pair| pair[0][1] != zero && pair[1][1] != zero)
                .map(|pair| pair[1][0] - pair[0][0])
                .sum::<f64>()
        };
        let all = WIDTH - LEFT;
        assert!((width("loss") / all - 0.98).abs() < 0.005, "{}", width("loss") / all);
        assert!((width("gain") / all - 0.02).abs() < 0.005, "{}", width("gain") / all);
    }

    #[test]
    fn words_beside_no_difference_stand_inside_of_the_picture() {
        let place = |zero: f64| {
            let text = between([100.0, 400.0], zero, 56).render();
            text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
        };
        assert_eq!((place(TOP), place(100.0)), (TOP + 17.0, 93.0));
    }
}
