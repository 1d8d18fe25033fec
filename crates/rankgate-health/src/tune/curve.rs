//! The curve of a sweep, drawn.

use rankgate_report::report::internal::html::figure;
use rankgate_report::report::internal::markup::{Element, el};
use rankgate_report::report::internal::plot::scale::Scale;
use rankgate_report::report::internal::plot::svg::{circle, line, picture, text};

use super::report::{TuneReport, TunedSetting};
use super::text::label;

const WIDE: f64 = 1060.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 40.0;

/// The gain of each setting in the order of the sweep with its interval; what may be the best is marked.
pub(super) fn curve(report: &TuneReport) -> Element {
    let limits = |setting: &TunedSetting| setting.interval.unwrap_or([setting.difference; 2]);
    let values = report.settings.iter().flat_map(limits).chain([0.0]);
    let y = Scale::around(values, 4, [HEIGHT - BOTTOM, TOP]);
    let about = match report.lower_is_better {
        false => format!("gain over today's {} by setting", report.metric),
        true => format!("difference from today's {} by setting: less is better", report.metric),
    };
    let mut drawn = picture(WIDE, HEIGHT, &about).child(text("strong", [LEFT, 18.0], &about));
    for (value, label) in y.ticks(4) {
        let at = y.at(value);
        drawn = drawn.child(line("grid", [LEFT, at], [WIDE - RIGHT, at]));
        drawn = drawn.child(text("muted end", [LEFT - 8.0, at + 4.0], &label));
    }
    let step = (WIDE - LEFT - RIGHT) / report.settings.len().max(1) as f64;
    for (at, setting) in report.settings.iter().enumerate() {
        let x = LEFT + (at as f64 + 0.5) * step;
        let [low, high] = limits(setting);
        let series = if setting.in_plateau { "s1" } else { "s2" };
        drawn = drawn.child(line(&format!("interval {series}"), [x, y.at(low)], [x, y.at(high)]));
        drawn = drawn.child(circle(series, [x, y.at(setting.difference)], 4.0));
    }
    for (at, class) in [(0, "muted"), (report.settings.len().saturating_sub(1), "muted end")] {
        if let Some(setting) = report.settings.get(at) {
            let x = if at == 0 { LEFT } else { WIDE - RIGHT };
            drawn = drawn.child(text(class, [x, HEIGHT - 14.0], &label(&report.keys, &setting.values)));
        }
    }
    drawn = drawn.child(line("zero", [LEFT, y.at(0.0)], [WIDE - RIGHT, y.at(0.0)]));
    let caption = "Difference from today's setting on the choosing half, with t intervals, in the order of the sweep. Settings of the first colour \
                   may be the best in truth; those of the second are shown to be worse than the best.";
    figure(drawn, el("p").text(caption))
}
