//! A text as words.

/// The words of a text: runs of letters and digits in lower case. In scripts that put no blanks between
/// words every character is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    /// All words, a blank apart.
    text: String,
    /// Where each begins and ends in it.
    places: Vec<(usize, usize)>,
}

impl Words {
    /// The words of several texts, one after the other.
    pub(crate) fn new<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut words = Self::default();
        for part in parts {
            words.add(part);
        }
        words
    }

    fn add(&mut self, text: &str) {
        let mut start = None;
        for c in text.chars() {
            let alone = stands_alone(c);
            if alone || !c.is_alphanumeric() {
                self.end(&mut start);
            }
            if !c.is_alphanumeric() {
                continue;
            }
            if start.is_none() {
                if !self.places.is_empty() {
                    self.text.push(' ');
                }
                start = Some(self.text.len());
            }
            if c.is_ascii() {
                self.text.push(c.to_ascii_lowercase());
            } else {
                self.text.extend(c.to_lowercase());
            }
            if alone {
                self.end(&mut start);
            }
        }
        self.end(&mut start);
    }

    fn end(&mut self, start: &mut Option<usize>) {
        if let Some(start) = start.take() {
            self.places.push((start, self.text.len()));
        }
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// All words, a blank apart.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Each word.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.places.iter().map(|&(start, end)| &self.text[start..end])
    }

    /// Every `size` words that follow each other, a blank apart.
    pub(crate) fn runs(&self, size: usize) -> impl Iterator<Item = &str> {
        self.places.windows(size.max(1)).filter_map(|run| {
            let (&(start, _), &(_, end)) = (run.first()?, run.last()?);
            Some(&self.text[start..end])
        })
    }
}

/// Whether a character belongs to a script that puts no blanks between words.
fn stands_alone(c: char) -> bool {
    matches!(c,
        // Thai and Lao; Burmese; Khmer; kana; Han.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        for (text, expected) in [
            ("", ""),
            (" --- ", ""),
            ("Don't RE-order; 2nd parcel.", "don t re order 2nd parcel"),
            ("ÉTÉ Straße", "été straße"),
            ("返品 する3日", "返 品 す る 3 日"),
            ("iPhone返品", "iphone 返 品"),
        ] {
            let words = Words::new([text]);
            assert_eq!(words.text(), expected);
            assert_eq!(words.iter().collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn runs_go_over_the_parts() {
        let words = Words::new(["A b", "c d"]);
        assert_eq!(words.runs(3).collect::<Vec<_>>(), ["a b c", "b c d"]);
        assert_eq!(words.runs(5).count(), 0);
        assert_eq!(words.len(), 4);
    }
}
