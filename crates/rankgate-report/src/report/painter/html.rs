//! HTML: paragraphs, lists and tables, whose layout is the browser's.

use crate::model::Verdict;
use crate::report::clean::shorten;
use crate::report::markup::{Element, el, fragment};
use crate::report::number::count;
use crate::report::page::{Block, Detail, Part, Queries, Query, Role, Row, Section, Span, Table, Text};
use crate::report::typography::minus;
use crate::report::verdict::{mark, word};

use super::wrap::wrap;

/// Characters of a document's title.
const TITLE: usize = 80;

/// A query's place in the page; `None` where it has none.
pub type Link<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A section that a gate says: its headline, and its parts, each of them whole.
pub fn section(section: &Section, link: Link<'_>) -> Element {
    let heading = el("p").class("headline data").text(&section.heading.to_string());
    let part = |part: &Part| el("div").class("part").children(part.iter().map(|block| of_block(block, link)));
    let parts = section.parts.iter().filter(|part| !part.is_empty()).map(part);
    fragment().child(heading).child(el("div").class("blocks").children(parts))
}

/// What to do next.
pub fn steps(steps: &[(String, String)]) -> Element {
    let step = |(purpose, action): &(String, String)| {
        let action = el("dd").child(el("code").class("data").text(action));
        el("div").child(el("dt").text(purpose)).child(action)
    };
    let list = el("dl").class("steps").children(steps.iter().map(step));
    if list.is_empty() { fragment() } else { list }
}

/// A note beside a table.
pub fn list(items: &[Text]) -> Element {
    let items = items.iter().map(|item| inline(el("li").class("data"), item));
    el("ul").class("notes").children(items)
}

/// A paragraph beside a table or picture.
pub fn note(text: &Text) -> Element {
    inline(el("p").class("note"), text)
}

/// A verdict as a mark and a word.
pub fn badge(verdict: Verdict, words: &str) -> Element {
    let mark = el("span").attr("aria-hidden", "true").text(mark(verdict));
    el("span")
        .class(&format!("badge {}", word(verdict).to_lowercase()))
        .child(mark)
        .text(&format!(" {words}"))
}

/// A table that on a narrow screen is a list of its rows. `name` is what a screen reader says of it.
pub fn stacked(name: &str, table: &Table) -> Element {
    titled(name, table, "stacked")
}

/// A table whose columns are so narrow that it stays one on a narrow screen.
pub fn matrix(name: &str, table: &Table) -> Element {
    titled(name, table, "matrix")
}

fn titled(name: &str, table: &Table, layout: &str) -> Element {
    let titles: Vec<String> = table.header.iter().map(Text::to_string).collect();
    let class = |column: usize| if table.right.contains(&column) { "number" } else { "data" };
    let head = table.header.iter().enumerate().map(|(column, title)| match titles[column].is_empty() {
        // A header without a word is none.
        true => el("td"),
        false => inline(el("th").attr("scope", "col").class(class(column)), title),
    });
    let cell = |(column, text): (usize, &Text)| {
        let right = table.right.contains(&column);
        let cell = match titles.get(column).filter(|_| column > 0 || right) {
            Some(title) => el("td").class(class(column)).attr("data-label", title),
            None => el("th").attr("scope", "row").class("data"),
        };
        match column {
            _ if right => inline(cell, &Text::from(minus(&text.to_string()))),
            0 => inline(cell, text),
            _ => of_cell(cell, text),
        }
    };
    let rows = table.cells().skip(1).map(|cells| el("tr").children(cells.iter().enumerate().map(cell)));
    let head = el("thead").child(el("tr").children(head));
    scrolling(name, el("table").class(layout).child(head).child(el("tbody").children(rows)))
}

/// A table that scrolls by itself where it is too wide for the page.
pub fn scrolling(name: &str, table: Element) -> Element {
    // Only what has the focus can be scrolled by keyboard.
    let scroll = el("div").class("scroll").attr("tabindex", "0").attr("role", "region");
    scroll.attr("aria-label", name).child(table)
}

/// A cell, which is a badge where all that it says is a verdict.
fn of_cell(cell: Element, text: &Text) -> Element {
    match text.spans() {
        [Span { text, role: Role::Verdict(verdict) }] => cell.child(badge(*verdict, &text.to_lowercase())),
        _ => inline(cell, text),
    }
}

fn of_block(block: &Block, link: Link<'_>) -> Element {
    let paragraph = |nested: bool| el("p").class(if nested { "nested data" } else { "data" });
    match block {
        Block::Paragraph { text, nested } => broken(paragraph(*nested), text, usize::MAX),
        Block::Hanging { lead, text, nested, lines } => {
            broken(inline(paragraph(*nested), lead), text, *lines)
        }
        Block::List(items) => list(items),
        Block::Line(text) => inline(paragraph(false), text),
        Block::Preformatted { text, lines, .. } => broken(el("pre").class("data"), text, *lines),
        Block::Table(one) => table(one),
        Block::Facts(facts) => {
            let fact = |(name, text): &(String, Text)| {
                el("div").child(el("dt").text(name)).child(inline(el("dd").class("data"), text))
            };
            el("dl").class("steps").children(facts.iter().map(fact))
        }
        Block::Steps(all) => steps(all),
        Block::Queries(all) => queries(all, link),
    }
}

/// Text whose own line breaks stay; of more than `limit` lines the ends.
fn broken(mut element: Element, text: &Text, limit: usize) -> Element {
    for (index, line) in wrap(text, usize::MAX, limit).iter().enumerate() {
        let before = if index == 0 { element } else { element.lines(["", ""]) };
        element = inline(before, line);
    }
    element
}

fn inline(element: Element, text: &Text) -> Element {
    text.spans().iter().fold(element, |element, span| {
        let class = match span.role {
            Role::Plain | Role::Code => return element.text(&span.text),
            Role::Strong => "strong".to_owned(),
            Role::Verdict(verdict) => format!("verdict {}", word(verdict).to_lowercase()),
            Role::Gain => "is-gain".to_owned(),
            Role::Loss => "is-loss".to_owned(),
            Role::Caution => "caution".to_owned(),
            Role::Number => "whole".to_owned(),
        };
        let text = match span.role {
            Role::Gain | Role::Loss | Role::Number => minus(&span.text),
            Role::Plain | Role::Code | Role::Strong | Role::Verdict(_) | Role::Caution => span.text.clone(),
        };
        element.child(el("span").class(&class).text(&text))
    })
}

fn table(table: &Table) -> Element {
    if let Some(first) = table.header.first() {
        return stacked(&first.to_string(), table);
    }
    let cell = |column: usize, cell: &Text| match (column, table.right.contains(&column)) {
        (0, _) => inline(el("th").attr("scope", "row").class("data"), cell),
        (_, true) => inline(el("td").class("number"), &cell.as_number()),
        (_, false) => inline(el("td").class("data"), cell),
    };
    let row = |row: &Row| match row {
        Row::Cells(cells) => {
            el("tr").children(cells.iter().enumerate().map(|(column, text)| cell(column, text)))
        }
        Row::Common(text) => el("tr").child(inline(el("th").attr("scope", "rowgroup").class("data"), text)),
    };
    el("table").class("numbers").child(el("tbody").children(table.rows.iter().map(row)))
}

/// Queries, each of which leads to its rankings where the page has them.
fn queries(queries: &Queries, link: Link<'_>) -> Element {
    let row = |query: &Query| {
        let id = match link(&query.key) {
            Some(link) => el("a").class("data").attr("href", &link).text(&query.id),
            None => el("span").class("data").text(&query.id),
        };
        let detail = |detail: &Detail| {
            let document = el("span").class("data").text(&detail.document);
            let line = el("div");
            let line = if detail.document.is_empty() { line } else { line.child(document) };
            let title = el("cite").class("data").text(&shorten(&detail.title, TITLE));
            let line = if detail.title.is_empty() { line } else { line.text(" ").child(title) };
            line.text(&detail.said)
        };
        el("li")
            .child(el("span").class("query").child(id).text(" ").child(inline(el("span"), &query.number)))
            .child(el("span").class("asked data").text(&query.text))
            .children(query.details.iter().map(detail))
    };
    let list = el("ul").class("moved").children(queries.rows.iter().map(row));
    if queries.more == 0 {
        return list;
    }
    list.child(el("li").text(&format!("and {} more", count(queries.more))))
}
