//! The shapes that plots are made of.

use super::super::markup::{Element, el};

/// A picture of this size, in the units of everything in it. `name` is what a screen reader says of it.
pub(super) fn picture(width: f64, height: f64, name: &str) -> Element {
    el("svg")
        .attr("xmlns", "http://www.w3.org/2000/svg")
        .class("plot")
        .attr("viewBox", &format!("0 0 {} {}", place(width), place(height)))
        .attr("width", &place(width))
        .attr("height", &place(height))
        .attr("role", "group")
        .attr("aria-label", name)
}

/// A place or length: two decimals are finer than any screen.
pub(super) fn place(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub(super) fn line(class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> Element {
    el("line")
        .class(class)
        .attr("x1", &place(x1))
        .attr("y1", &place(y1))
        .attr("x2", &place(x2))
        .attr("y2", &place(y2))
}

pub(super) fn rect(class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) -> Element {
    el("rect")
        .class(class)
        .attr("x", &place(x))
        .attr("y", &place(y))
        .attr("width", &place(width.max(0.0)))
        .attr("height", &place(height.max(0.0)))
}

pub(super) fn circle(class: &str, [x, y]: [f64; 2], radius: f64) -> Element {
    el("circle").class(class).attr("cx", &place(x)).attr("cy", &place(y)).attr("r", &place(radius))
}

pub(super) fn text(class: &str, [x, y]: [f64; 2], text: &str) -> Element {
    el("text").class(class).attr("x", &place(x)).attr("y", &place(y)).text(text)
}

pub(super) fn polyline(class: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Element {
    let points: Vec<String> = points.into_iter().map(|[x, y]| format!("{},{}", place(x), place(y))).collect();
    el("polyline").class(class).attr("points", &points.join(" "))
}

/// About how wide a text of the plots' size is. Fonts differ; this errs on the wide side.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.2 } else { 13.0 }).sum()
}
