//! Which text somebody judged: a grade says nothing of another one.

use serde_json::Value;

use crate::health::content_hash::bytes_sha256;

/// What a line of judgments says of a text that was judged.
#[derive(Clone, Debug, Default)]
pub(super) struct JudgedText {
    /// The SHA-256 of its words: breaks and spaces change on the way through other programs.
    words: Option<String>,
    /// The SHA-256 of the whole text, as pages save it.
    whole: Option<String>,
}

impl JudgedText {
    /// A text and a SHA-256 as they stand in JSON; what is no text says nothing.
    pub(super) fn new(text: Option<&Value>, sha256: Option<&Value>) -> Self {
        let words = text.and_then(Value::as_str).map(words_sha256);
        Self { words, whole: sha256.and_then(Value::as_str).map(str::to_owned) }
    }

    pub(super) fn is_known(&self) -> bool {
        self.words.is_some() || self.whole.is_some()
    }

    /// Whether it may have been one of these.
    pub(super) fn is_any_of(&self, texts: &[&str]) -> bool {
        let same = |said: &Option<String>, hash: &dyn Fn(&str) -> String| {
            said.as_ref().is_none_or(|said| texts.iter().any(|text| hash(text).eq_ignore_ascii_case(said)))
        };
        same(&self.words, &words_sha256) && same(&self.whole, &|text| bytes_sha256([text.as_bytes(), b""]))
    }
}

fn words_sha256(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    bytes_sha256([words.join(" ").as_bytes(), b""])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_known_by_its_words_or_by_its_hash() {
        let told = JudgedText::new(Some(&json!("A  text.")), None);
        assert!(told.is_any_of(&["other", "A\ntext."]) && !told.is_any_of(&["A text"]));
        // FIPS 180-2, appendix B.1.
        let abc = json!("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD");
        let told = JudgedText::new(None, Some(&abc));
        assert!(told.is_any_of(&["abc"]) && !told.is_any_of(&["abc "]));
        // Both have to be so; what says nothing is any.
        assert!(!JudgedText::new(Some(&json!("abd")), Some(&abc)).is_any_of(&["abc"]));
        assert!(
            !JudgedText::new(Some(&json!(7)), None).is_known() && JudgedText::default().is_any_of(&["x"])
        );
    }
}
