//! Other texts that ask for the same, made of a query by a rule. They depend on the rule, the query's id and its text.

use std::ops::Range;

use clap::ValueEnum;
use rand::RngExt;
use rankgate::Query;
use rankgate::stats::{Stream, StreamRng};

/// A change to the text of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// One slip of the finger in a word of four letters or more, never in its first letter
    Typos,
    /// A search box's query: without English function words and punctuation, in lower case, each word once
    Keywords,
    /// In lower case; a text in lower case, in capitals
    Case,
    /// The words in another order
    WordOrder,
}

/// So often chance is tried for a text that is another one.
const TRIES: usize = 50;
/// Shorter words get no typo: another letter makes another word of them.
const SHORTEST: usize = 4;

/// English function words: articles, pronouns, common prepositions and conjunctions, auxiliaries, question words. Negations
/// and particles (on, off, out) are none: without them the judgments would not hold.
const FUNCTION_WORDS: &str = "a an the i me my mine we us our ours you your yours he him his she her hers it its they \
    them their theirs myself yourself itself themselves this that these those there here who whom whose which \
    what how when where why and or but if because as while than so of at by for with about into to from in am \
    is are was were be been being do does did have has had will would shall should can could may might must \
    i'm i've i'd i'll it's that's what's there's you're we're they're please just also too very";

impl Kind {
    /// Another text for a query; `None` if there is nothing to change.
    pub(crate) fn text(self, query: &Query, seed: u64) -> Option<String> {
        let text = query.text.as_str();
        let by_chance = |name: &str, make: &dyn Fn(&mut StreamRng) -> Option<String>| {
            let mut rng = Stream::new(seed).for_name(name).for_name(&query.id).rng(0);
            (0..TRIES).map_while(|_| make(&mut rng)).find(|other| other != text)
        };
        let other = match self {
            Self::Typos => by_chance("typos", &|rng| typo(text, rng))?,
            Self::WordOrder => by_chance("word-order", &|rng| Some(reordered(text, rng)))?,
            Self::Keywords => keywords(text),
            Self::Case => other_case(text),
        };
        (!other.is_empty() && other != text).then_some(other)
    }
}

/// The text with one slip; `None` if no word is long enough.
fn typo(text: &str, rng: &mut StreamRng) -> Option<String> {
    let mut words = places(text);
    words.retain(|place| text[place.clone()].chars().count() >= SHORTEST);
    let place = words.get(rng.random_range(0..words.len().max(1)))?.clone();
    let mut letters: Vec<char> = text[place.clone()].chars().collect();
    // The first letter is the one that people get right.
    let at = rng.random_range(1..letters.len());
    match rng.random_range(0..3) {
        0 if at + 1 < letters.len() => letters.swap(at, at + 1),
        1 => drop(letters.remove(at)),
        _ => letters.insert(at, letters[at]),
    }
    let word: String = letters.into_iter().collect();
    Some(format!("{}{word}{}", &text[..place.start], &text[place.end..]))
}

/// The words in another order; what ends the sentence stays at the end.
fn reordered(text: &str, rng: &mut StreamRng) -> String {
    let sentence = text.trim_end();
    let words = sentence.trim_end_matches(['.', '?', '!']);
    let end = &sentence[words.len()..];
    let mut words: Vec<&str> = words.split_whitespace().collect();
    for place in (1..words.len()).rev() {
        words.swap(place, rng.random_range(0..=place));
    }
    words.join(" ") + end
}

/// The words that carry the meaning, in lower case but for codes, each once.
fn keywords(text: &str) -> String {
    let is_function_word = |word: &str| {
        let word = word.to_lowercase().replace('\u{2019}', "'");
        FUNCTION_WORDS.split_whitespace().any(|known| known == word)
    };
    let mut kept: Vec<String> = Vec::new();
    for word in text.split_whitespace().map(core) {
        let shown = if is_code(word) { word.to_owned() } else { word.to_lowercase() };
        if !word.is_empty() && !is_function_word(word) && !kept.contains(&shown) {
            kept.push(shown);
        }
    }
    kept.join(" ")
}

/// In lower case; a text in lower case, in capitals. Codes stay as they are.
fn other_case(text: &str) -> String {
    let is_sentence = |token: &&str| !is_code(core(token));
    let has_capitals = text.split(' ').filter(is_sentence).any(|token| token.chars().any(char::is_uppercase));
    let cased = |token: &str| match (is_sentence(&token), has_capitals) {
        (false, _) => token.to_owned(),
        (true, true) => token.to_lowercase(),
        (true, false) => token.to_uppercase(),
    };
    text.split(' ').map(cased).collect::<Vec<_>>().join(" ")
}

/// A word between blanks, without the punctuation around it.
fn core(token: &str) -> &str {
    token.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word is a number, a code or a name that a computer knows: it has digits, punctuation inside, or capitals where
/// sentences have none.
fn is_code(word: &str) -> bool {
    let is_mark = |c: char| ('\u{300}'..='\u{36f}').contains(&c);
    let inner = |c: char| c.is_alphabetic() || is_joint(c) || is_mark(c);
    let capitals = word.chars().filter(|c| c.is_uppercase()).count();
    let first = word.chars().next().is_some_and(char::is_uppercase);
    !word.chars().all(inner) || (capitals > usize::from(first))
}

/// What joins the parts of a word: `sign-in`, `don't`.
fn is_joint(c: char) -> bool {
    matches!(c, '-' | '\'' | '\u{2019}' | '\u{2010}')
}

/// Where the words stand that are no codes, joined ones by their parts.
fn places(text: &str) -> Vec<Range<usize>> {
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split_whitespace().map(core).filter(|word| !word.is_empty() && !is_code(word));
    let parts = words.flat_map(|word| word.split(is_joint)).filter(|part| !part.is_empty());
    parts.map(|part| offset(part)..offset(part) + part.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What a rule makes of a text by many seeds.
    fn texts(kind: Kind, text: &str) -> BTreeSet<String> {
        let query = Query::new("q1", text);
        (0..1000).filter_map(|seed| kind.text(&query, seed)).collect()
    }

    fn one(kind: Kind, text: &str) -> String {
        kind.text(&Query::new("q1", text), 1).unwrap_or_default()
    }

    #[test]
    fn a_typo_is_one_slip_in_a_word_that_is_long_enough() {
        for made in texts(Kind::Typos, "why is the PDF4you of user_id 12345 blank, Anna") {
            let rest = made.strip_prefix("why is the PDF4you of user_id 12345 ").unwrap();
            let words: Vec<&str> = rest.split(", ").collect();
            // One of the two words that are no codes and have four letters, and never its first letter.
            assert!(words[0].starts_with('b') && words[1].starts_with('A'), "{made}");
            let same = [words[0] == "blank", words[1] == "Anna"];
            assert_eq!(same.into_iter().filter(|same| *same).count(), 1, "{made}");
        }
        for left_alone in ["", "a", "why not me", "x86 HTTP 2024-11 foo_bar iPhone e.g. NASA", "\u{1f600} ?!"]
        {
            assert!(texts(Kind::Typos, left_alone).is_empty(), "{left_alone}");
        }
        let all: Vec<String> = texts(Kind::Typos, "over").into_iter().collect();
        assert_eq!(all, ["oer", "oevr", "ove", "oveer", "overr", "ovr", "ovre", "ovver"]);
    }

    #[test]
    fn negations_and_codes_stay_among_keywords() {
        for (text, keywords) in [
            ("How do I cancel my order?", "cancel order"),
            ("What is NOT covered by the Premium plan", "NOT covered premium plan"),
            ("turn notifications off", ""),
            ("Order, order status of order 4711-A", "order status 4711-A"),
            ("Who am I?", ""),
            ("refunds", ""),
            ("I\u{2019}m not able to log in", "not able log"),
        ] {
            assert_eq!(one(Kind::Keywords, text), keywords, "{text}");
        }
    }

    #[test]
    fn case_is_turned_and_codes_stay() {
        for (text, expected) in [
            ("How do I export to CSV?", "how do i export to CSV?"),
            ("how do i export to csv", "HOW DO I EXPORT TO CSV"),
            ("error e404", "ERROR e404"),
            ("\u{c4}rger mit Stra\u{df}e", "\u{e4}rger mit stra\u{df}e"),
            ("4711", ""),
        ] {
            assert_eq!(one(Kind::Case, text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_put_in_another_order_and_a_question_mark_stays_at_the_end() {
        assert_eq!(one(Kind::WordOrder, "cancel order?"), "order cancel?");
        assert_eq!(one(Kind::WordOrder, "refund"), "");
        assert_eq!(one(Kind::WordOrder, "the the"), "");
        let all: Vec<String> = texts(Kind::WordOrder, "a b c").into_iter().collect();
        assert_eq!(all, ["a c b", "b a c", "b c a", "c a b", "c b a"]);
    }
}
