//! Keywords, and numbers in sentences.

use crate::{Error, Result};

/// A set of words that a spec, the command and JSON choose from; declared by [`keywords`].
pub trait Keyword: Copy + 'static {
    /// Every word, in the order of the documentation.
    const ALL: &'static [Self];
    /// How they are written, in the same order.
    const WORDS: &'static [&'static str];

    fn as_str(self) -> &'static str;

    /// What it means, from the documentation of the variant.
    fn meaning(self) -> &'static str;
}

/// The word that a text is.
///
/// # Errors
///
/// When it is none of the words; the message names them.
pub fn parse<K: Keyword>(text: &str) -> Result<K> {
    Ok(K::ALL[place(text, K::WORDS)?])
}

/// Which of the words a text is. Of dozens of enums each would compile its own.
fn place(text: &str, words: &[&str]) -> Result<usize> {
    let found = words.iter().position(|word| *word == text);
    found.ok_or_else(|| Error::invalid(format!("`{text}` is none of {}", words.join(", "))))
}

/// An enum of keywords from one list: the variants, their words and what these mean. It is written to JSON as
/// its word and shown as its word, or as the text behind `=>` where people read something else.
#[macro_export]
#[doc(hidden)]
macro_rules! keywords {
    ($(#[doc = $about:literal])+ $(#[derive(Default $($derive:tt)?)])? $(#[non_exhaustive $($open:tt)?])?
    $vis:vis enum $name:ident {
        $($(#[doc = $doc:literal])+ $(#[default $($default:tt)?])?
        $variant:ident = $word:literal $(=> $shown:literal)?,)+
    }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Deserialize, ::serde::Serialize)]
        #[cfg_attr(feature = "schemars", derive(::schemars::JsonSchema))]
        $(#[derive(Default $($derive)?)])?
        $(#[non_exhaustive $($open)?])?
        $vis enum $name {
            $($(#[doc = $doc])+ $(#[default $($default)?])? #[serde(rename = $word)] $variant,)+
        }

        $crate::internal::words::words! {
            $name { $($variant = $word: concat!($($doc),+).trim_ascii(),)+ }
        }

        impl $name {
            /// Every one, in the order of the documentation.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];

            /// The word for it in specs, on the command line and in JSON.
            #[inline]
            pub fn as_str(self) -> &'static str {
                $crate::internal::words::Keyword::as_str(self)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(match self {
                    $(Self::$variant => $crate::internal::words::shown!($word $($shown)?),)+
                })
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::Error;

            #[inline] // compiled where something is read by its word alone
            fn from_str(text: &str) -> $crate::Result<Self> {
                $crate::internal::words::parse(text)
            }
        }
    };
}
pub use keywords;

/// The words for the variants of an enum that is declared elsewhere, and what they mean.
#[macro_export]
#[doc(hidden)]
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal: $meaning:expr,)+ }) => {
        #[doc(hidden)]
        impl $crate::internal::words::Keyword for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),+];
            const WORDS: &'static [&'static str] = &[$($word),+];

            fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)+
                }
            }
        }
    };
}
pub use words;

/// What people read of a keyword.
#[macro_export]
#[doc(hidden)]
macro_rules! shown {
    ($word:literal) => {
        $word
    };
    ($word:literal $shown:literal) => {
        $shown
    };
}
pub use shown;

/// `1 query`, `2 queries`: a number and its noun.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", agree(number, one, many))
}

/// At most so many characters of a text.
pub fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{} \u{2026}", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The one word after a single thing, the other after several: `has`, `have`.
pub fn agree<'a>(number: usize, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::{Correction, Direction, NoInterval, Reason};

    #[test]
    fn a_keyword_is_one_word_everywhere() {
        assert_eq!(NoInterval::Count.meaning(), "Counts are summed up: that is no sample of anything.");
        assert_eq!((Direction::ALL.len(), Correction::default()), (2, Correction::Holm));
        assert_eq!(
            (Correction::Holm.to_string(), format!("{:>6}", Correction::Holm)),
            ("holm".into(), "  holm".into())
        );
        assert_eq!("less".parse::<Direction>().unwrap(), Direction::Less);
        let unknown = serde_json::from_str::<Direction>("\"more\"").unwrap_err().to_string();
        assert!(unknown.starts_with("unknown variant `more`, expected `greater` or `less`"), "{unknown}");
    }

    #[test]
    fn what_people_read_may_be_a_sentence() {
        let reason = Reason::GainTooSmall;
        assert_eq!(serde_json::to_string(&reason).unwrap(), "\"gain-too-small\"");
        assert_eq!(reason.to_string(), "no significant gain of the required size");
    }

    #[test]
    fn one_is_not_several() {
        for (number, expected) in [(0, "0 queries have"), (1, "1 query has"), (2, "2 queries have")] {
            let said = format!("{} {}", counted(number, "query", "queries"), agree(number, "has", "have"));
            assert_eq!(said, expected);
        }
    }
}
