//! Pages of a server around what reports show: tables that link, alarms to acknowledge, reports.
//!
//! They work without script, load nothing, and what they may do is said by a policy that also goes into the answer's
//! head. Pages of reports, of documents to grade and with notes to write have a script, which adds to them.

use std::collections::BTreeSet;

use crate::ConfigurationTimeline;
use crate::model::{Report, Verdict};
use crate::report::clean::layout;
use crate::report::html;
use crate::report::label::GRADES;
use crate::report::markup::{Element, el, fragment};
use crate::report::painter::html::{badge, note, stacked_with};
use crate::report::tree::{self, Text};

use super::page::Around;
pub use super::page::{Links, View};
use super::{page, sections};

const STYLE: &str = include_str!("site.css");
const SCRIPT: &str = include_str!("site.js");
const NOTES: &str = include_str!("notes.js");

/// A page as it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The whole document.
    pub html: String,
    /// Its content security policy, for the head of the answer: of frames around it only that can say something.
    pub policy: String,
}

/// What stands around the content of a page.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The title of the window.
    pub title: String,
    /// Pages above this one, from the top: text and address.
    pub above: Vec<(String, String)>,
    /// What this page is called below them.
    pub here: String,
    /// A small form beside them, to leave by.
    pub leave: Option<Form>,
}

/// A piece of a page.
pub enum Block<'a> {
    /// A heading of what follows.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Facts: what each is called, and what it is, which may be several.
    Facts(Vec<(String, Vec<Cell>)>),
    /// What went wrong.
    Error(String),
    /// What was just done: whoever did it is there when the page opens.
    Done(String),
    /// States in few words.
    States(Vec<(Verdict, String)>),
    /// A table.
    Table(Table),
    /// A form.
    Form(Form),
    /// The whole history of a configuration; below an alarm that stands, a form for its id; and where commits lead.
    History(&'a ConfigurationTimeline, &'a View, &'a dyn Fn(&str) -> Option<Form>, &'a dyn Fn(&str) -> Links),
    /// The configurations of one benchmark in one plot.
    Configurations(&'a [ConfigurationTimeline], &'a View),
    /// A document to grade.
    Grading(Grading),
    /// Its alarms alone.
    Alarms(&'a ConfigurationTimeline, &'a dyn Fn(&str) -> Option<Form>, &'a dyn Fn(&str) -> Links),
}

/// A document to grade: a button for each grade, which keys press where there is a script.
#[derive(Clone, Debug, Default)]
pub struct Grading {
    /// Where grades go.
    pub action: String,
    /// What goes with them.
    pub fields: Vec<Field>,
    /// The query.
    pub asked: String,
    /// The document's text.
    pub document: String,
    /// A person's grade, where there is one: none in it where the person cannot tell.
    pub chosen: Option<Option<i64>>,
    /// Where the documents before and after it are.
    pub back: Option<String>,
    /// See `back`.
    pub on: Option<String>,
}

/// A table, which is a list of its rows on a narrow screen.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What a screen reader says of it.
    pub name: String,
    /// Titles of columns.
    pub titles: Vec<&'static str>,
    /// Columns of numbers.
    pub right: Vec<usize>,
    /// Its cells.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Where it leads.
    pub to: Option<String>,
    /// What it is, where it is a state.
    pub state: Option<Verdict>,
    /// What can be done there, in place of the text.
    pub form: Option<Form>,
}

/// A form.
#[derive(Clone, Debug, Default)]
pub struct Form {
    /// Where it goes.
    pub action: String,
    /// Whether it changes something there.
    pub post: bool,
    /// The filled-in values.
    pub fields: Vec<Field>,
    /// What its button says.
    pub button: String,
}

/// A field of a form.
#[derive(Clone, Debug)]
pub enum Field {
    /// Name and value of a hidden field.
    Hidden(&'static str, String),
    /// Name and label of a line; whether it is a secret.
    Line(&'static str, String, bool),
    /// Name, label and most characters of several lines.
    Lines(&'static str, String, usize),
    /// Name and label of a choice: values with their texts, and the chosen one.
    Choice(&'static str, String, Vec<(String, String)>, String),
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Cell {
    /// Text that leads somewhere.
    #[must_use]
    pub fn link(text: impl Into<String>, to: impl Into<String>) -> Self {
        Self { text: text.into(), to: Some(to.into()), ..Self::default() }
    }

    /// A state, and whether it is a good one.
    #[must_use]
    pub fn state(good: bool, text: impl Into<String>) -> Self {
        Self::verdict(if good { Verdict::Passed } else { Verdict::Failed }, text)
    }

    /// A verdict in words.
    #[must_use]
    pub fn verdict(verdict: Verdict, text: impl Into<String>) -> Self {
        Self { text: text.into(), state: Some(verdict), ..Self::default() }
    }
}

/// A day of seconds since 1970: `2026-11-22`.
#[must_use]
pub fn day(seconds: i64) -> String {
    sections::day(seconds)
}

/// A page of blocks.
#[must_use]
pub fn page(frame: &Frame, overline: &str, blocks: &[Block<'_>]) -> Page {
    let header = el("header")
        .child(trail(frame))
        .child(el("p").class("overline").text(overline))
        .child(el("h1").class("data").text(&frame.here));
    let main = el("main").children(blocks.iter().map(block));
    let script = if blocks.iter().any(|block| matches!(block, Block::Grading(_))) {
        SCRIPT
    } else if main.has("<textarea ") {
        NOTES
    } else {
        return finished(&frame.title, (header, main), (fragment(), ""));
    };
    let script = format!("\n{script}");
    let behind = fragment().child(el("script").code(&script));
    finished(&frame.title, (header, main), (behind, &script))
}

/// The page of a report, as [`html`](rankgate_report::report::html) has it, below the pages above it and what a server knows
/// around it.
#[must_use]
pub fn report(frame: &Frame, around: &[Block<'_>], report: &Report) -> Page {
    let (title, (header, main), behind) = html::parts(report);
    let header =
        fragment().child(trail(frame)).child(header).child(el("div").children(around.iter().map(block)));
    finished(&title, (header, main), (behind, &format!("\n{}", html::SCRIPT)))
}

fn finished(title: &str, parts: (Element, Element), behind: (Element, &str)) -> Page {
    let (html, policy) = html::governed(title, parts, behind, (STYLE, "'self'"));
    Page { html, policy: format!("{policy}; frame-ancestors 'none'") }
}

fn trail(frame: &Frame) -> Element {
    let links = frame.above.iter().map(|(text, to)| el("a").attr("href", to).text(text));
    let here = el("span").attr("aria-current", "page").class("data").text(&frame.here);
    let nav = el("nav").class("trail").attr("aria-label", "Pages above").children(links).child(here);
    nav.children(frame.leave.as_ref().map(form))
}

fn block(block: &Block<'_>) -> Element {
    match block {
        Block::Heading(text) => el("h2").class("data").text(text),
        Block::Text(text) => note(&Text::from(text.as_str())),
        Block::Error(text) => el("p").class("error data").attr("role", "alert").text(text),
        Block::Facts(facts) => {
            let fact = |(title, cells): &(String, Vec<Cell>)| {
                let mut told = el("dd").class("data");
                for (at, cell) in cells.iter().enumerate() {
                    told = if at > 0 { told.text(", ") } else { told };
                    told = match &cell.to {
                        Some(to) => told.child(el("a").attr("href", to).text(&cell.text)),
                        None => told.text(&cell.text),
                    };
                }
                el("div").child(el("dt").text(title)).child(told)
            };
            el("dl").class("facts").children(facts.iter().map(fact))
        }
        Block::Done(text) => {
            let done = el("p").class("done data").attr("role", "status").attr("tabindex", "-1");
            done.flag("autofocus").text(text)
        }
        Block::States(all) => {
            el("p").class("verdicts").children(all.iter().map(|(verdict, text)| badge(*verdict, text)))
        }
        Block::Table(one) => table(one),
        Block::Form(one) => form(one),
        Block::Grading(one) => grading(one),
        Block::History(told, view, forms, links) => {
            page::history(told, &Around { view, below: &|id| forms(id).as_ref().map(form), links })
        }
        Block::Configurations(all, view) => {
            let several = page::together(all).into_iter().filter(|several| several.len() > 1);
            fragment().children(several.map(|several| page::side_by_side(&several, view)))
        }
        Block::Alarms(told, forms, links) => {
            let view = View::default();
            page::alarms(told, &Around { view: &view, below: &|id| forms(id).as_ref().map(form), links })
        }
    }
}

/// The state of the newest commit of a branch, where it is not as good as no alarm: not looked at, or with gates that do
/// not hold.
#[must_use]
pub fn head_state(told: &ConfigurationTimeline) -> Option<(Verdict, String)> {
    sections::head_state(told)
}

/// Whether alarms stand, and whether that is known of each loss.
#[must_use]
pub fn standing(told: &[ConfigurationTimeline]) -> (Verdict, String) {
    sections::standing(told)
}

fn table(table: &Table) -> Element {
    let mut shown = tree::Table::headed(table.titles.iter().copied()).right(table.right.iter().copied());
    for row in &table.rows {
        shown.row(row.iter().map(|cell| cell.text.as_str()));
    }
    let element = |row: usize, column: usize| {
        let cell = table.rows.get(row)?.get(column)?;
        if let Some(own) = &cell.form {
            return Some(form(own));
        }
        match (&cell.to, cell.state) {
            (Some(to), _) => Some(el("a").attr("href", to).text(&cell.text)),
            (None, Some(verdict)) => Some(badge(verdict, &cell.text)),
            (None, None) => None,
        }
    };
    stacked_with(&table.name, &shown, &element)
}

fn grading(one: &Grading) -> Element {
    let wanted = wanted(&one.asked);
    let document = layout(&one.document);
    let (first, rest) = document.split_once('\n').unwrap_or((&document, ""));
    let title = marked(el(if rest.is_empty() { "span" } else { "b" }), first, &wanted);
    let document = marked(el("article").class("data to-grade").child(title), rest, &wanted);
    let grades = GRADES.iter().zip(0..).map(|(name, grade)| (Some(grade), *name, format!("{grade}")));
    let button = |(grade, name, key): (Option<i64>, &str, String)| {
        let value = grade.map_or_else(String::new, |grade| grade.to_string());
        let button = el("button").attr("name", "grade").attr("value", &value).attr("data-key", &key);
        let button = button.attr("aria-pressed", if one.chosen == Some(grade) { "true" } else { "false" });
        button.child(el("kbd").attr("aria-hidden", "true").text(&key)).child(el("span").text(name))
    };
    let buttons = grades.chain([(None, "cannot tell", "c".to_owned())]).map(button);
    let form = el("form").class("grading").attr("action", &one.action).attr("method", "post");
    let form = form.children(one.fields.iter().map(field)).children(buttons);
    let moves = [("Back", "ArrowLeft", &one.back), ("On", "ArrowRight", &one.on)];
    let moves = moves.into_iter().filter_map(|(text, key, to)| {
        Some(el("a").attr("href", to.as_ref()?).attr("data-key", key).text(text))
    });
    fragment()
        .child(el("h2").class("data to-grade").layout(&one.asked))
        .child(document)
        .child(form)
        .child(el("nav").class("moves").attr("aria-label", "Documents").children(moves))
}

/// What a word is known by: longer ones by their beginning.
fn stem(word: &str) -> String {
    let letters: Vec<char> = word.to_lowercase().chars().collect();
    let end = if letters.len() > 5 { (letters.len() - 3).max(5) } else { letters.len() };
    letters[..end].iter().collect()
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |word: &&str| word.chars().all(char::is_alphanumeric) && !word.is_empty();
    let pieces = text.split(|c: char| !c.is_alphanumeric()).filter(is_word);
    pieces.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Significant words of a query.
fn wanted(asked: &str) -> BTreeSet<String> {
    let says = |word: &&str| word.chars().count() > 3 || word.contains(char::is_numeric);
    words(asked).map(|(_, word)| word).filter(says).map(stem).collect()
}

/// Text with those words marked.
fn marked(mut element: Element, text: &str, wanted: &BTreeSet<String>) -> Element {
    let mut end = 0;
    for (at, word) in words(text).filter(|(_, word)| wanted.contains(&stem(word))) {
        element = element.layout(&text[end..at]).child(el("mark").text(word));
        end = at + word.len();
    }
    element.layout(&text[end..])
}

fn form(form: &Form) -> Element {
    let method = if form.post { "post" } else { "get" };
    let element = el("form").attr("action", &form.action).attr("method", method);
    let button = el("button").attr("type", "submit").text(&form.button);
    element.children(form.fields.iter().map(field)).child(button)
}

fn field(field: &Field) -> Element {
    let labelled = |label: &str, control: Element| el("label").child(el("span").text(label)).child(control);
    match field {
        Field::Hidden(name, value) => el("input").attr("type", "hidden").attr("name", name).value(value),
        Field::Line(name, label, secret) => {
            let kind = if *secret { "password" } else { "text" };
            let input = el("input").attr("type", kind).attr("name", name).attr("autocomplete", "off");
            labelled(label, input.flag("required"))
        }
        Field::Lines(name, label, most) => {
            let most = most.to_string();
            let lines = el("textarea").attr("name", name).attr("rows", "2").attr("maxlength", &most);
            labelled(label, lines.flag("required"))
        }
        Field::Choice(name, label, options, chosen) => {
            let option = |(value, text): &(String, String)| {
                let option = el("option").value(value);
                if value == chosen { option.flag("selected").text(text) } else { option.text(text) }
            };
            labelled(label, el("select").attr("name", name).children(options.iter().map(option)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_is_marked_in_the_document() {
        let wanted = wanted("How much is a late fee of 15?");
        let shown = marked(el("p"), "Late fees, and later: 15 <b> of much.", &wanted).render();
        assert_eq!(
            shown.trim(),
            "<p><mark>Late</mark> fees, and later: <mark>15</mark> &lt;b&gt; of <mark>much</mark>.</p>"
        );
        let lines = "title\r\nmore\r\n- a\n- b \u{202e}";
        let one = Grading {
            asked: "one\ntwo".into(),
            document: lines.into(),
            chosen: Some(None),
            ..Grading::default()
        };
        let page = page(&Frame::default(), "", &[Block::Grading(one)]);
        let html = page.html;
        assert_eq!(
            (html.matches("name=\"grade\"").count(), html.matches("aria-pressed=\"true\">").count()),
            (5, 1),
            "{html}"
        );
        assert!(
            html.contains("<b>title</b>more\n- a\n- b \\u{202e}</article>") && html.contains("one\ntwo</h2>"),
            "{html}"
        );
        assert!(html.contains("<script") && page.policy.contains("script-src"));
    }

    #[test]
    fn nothing_in_a_page_of_a_server_is_markup_and_forms_go_to_it_alone() {
        let odd = "</p><script>\"'&";
        let form = Form {
            action: "/x".into(),
            post: true,
            fields: vec![
                Field::Hidden("a", odd.into()),
                Field::Line("b", odd.into(), true),
                Field::Lines("c", odd.into(), 9),
                Field::Choice("d", odd.into(), vec![(odd.into(), odd.into())], odd.into()),
            ],
            button: odd.into(),
        };
        let table = Table {
            name: odd.into(),
            titles: vec!["one", "two"],
            right: vec![1],
            rows: vec![vec![Cell::link(odd, "/y"), Cell::state(false, odd)]],
        };
        let frame =
            Frame { title: odd.into(), above: vec![(odd.into(), "/".into())], here: odd.into(), leave: None };
        let blocks = [
            Block::Heading(odd.into()),
            Block::Text(odd.into()),
            Block::Error(odd.into()),
            Block::States(vec![(Verdict::Passed, odd.into())]),
            Block::Table(table),
            Block::Form(form),
        ];
        let page = page(&frame, odd, &blocks);
        // Only what keeps notes runs.
        assert!(
            page.html.matches("<script").count() == 1 && page.html.contains("type=\"password\""),
            "{}",
            page.html
        );
        assert!(page.policy.contains("default-src 'none'") && page.policy.contains("form-action 'self'"));
        assert!(page.policy.ends_with("; frame-ancestors 'none'"));
        assert_eq!(day(86_400), "1970-01-02");
    }
}
