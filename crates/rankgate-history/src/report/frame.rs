//! What plots over commits have in common: their size, and the ground that lines are drawn on.

use crate::metric::Metric;
use crate::report::plot::scale::Scale;
use crate::report::plot::svg::{Picture, line, picture, text};

/// Widths of a plot on a wide page and on a narrow one, and where it begins and ends.
const WIDE: f64 = 1060.0;
const NARROW: f64 = 350.0;
pub(super) const HEIGHT: f64 = 270.0;
pub(super) const LEFT: f64 = 48.0;
pub(super) const RIGHT: f64 = 14.0;
pub(super) const TOP: f64 = 62.0;
pub(super) const BOTTOM: f64 = 26.0;

pub(super) fn wide(is_narrow: bool) -> f64 {
    if is_narrow { NARROW } else { WIDE }
}

/// The scale of values of a metric, within its range.
pub(super) fn scale(metric: &str, values: impl Iterator<Item = f64>) -> Scale {
    let scale = Scale::around(values, 4, [HEIGHT - BOTTOM, TOP]);
    // What the history of another version calls a metric may be none.
    metric.parse::<Metric>().map_or(scale, |metric| scale.within(&metric.range()))
}

/// A plot with the metric's name and a grid; `about` is what a screen reader says of it.
pub(super) fn ground(about: &str, (name, at): (&str, f64), wide: f64, y: &Scale) -> Picture {
    let mut drawn = picture(wide, HEIGHT, about).child(text("strong", [LEFT, at], name));
    for (value, label) in y.ticks(4) {
        let at = y.at(value);
        drawn = drawn.child(line("grid", [LEFT, at], [wide - RIGHT, at])).child(text(
            "muted end",
            [LEFT - 8.0, at + 4.0],
            &label,
        ));
    }
    drawn
}
