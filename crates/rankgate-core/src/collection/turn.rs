//! What was said before a query.

/// One earlier turn of a conversation: what the user wrote, and what was answered where the collection says so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Turn {
    /// What the user wrote.
    pub text: String,
    /// What was answered.
    pub answer: Option<String>,
}

impl Turn {
    /// A turn with its answer.
    ///
    /// ```
    /// use rankgate::{Query, Turn};
    ///
    /// let mut query = Query::new("c1-2", "And in winter?");
    /// query.history.push(Turn::new("When are you open?", Some("From 8 to 18.".to_owned())));
    /// assert_eq!(query.history[0].text, "When are you open?");
    /// ```
    pub fn new(text: impl Into<String>, answer: Option<String>) -> Self {
        Self { text: text.into(), answer }
    }
}
