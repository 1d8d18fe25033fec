//! Slips of the finger.

use rand::RngExt;
use rankgate::stats::StreamRng;

use super::Keyboard;
use super::keyboard::neighbours;
use super::words::places;

/// Shorter words are left alone: another letter makes another word of them.
const SHORTEST: usize = 4;

/// What a finger does.
#[derive(Clone, Copy)]
enum Slip {
    Neighbour,
    Swap,
    LeaveOut,
    Twice,
}

const SLIPS: [Slip; 4] = [Slip::Neighbour, Slip::Swap, Slip::LeaveOut, Slip::Twice];

/// The text with one slip; `None` where no word is long enough. Chance may pick what cannot be: then it is the
/// text as it was.
pub(super) fn typo(text: &str, keyboard: Keyboard, rng: &mut StreamRng) -> Option<String> {
    let mut words = places(text);
    words.retain(|place| text[place.clone()].chars().count() >= SHORTEST);
    let place = words.get(rng.random_range(0..words.len().max(1)))?.clone();
    let letters: Vec<char> = text[place.clone()].chars().collect();
    let slip = SLIPS[rng.random_range(0..SLIPS.len())];
    // The first letter is the one that people get right.
    let at = rng.random_range(1..letters.len());
    let word = slipped(&letters, slip, at, |keys| rng.random_range(0..keys), keyboard);
    Some(format!("{}{word}{}", &text[..place.start], &text[place.end..]))
}

fn slipped(
    letters: &[char],
    slip: Slip,
    at: usize,
    pick: impl FnOnce(usize) -> usize,
    keyboard: Keyboard,
) -> String {
    let mut letters = letters.to_vec();
    match slip {
        Slip::Neighbour => {
            let keys = neighbours(lower(letters[at]), keyboard);
            if !keys.is_empty() {
                letters[at] = cased_as(letters[at], keys[pick(keys.len())]);
            }
        }
        Slip::Swap if at + 1 < letters.len() => {
            let (one, next) = (letters[at], letters[at + 1]);
            (letters[at], letters[at + 1]) = (cased_as(one, next), cased_as(next, one));
        }
        // There is no letter behind the last one.
        Slip::Swap => {}
        Slip::LeaveOut => drop(letters.remove(at)),
        Slip::Twice => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

/// A letter in lower case where that is one letter.
fn lower(letter: char) -> char {
    let mut lower = letter.to_lowercase();
    lower.next().filter(|_| lower.next().is_none()).unwrap_or(letter)
}

/// Another letter in the case of this one.
fn cased_as(this: char, other: char) -> char {
    let mut upper = other.to_uppercase();
    match (this.is_uppercase(), upper.next(), upper.next()) {
        (true, Some(one), None) => one,
        _ => lower(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_slip_is_made_by_hand() {
        let made = |word: &str, slip, at| {
            let letters: Vec<char> = word.chars().collect();
            slipped(&letters, slip, at, |_| 0, Keyboard::De)
        };
        for (word, slip, at, expected) in [
            ("refund", Slip::Neighbour, 1, "rwfund"), // above e are digits only, to its left is w
            ("refund", Slip::Swap, 2, "reufnd"),
            ("refund", Slip::Swap, 5, "refund"),
            ("refund", Slip::LeaveOut, 5, "refun"),
            ("refund", Slip::Twice, 3, "refuund"),
            ("Zahlung", Slip::Neighbour, 2, "Zazlung"), // z stands above h
            ("iPad", Slip::Swap, 1, "iApd"),
        ] {
            assert_eq!(made(word, slip, at), expected, "{word}");
        }
    }
}
