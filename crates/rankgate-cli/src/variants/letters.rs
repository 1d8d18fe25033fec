//! Case and diacritics.

use super::Keyboard;
use super::words::{core, is_code, is_mark};

/// In lower case; what has no capital, in capitals. Codes stay as they are.
pub(super) fn other_case(text: &str) -> String {
    let is_sentence = |token: &&str| !is_code(core(token));
    let lower = text.split(' ').filter(is_sentence).any(|token| token.chars().any(char::is_uppercase));
    let cased = |token: &str| match (is_sentence(&token), lower) {
        (false, _) => token.to_owned(),
        (true, true) => token.to_lowercase(),
        (true, false) => token.to_uppercase(),
    };
    text.split(' ').map(cased).collect::<Vec<_>>().join(" ")
}

/// Letters with marks, and the plain letters that people type for them.
const PLAIN: [(&str, &str); 24] = [
    ("\u{e0}\u{e1}\u{e2}\u{e3}\u{e4}\u{e5}\u{101}\u{103}\u{105}", "a"), // àáâãäåāăą
    ("\u{e6}", "ae"),                                                   // æ
    ("\u{e7}\u{107}\u{109}\u{10b}\u{10d}", "c"),                        // çćĉċč
    ("\u{10f}\u{111}\u{f0}", "d"),                                      // ďđð
    ("\u{e8}\u{e9}\u{ea}\u{eb}\u{113}\u{115}\u{117}\u{119}\u{11b}", "e"), // èéêëēĕėęě
    ("\u{11d}\u{11f}\u{121}\u{123}", "g"),                              // ĝğġģ
    ("\u{125}\u{127}", "h"),                                            // ĥħ
    ("\u{ec}\u{ed}\u{ee}\u{ef}\u{129}\u{12b}\u{12d}\u{12f}\u{131}", "i"), // ìíîïĩīĭįı
    ("\u{135}", "j"),                                                   // ĵ
    ("\u{137}", "k"),                                                   // ķ
    ("\u{13a}\u{13c}\u{13e}\u{142}", "l"),                              // ĺļľł
    ("\u{f1}\u{144}\u{146}\u{148}", "n"),                               // ñńņň
    ("\u{f2}\u{f3}\u{f4}\u{f5}\u{f6}\u{f8}\u{14d}\u{14f}\u{151}", "o"), // òóôõöøōŏő
    ("\u{153}", "oe"),                                                  // œ
    ("\u{155}\u{157}\u{159}", "r"),                                     // ŕŗř
    ("\u{15b}\u{15d}\u{15f}\u{161}\u{219}", "s"),                       // śŝşšș
    ("\u{df}", "ss"),                                                   // ß
    ("\u{163}\u{165}\u{167}\u{21b}", "t"),                              // ţťŧț
    ("\u{fe}", "th"),                                                   // þ
    ("\u{f9}\u{fa}\u{fb}\u{fc}\u{169}\u{16b}\u{16d}\u{16f}\u{171}\u{173}", "u"), // ùúûüũūŭůűų
    ("\u{175}", "w"),                                                   // ŵ
    ("\u{fd}\u{ff}\u{177}", "y"),                                       // ýÿŷ
    ("\u{17a}\u{17c}\u{17e}", "z"),                                     // źżž
    ("\u{149}", "'n"),                                                  // ŉ
];

/// How somebody types umlauts who is used to them.
const GERMAN: [(&str, &str); 3] = [("\u{e4}", "ae"), ("\u{f6}", "oe"), ("\u{fc}", "ue")];

/// The text without diacritics and ligatures.
pub(super) fn without_diacritics(text: &str, keyboard: Keyboard) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_mark(letter) {
            continue;
        }
        let lower = letter.to_lowercase().next().unwrap_or(letter);
        // An umlaut may be a letter and a mark of its own.
        let lower = match (lower, letters.peek()) {
            ('a', Some('\u{308}')) => '\u{e4}',
            ('o', Some('\u{308}')) => '\u{f6}',
            ('u', Some('\u{308}')) => '\u{fc}',
            _ => lower,
        };
        let umlauts: &[_] = if keyboard == Keyboard::De { &GERMAN } else { &[] };
        let found = umlauts.iter().chain(&PLAIN).find(|(marked, _)| marked.contains(lower));
        let Some((_, typed)) = found else {
            plain.push(letter);
            continue;
        };
        let mut typed = typed.chars();
        match (letter.is_uppercase(), letters.peek().is_some_and(|next| next.is_uppercase())) {
            (true, true) => plain.extend(typed.flat_map(char::to_uppercase)),
            (true, false) => {
                plain.extend(typed.next().into_iter().flat_map(char::to_uppercase));
                plain.extend(typed);
            }
            (false, _) => plain.extend(typed),
        }
    }
    plain
}
