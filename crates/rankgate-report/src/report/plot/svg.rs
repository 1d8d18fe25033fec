//! The shapes that plots are made of.

use super::super::markup::{Element, el, fragment};

/// A plot.
#[derive(Clone, Debug)]
pub struct Picture {
    size: [f64; 2],
    name: String,
    content: Element,
}

/// A picture of this size, in the units of everything in it. `name` is what a screen reader says of it.
pub fn picture(width: f64, height: f64, name: &str) -> Picture {
    Picture { size: [width, height], name: name.to_owned(), content: fragment() }
}

/// Room around a picture that stands alone.
const MARGIN: f64 = 16.0;

impl Picture {
    pub fn child(mut self, child: Element) -> Self {
        self.content = self.content.child(child);
        self
    }

    /// As a part of a page that knows how plots look.
    pub fn inside(self) -> Element {
        self.framed(0.0).child(self.content)
    }

    /// As a file of its own, with this style and a ground.
    pub fn alone(self, style: &str) -> String {
        let ground = rect("ground", [-MARGIN, -MARGIN], self.size.map(|side| side + 2.0 * MARGIN));
        let style = el("style").code("\n").code(style);
        self.framed(MARGIN).child(style).child(ground).child(self.content).render()
    }

    fn framed(&self, margin: f64) -> Element {
        let [width, height] = self.size.map(|side| place(side + 2.0 * margin));
        el("svg")
            .attr("xmlns", "http://www.w3.org/2000/svg")
            .class("plot")
            .attr("viewBox", &format!("{} {} {width} {height}", place(-margin), place(-margin)))
            .attr("width", &width)
            .attr("height", &height)
            .attr("role", "group")
            .attr("aria-label", &self.name)
    }
}

/// A place or length: two decimals are finer than any screen.
pub fn place(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

pub fn line(class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) -> Element {
    el("line")
        .class(class)
        .attr("x1", &place(x1))
        .attr("y1", &place(y1))
        .attr("x2", &place(x2))
        .attr("y2", &place(y2))
}

pub fn rect(class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) -> Element {
    el("rect")
        .class(class)
        .attr("x", &place(x))
        .attr("y", &place(y))
        .attr("width", &place(width.max(0.0)))
        .attr("height", &place(height.max(0.0)))
}

pub fn circle(class: &str, [x, y]: [f64; 2], radius: f64) -> Element {
    el("circle").class(class).attr("cx", &place(x)).attr("cy", &place(y)).attr("r", &place(radius))
}

pub fn text(class: &str, [x, y]: [f64; 2], text: &str) -> Element {
    el("text").class(class).attr("x", &place(x)).attr("y", &place(y)).text(text)
}

pub fn polyline(class: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Element {
    el("polyline").class(class).attr("points", &joined(points))
}

fn joined(points: impl IntoIterator<Item = [f64; 2]>) -> String {
    let points: Vec<String> = points.into_iter().map(|[x, y]| format!("{},{}", place(x), place(y))).collect();
    points.join(" ")
}

pub fn polygon(class: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Element {
    el("polygon").class(class).attr("points", &joined(points))
}

/// About how wide a text of the plots' size is. Fonts differ; this errs on the wide side.
pub fn width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.2 } else { 13.0 }).sum()
}
