//! Why a conversation ended.

use std::time::Duration;

use super::process::End;
use super::stderr::LineStart;
use crate::secrets::Secrets;

/// What broke a conversation; texts of the program are quoted, without secrets.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "it is of this workspace alone")]
pub enum Break {
    /// Standard output ended, perhaps within a line, or the program did.
    Ended { said_hello: bool, rest: Option<String> },
    /// The program ended by itself once all was answered, but badly.
    Exited,
    /// What the program does and should not, as a phrase that follows `the program`.
    Refused(String),
    /// The request of this id had no answer in time.
    Late(String),
    /// The hello did not come in time.
    Silent(Duration),
}

/// A conversation that ended before its time.
#[derive(Clone, Debug)]
pub struct Broken {
    /// What broke it.
    pub(crate) why: Break,
    /// How the program ended.
    pub(crate) end: End,
    /// The last lines of its standard error.
    pub(crate) stderr: Vec<String>,
}

impl Broken {
    pub(super) fn new(why: Break, end: End, stderr: &[LineStart], secrets: &Secrets) -> Self {
        let line = |line: &LineStart| {
            let text = line.text();
            // A line may be cut within a character.
            let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
            let text = if line.cut { secrets.hide_cut(whole) } else { secrets.hide(&text) };
            clean(&text.replace('\t', "    "))
        };
        Self { why, end, stderr: stderr.iter().map(line).collect() }
    }

    /// Whether it is no more than the end of what the program writes.
    pub(super) fn is_end(&self) -> bool {
        matches!(self.why, Break::Ended { said_hello: true, rest: None })
    }
}

/// At most 300 characters of a line, which cannot move a cursor.
fn clean(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    for c in rest.by_ref().take(300) {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    if rest.next().is_some() {
        text += "...";
    }
    text
}
