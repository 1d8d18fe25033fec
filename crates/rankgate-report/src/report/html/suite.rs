//! The collections of a suite: differences in each as a forest plot, and values with the means over them.

use crate::model::Report;

use super::super::clean::shorten;
use super::super::markup::{Element, el, fragment};
use super::super::number::percent;
use super::super::page::Block;
use super::super::painter::html::stacked;
use super::super::{plot, suite};
use super::{NAME, figure, note};

pub(super) fn collections(report: &Report) -> Element {
    let mut section = fragment();
    if report.suite.is_none() {
        return section;
    }
    let forests = plot::collections(report);
    let any = !forests.is_empty();
    for (title, wide, narrow) in forests {
        section = section
            .child(el("h3").class("data").text(&shorten(&title, NAME)))
            .child(el("div").class("wide").child(figure(wide, fragment())))
            .child(el("div").class("narrow").child(figure(narrow, fragment())));
    }
    if any {
        section = section.child(note(&format!(
            "Mean difference in each collection with its {} interval, not adjusted; below them the weighted mean, which the \
             gate is about, and where there are enough collections the interval in which one more is to be expected.",
            percent(report.confidence)
        )));
    }
    for one in suite::means(report, NAME) {
        let title = one.heading.to_string();
        section = section.child(el("h3").class("data").text(&title));
        for block in one.parts.into_iter().flatten() {
            if let Block::Table(table) = block {
                section = section.child(stacked(&title, &table));
            }
        }
    }
    section
}
