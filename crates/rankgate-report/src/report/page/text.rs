//! Text that knows what each piece of it is.

use std::fmt;

use crate::model::Verdict;
use crate::report::width::width;

/// What a piece of text is, as far as a painter shows it in its own way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Plain,
    /// Headings, and what stands out among its likes.
    Strong,
    /// What belongs to a verdict: the word for it, or a count of its gates.
    Verdict(Verdict),
    /// A number that is better than the one it is held against.
    Gain,
    /// A number that is worse.
    Loss,
    /// The word before a warning.
    Warning,
    /// Numbers and signs that no line is broken between.
    Number,
    /// Words of code, in backticks of our own.
    Code,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub role: Role,
}

/// Pieces of text that follow each other. What comes from data may be in it as it is: painters make it fit
/// to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Span>);

impl Text {
    pub fn with_role(role: Role, text: impl Into<String>) -> Self {
        Self(vec![Span { text: text.into(), role }])
    }

    /// Numbers and signs that stay on one line.
    pub fn number(text: impl Into<String>) -> Self {
        Self::with_role(Role::Number, text)
    }

    /// This, and then that.
    pub fn and(mut self, other: impl Into<Self>) -> Self {
        for Span { text, role } in other.into().0 {
            self.push(role, &text);
        }
        self
    }

    pub fn push(&mut self, role: Role, text: &str) {
        match self.0.last_mut() {
            Some(last) if last.role == role => last.text.push_str(text),
            _ if text.is_empty() => {}
            _ => self.0.push(Span { text: text.to_owned(), role }),
        }
    }

    /// The same with everything strong that has no role yet.
    pub fn strong(self) -> Self {
        let with =
            |span: Span| if span.role == Role::Plain { Span { role: Role::Strong, ..span } } else { span };
        Self(self.0.into_iter().map(with).collect())
    }

    /// Those of several texts that are not empty, with this between them.
    pub fn join(texts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut all = Self::default();
        for text in texts {
            if !text.is_empty() {
                let start = if all.is_empty() { all } else { all.and(between) };
                all = start.and(text);
            }
        }
        all
    }

    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|span| span.text.is_empty())
    }

    /// How many columns of a terminal it takes.
    pub fn length(&self) -> usize {
        self.0.iter().map(|span| width(&span.text)).sum()
    }

    /// Without blanks at its end.
    pub fn trim_end(mut self) -> Self {
        while let Some(last) = self.0.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if !last.text.is_empty() {
                break;
            }
            self.0.pop();
        }
        self
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::with_role(Role::Plain, text)
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self::with_role(Role::Plain, text)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::with_role(Role::Plain, text)
    }
}

/// The characters alone.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|span| f.write_str(&span.text))
    }
}
