//! The report as one HTML file that loads nothing: for a browser, and for paper.
//!
//! | file | shows |
//! |---|---|
//! | `header.rs` | what was measured, what came of it, what to know before trusting it |
//! | `gates.rs` | each gate with its message |
//! | `metrics.rs` | metrics and configurations, curves |
//! | `comparisons.rs` | differences, and the queries behind them |
//! | `latency.rs` | how long answers took, where gates ask for it |
//! | `segments.rs` | metrics by segment |
//! | `suite.rs` | the collections of a suite |
//! | `queries.rs` | the table of queries; `rankings.rs` the data behind its rows |
//! | `policy.rs` | what a browser may run and load: our own style and script, and nothing |
//!
//! Everything can be read without the script, which sorts, filters and opens rankings.

mod comparisons;
mod gates;
mod header;
mod latency;
mod metrics;
mod policy;
mod queries;
mod rankings;
mod segments;
mod suite;

use crate::model::Report;

use super::lookup::measured;
use super::markup::{Element, el, fragment};
use super::{palette, plot};

/// How the page looks.
const STYLE: &str = include_str!("style.css");
/// Sorts and filters queries and opens their rankings.
pub const SCRIPT: &str = include_str!("script.js");

/// Characters of a name, of a text in a table's cell, and of an error beside a table.
const NAME: usize = 60;
const CELL: usize = 120;
const NOTE: usize = 400;

/// The whole report as one HTML page: verdicts first, then each gate with its message, metrics with
/// intervals, comparisons as a forest plot with the queries behind each difference, metrics over the
/// cutoff, segments, and every query with its rankings side by side.
///
/// The page loads nothing and sends nothing, and a policy in it forbids scripts and styles other than
/// its own. It follows whether the reader prefers light or dark, can be used by keyboard, and can be
/// printed. Of more than 2,000 queries it holds those that changed most and those that score lowest,
/// and says so.
///
/// ```
/// # use rankgate::benchmark::model::Report;
/// # let example = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/report/example.json"));
/// # let report: Report = serde_json::from_str(example)?;
/// let page = rankgate::report::html(&report);
/// assert!(page.starts_with("<!DOCTYPE html>\n") && page.contains("helpdesk"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn html(report: &Report) -> String {
    let (title, parts, behind) = parts(report);
    document(&title, parts, (behind, &format!("\n{SCRIPT}")))
}

/// What the page consists of: its title, its header and main part, and what stands behind them.
pub fn parts(report: &Report) -> (String, (Element, Element), Element) {
    let columns = measured(report);
    let queries = queries::Queries::from_report(report);
    let sections: Vec<(&'static str, &'static str, Element)> = [
        ("gates", "Gates", gates::gates(report, &queries)),
        ("metrics", "Metrics", metrics::metrics(report, &columns)),
        ("variants", "Variants", metrics::variants(report)),
        ("stages", "Stages", metrics::stages(report)),
        ("collections", "Collections", suite::collections(report)),
        ("comparisons", "Comparisons", comparisons::comparisons(report, &queries)),
        ("latency", "Answer times", latency::latency(report)),
        ("cutoffs", "Metrics by cutoff", metrics::curves(report)),
        ("segments", "Segments", segments::segments(report, &columns)),
        ("queries", "Queries", queries.table()),
    ]
    .into_iter()
    .filter(|(_, _, content)| !content.is_empty())
    .collect();
    let links = sections.iter().map(|(id, title, _)| (*id, *title)).collect::<Vec<_>>();
    let mut main = el("main");
    for (id, title, content) in sections {
        let section = el("section").attr("aria-labelledby", id);
        main = main.child(section.child(el("h2").attr("id", id).text(title)).child(content));
    }
    let script = format!("\n{SCRIPT}");
    let title = format!("{}: {}", report.benchmark, super::phrases::verdicts(report));
    let data = el("script").attr("type", "application/json").attr("id", "data");
    let behind = data.json(&queries.data());
    let behind = fragment().child(behind).child(el("script").code(&script));
    (title, (header::header(report, &links), main), behind)
}

/// A page that loads nothing: its title, its header and main part, and what stands behind them: nothing, or a script that
/// may run.
pub fn document(title: &str, (header, main): (Element, Element), behind: (Element, &str)) -> String {
    styled(title, (header, main), behind, "")
}

/// The same with a style of its own.
pub fn styled(
    title: &str,
    (header, main): (Element, Element),
    (behind, script): (Element, &str),
    own: &str,
) -> String {
    governed(title, (header, main), (behind, script), (own, "'none'")).0
}

/// The same with forms that may go somewhere, and the policy that stands in it.
pub fn governed(
    title: &str,
    (header, main): (Element, Element),
    (behind, script): (Element, &str),
    (own, forms): (&str, &str),
) -> (String, String) {
    let style = format!("\n{}{}{STYLE}{own}", palette::variables(), plot::STYLE);
    let policy = policy::policy(&style, script, forms);
    let head = el("head")
        .child(el("meta").attr("charset", "utf-8"))
        .child(el("meta").attr("http-equiv", "Content-Security-Policy").attr("content", &policy))
        .child(el("meta").attr("name", "viewport").attr("content", "width=device-width, initial-scale=1"))
        .child(el("meta").attr("name", "color-scheme").attr("content", "light dark"))
        .child(el("link").attr("rel", "icon").attr("href", "data:,"))
        .child(el("title").text(title))
        .child(el("style").code(&style));
    let body = el("body")
        .child(header)
        .child(main)
        .child(el("footer").child(el("p").text(concat!("rankgate ", env!("CARGO_PKG_VERSION")))))
        .child(behind);
    let page = el("html").attr("lang", "en").child(head).child(body);
    (format!("<!DOCTYPE html>\n{}", page.render()), policy)
}

/// A table's head: the first column holds words, those named in `numbers` are aligned to the right.
fn head(titles: &[&str], numbers: std::ops::Range<usize>) -> Element {
    let cell = |(index, title): (usize, &&str)| {
        let cell = el("th").attr("scope", "col");
        if numbers.contains(&index) { cell.class("number").text(title) } else { cell.text(title) }
    };
    el("thead").child(el("tr").children(titles.iter().enumerate().map(cell)))
}

/// A row's cells behind the first, each with its column's title: on a narrow screen they stand below each
/// other.
fn labelled<'a>(
    titles: &'a [&'a str],
    cells: impl IntoIterator<Item = Element> + 'a,
) -> impl Iterator<Item = Element> + 'a {
    let titles = titles.iter().skip(1).copied().chain(std::iter::repeat(""));
    cells.into_iter().zip(titles).map(|(cell, title)| cell.attr("data-label", title))
}

fn number(text: &str) -> Element {
    el("td").class("number").text(text)
}

/// A picture with words below it.
pub fn figure(picture: plot::Picture, caption: Element) -> Element {
    let scroll = el("div").class("picture").child(picture.inside());
    let figure = el("figure").child(scroll);
    if caption.is_empty() { figure } else { figure.child(el("figcaption").child(caption)) }
}

fn note(text: &str) -> Element {
    if text.is_empty() { fragment() } else { el("p").class("note").text(text) }
}

#[cfg(test)]
mod tests;
