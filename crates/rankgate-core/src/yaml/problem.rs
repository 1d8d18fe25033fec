//! Errors in a YAML file, shown as rustc shows errors: place, line, caret, help.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::source::{Source, Span};
use crate::error::{Problem, Problems};
use crate::order;
use crate::shown::is_unfit;

/// Problems as they are found. A file may hold a million: those beyond the shown ones are only counted.
#[derive(Clone, Debug, Default)]
pub struct Found {
    problems: Vec<Problem>,
    more: usize,
}

impl Found {
    const KEPT: usize = 1000;

    pub fn push(&mut self, problem: Problem) {
        if self.problems.len() < Self::KEPT {
            self.problems.push(problem);
        } else {
            self.more += 1;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// How many were found, those that were only counted included.
    pub fn len(&self) -> usize {
        self.problems.len() + self.more
    }

    /// Whether what comes now is only counted, so that it need not be explained.
    pub fn is_full(&self) -> bool {
        self.problems.len() == Self::KEPT
    }
}

impl From<Problem> for Found {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem], more: 0 }
    }
}

/// Turns the found problems into the shown ones, in the order of the lines.
#[doc(hidden)]
impl Problems {
    pub fn new(source: Arc<Source>, found: Found) -> Self {
        let Found { mut problems, more } = found;
        for problem in &mut problems {
            (problem.line, problem.column) = source.position(problem.at);
        }
        // What an alias repeats is wrong as often as it is used, and said once. The sort is stable:
        // problems of one place stay in the order in which they were found.
        let mut said = HashSet::new();
        problems.retain(|problem| said.insert((problem.at, problem.message.clone())));
        order::sort_by_key(&mut problems, |problem| problem.at);
        for problem in problems.iter_mut().take(Self::SHOWN) {
            problem.shown = render(&source, problem);
        }
        Self { file: source.name().to_owned(), problems, more }
    }
}

fn render(source: &Source, problem: &Problem) -> String {
    let here = Excerpt::new(source, problem.at);
    let mut group = Group::with_title(Level::ERROR.primary_title(&problem.message));
    let mut marked = vec![AnnotationKind::Primary.span(here.range(problem.at))];
    let mut elsewhere = None;
    if let Some((at, label)) = problem.related.as_deref() {
        if here.holds(*at) {
            marked.push(AnnotationKind::Context.span(here.range(*at)).label(label));
        } else {
            let there = Excerpt::new(source, *at);
            let annotation = AnnotationKind::Context.span(there.range(*at)).label(label);
            elsewhere = Some((there, *at, annotation));
        }
    }
    group = here.show(group, problem.at, marked);
    if let Some((there, at, annotation)) = elsewhere {
        group = there.show(group, at, vec![annotation]);
    }
    for help in &problem.helps {
        group = group.element(Level::HELP.message(help));
    }
    let text = Renderer::plain().render(&[group]);
    // The renderer makes most of them visible itself.
    let text = text.replace(|c| c != '\n' && is_unfit(c), "\u{fffd}");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// The line a place is on.
struct Excerpt<'a> {
    source: &'a Source,
    bytes: Span,
}

impl<'a> Excerpt<'a> {
    /// A line of more bytes, on which a whole spec may stand, is not shown.
    const LONG: u32 = 10_000;

    fn new(source: &'a Source, at: Span) -> Self {
        Self { source, bytes: source.line_of(at) }
    }

    fn holds(&self, at: Span) -> bool {
        self.bytes.start <= at.start && at.end <= self.bytes.end
    }

    /// The place within the line; what reaches into later lines is left out.
    fn range(&self, at: Span) -> Range<usize> {
        let within = |byte: u32| byte.clamp(self.bytes.start, self.bytes.end) - self.bytes.start;
        within(at.start) as usize..within(at.end) as usize
    }

    fn show(&self, group: Group<'a>, at: Span, marked: Vec<Annotation<'a>>) -> Group<'a> {
        let (line, column) = self.source.position(at);
        if self.bytes.end - self.bytes.start > Self::LONG {
            return group.element(Origin::path(self.source.name()).line(line).char_column(column));
        }
        let text = self.source.text().get(self.bytes.start as usize..self.bytes.end as usize);
        let snippet = Snippet::source(text.unwrap_or_default()).line_start(line).annotations(marked);
        group.element(snippet.path(self.source.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, at: &str, change: impl FnOnce(Problem, &Source) -> Problem) -> String {
        let source = Source::new("benchmarks/x.yaml", text).unwrap();
        let problem = change(Problem::new(span(&source, at), "unknown metric `x`"), &source);
        Problems::new(source, problem.into()).to_string()
    }

    fn span(source: &Source, of: &str) -> Span {
        let start = source.text().find(of).unwrap() as u32;
        Span { start, end: start + of.len() as u32 }
    }

    #[test]
    fn a_problem_is_shown_with_line_caret_and_help() {
        let text = "version: 1\nmetrics: [nDGC@10]\n";
        insta::assert_snapshot!(shown(text, "nDGC@10", |p, _| p.help("did you mean `nDCG@10`?")), @"
        error: unknown metric `x`
         --> benchmarks/x.yaml:2:11
          |
        2 | metrics: [nDGC@10]
          |           ^^^^^^^
          |
          = help: did you mean `nDCG@10`?
        ");
    }

    #[test]
    fn a_second_place_is_shown_too() {
        let text = "a: 1\nb: 2\nc: 3\na: 4\n";
        insta::assert_snapshot!(shown(text, "a: 4", |p, s| p.related(span(s, "a: 1"), "first here")), @"
        error: unknown metric `x`
         --> benchmarks/x.yaml:4:1
          |
        4 | a: 4
          | ^^^^
          |
         ::: benchmarks/x.yaml:1:1
          |
        1 | a: 1
          | ---- first here
        ");
        insta::assert_snapshot!(shown("{a: 1, a: 2}", "a: 2", |p, s| p.related(span(s, "a: 1"), "first here")), @"
        error: unknown metric `x`
         --> benchmarks/x.yaml:1:8
          |
        1 | {a: 1, a: 2}
          |  ----  ^^^^
          |  |
          |  first here
        ");
    }

    #[test]
    fn tabs_wide_characters_and_controls_keep_the_caret_in_place() {
        insta::assert_snapshot!(shown("\t日本語: \u{1b}[31m BAD", "BAD", |p, _| p), @"
        error: unknown metric `x`
         --> benchmarks/x.yaml:1:13
          |
        1 |     日本語: ␛[31m BAD
          |                   ^^^
        ");
    }

    #[test]
    fn nothing_moves_the_cursor_or_hides() {
        let text = shown("a\u{9b}31m\u{200b}\u{202e}\u{feff}\u{85}\u{2028}b: BAD", "BAD", |p, _| p);
        assert!(!text.contains(|c| c != '\n' && is_unfit(c)), "{text:?}");
    }

    #[test]
    fn of_a_long_line_the_place_alone_is_shown() {
        let text = format!("{{{}BAD{}}}", "a: 1, ".repeat(100_000), ", b: 2".repeat(100_000));
        insta::assert_snapshot!(shown(&text, "BAD", |p, _| p), @"
        error: unknown metric `x`
        --> benchmarks/x.yaml:1:600002
        ");
    }

    #[test]
    fn what_is_found_twice_at_one_place_is_said_once() {
        let source = Source::new("x.yaml", "a: 1\n").unwrap();
        let mut found = Found::default();
        for message in ["one", "two", "one"] {
            found.push(Problem::new(Span { start: 0, end: 1 }, message));
        }
        let problems = Problems::new(source, found);
        assert_eq!(problems.iter().map(Problem::message).collect::<Vec<_>>(), ["one", "two"]);
    }

    #[test]
    fn of_very_many_problems_the_first_are_shown_and_the_rest_is_counted() {
        let source = Source::new("x.yaml", "a: 1\n").unwrap();
        let mut found = Found::default();
        for number in 0..1_000_000 {
            found.push(Problem::new(Span { start: 0, end: 1 }, format!("no. {number}")));
        }
        let error = crate::Error::from(Problems::new(source, found)).to_string();
        assert!(error.starts_with("1000000 errors in x.yaml\n\nerror: no. 0\n --> x.yaml:1:1\n"), "{error}");
        assert!(error.ends_with("\n\n... and 999950 more"), "{error}");
        assert_eq!(error.matches("error: no. ").count(), 50);
    }

    #[test]
    fn what_spans_lines_is_marked_on_its_first() {
        insta::assert_snapshot!(shown("a:\n  b: 1\n  c: 2\n", "b: 1\n  c: 2\n", |p, _| p), @"
        error: unknown metric `x`
         --> benchmarks/x.yaml:2:3
          |
        2 |   b: 1
          |   ^^^^
        ");
    }

    #[test]
    fn the_end_of_the_file_is_a_place() {
        let source = Source::new("x.yaml", "a: 1\n").unwrap();
        let end = Span { start: 5, end: 5 };
        insta::assert_snapshot!(Problems::new(source, Problem::new(end, "unexpected end").into()).to_string(), @"
        error: unexpected end
         --> x.yaml:2:1
          |
        2 |
          | ^
        ");
    }
}
