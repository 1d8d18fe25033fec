//! How long answers took, where gates ask for it.

use crate::model::Report;

use super::super::markup::{Element, el, fragment};
use super::super::message;
use super::super::painter::html::stacked;
use super::super::plot;
use super::{figure, note};

pub(super) fn latency(report: &Report) -> Element {
    let plots = plot::distributions(report);
    if plots.is_empty() {
        return fragment();
    }
    let figures = plots.into_iter().map(|one| {
        let told = fragment()
            .child(stacked(&one.name, &message::times(one.finding)))
            .child(note(&message::how_timed(one.finding)));
        figure(one.picture, told)
    });
    let hint = "Each line rises by what share of the answers took at most so long; the axis of times is logarithmic, and dashed \
                lines are the quantiles and times that gates are on.";
    fragment().child(note(hint)).child(el("div").class("plots").children(figures))
}
