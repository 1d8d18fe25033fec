//! Queries in another language than the documents that are relevant to them, detected by script and function words.
//!
//! No model of languages: a script is that of most letters, and among seven languages in Latin letters a text is of the
//! one whose most frequent function words it has most. Texts without enough of them, and other languages in Latin
//! letters, are of none, and no finding is made of them.

use crate::health::collection::Collection;
use crate::health::model::{Example, Finding, Severity, choose};
use crate::health::shingles::Words;

/// So many function words make a language, and twice as many as any other has: two of them stand in names and titles
/// of other languages ("Las Vegas", "La Paz"), three hardly ever.
const ENOUGH: usize = 3;
/// So many documents of a query are remembered.
const DOCUMENTS: usize = 20;

/// Function words that are frequent in one language; those that several share stand in all of them.
const LATIN: [(&str, &str); 7] = [
    (
        "English",
        "the of and to is that it for was on with as his be at by i this had not are but from or have an they which you were there would their we him been has when who will more no if out so said what about how do does can my why where your not after before into",
    ),
    (
        "German",
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde wenn ich kann mein warum welche",
    ),
    (
        "French",
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la avec son ou mais comme on tout nous sa aux cette ses été être à leur ont était je elle deux vous quel quelle comment pourquoi mon",
    ),
    (
        "Spanish",
        "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin sobre este ya entre cuando todo esta ser son dos también fue había era muy años hasta desde está mi porque qué cómo cuál dónde",
    ),
    (
        "Italian",
        "di e il la che in a per un è del non sono una i con le si da lo gli al della nel più ma ha come dei alla su anche se o delle dal mi ci questo essere ai quando molto cosa nella dalla perché quale dove mio sua degli",
    ),
    (
        "Portuguese",
        "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem qual onde meu são",
    ),
    (
        "Dutch",
        "de het een en van in is dat op te zijn met voor niet die aan er om als ook dan maar bij nog uit naar door wordt heeft over tot hij werd deze was kan wel meer al zo geen hebben worden mijn ik je hoe wat waarom waar welke",
    ),
];

/// The script or language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tongue {
    script: &'static str,
    /// Of texts in Latin letters with enough function words.
    language: Option<&'static str>,
}

impl Tongue {
    /// Of a text that has words.
    pub(super) fn guess(words: &Words) -> Option<Self> {
        let mut letters: [(usize, &str); 11] = SCRIPTS.map(|script| (0, script));
        for c in words.text().chars().filter(|c| c.is_alphabetic()) {
            if let Some(place) = script(c).and_then(|name| letters.iter_mut().find(|(_, one)| *one == name)) {
                place.0 += 1;
            }
        }
        let all: usize = letters.iter().map(|(count, _)| count).sum();
        let script =
            letters.into_iter().max_by_key(|(count, _)| *count).filter(|(most, _)| 2 * most > all)?.1;
        // Kana and Han stand together in Japanese.
        let has_kana = letters.iter().any(|(count, name)| *name == KANA && *count > 0);
        let script = if has_kana && script == "Han" { KANA } else { script };
        let mut counts: Vec<(usize, &str)> = LATIN
            .iter()
            .map(|(name, list)| {
                let known = |word: &&str| list.split_ascii_whitespace().any(|one| one == *word);
                (words.iter().take(400).filter(known).count(), *name)
            })
            .collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let clear = counts[0].0 >= ENOUGH && counts[0].0 >= 2 * counts[1].0;
        Some(Self { script, language: (script == "Latin" && clear).then_some(counts[0].1) })
    }

    /// Whether two texts are surely in different languages. Names and codes in Latin letters stand in every script.
    fn differs(self, document: Self) -> bool {
        match (self.script == document.script, self.language, document.language) {
            (true, Some(one), Some(other)) => one != other,
            (true, ..) => false,
            (false, language, _) => self.script != "Latin" || language.is_some(),
        }
    }

    fn name(self) -> String {
        self.language.map_or_else(|| format!("{} letters", self.script), str::to_owned)
    }
}

const KANA: &str = "Japanese";
const SCRIPTS: [&str; 11] = [
    "Latin",
    "Greek",
    "Cyrillic",
    "Hebrew",
    "Arabic",
    "Devanagari",
    "Thai",
    "Hangul",
    KANA,
    "Han",
    "Armenian",
];

fn script(c: char) -> Option<&'static str> {
    Some(match c {
        'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => "Latin",
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => "Greek",
        '\u{400}'..='\u{52f}' => "Cyrillic",
        '\u{530}'..='\u{58f}' => "Armenian",
        '\u{590}'..='\u{5ff}' => "Hebrew",
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => "Arabic",
        '\u{900}'..='\u{97f}' => "Devanagari",
        '\u{e00}'..='\u{e7f}' => "Thai",
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => "Hangul",
        '\u{3040}'..='\u{30ff}' => KANA,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => "Han",
        _ => return None,
    })
}

/// What was seen of the relevant documents of a query.
#[derive(Clone, Debug, Default)]
pub(super) struct Relevant(Vec<(Tongue, String)>);

impl Relevant {
    pub(super) fn add(&mut self, document: &str, tongue: Tongue) {
        if self.0.len() < DOCUMENTS {
            self.0.push((tongue, document.to_owned()));
        }
    }
}

/// Queries of which every relevant document is in another language.
pub(super) fn finding(collection: &Collection, relevant: &[Relevant]) -> Option<Finding> {
    let mut examples = Vec::new();
    let (mut told, mut apart) = (0, 0);
    for (query, seen) in collection.queries().iter().zip(relevant) {
        let Some(own) = Tongue::guess(&Words::new([query.text.as_str()])) else { continue };
        let Some((first, document)) = seen.0.first() else { continue };
        told += 1;
        if seen.0.iter().all(|(tongue, _)| own.differs(*tongue)) {
            apart += 1;
            if examples.len() < Example::MOST {
                let note = format!("{}; {document} is in {}", own.name(), first.name());
                examples.push(Example::new(&query.id, &query.text, note));
            }
        }
    }
    (apart > 0).then(|| Finding {
        severity: Severity::Caution,
        code: "languages-differ".into(),
        message: format!(
            "{apart} of {told} queries {} in another language than every document judged relevant to {}, by script and \
             function words",
            choose(apart, "is", "are"),
            choose(apart, "it", "them")
        ),
        count: apart,
        examples,
        advice: "where search across languages is meant, give queries their language as metadata and look at it as a \
                 segment; where not, leave them out"
            .into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess_name(text: &str) -> Option<String> {
        Tongue::guess(&Words::new([text])).map(Tongue::name)
    }

    /// Articles 1 of the Universal Declaration of Human Rights.
    #[test]
    fn a_sentence_is_of_its_language() {
        for (text, expected) in [
            (
                "All human beings are born free and equal in dignity and rights. They are endowed with reason",
                "English",
            ),
            (
                "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft begabt",
                "German",
            ),
            (
                "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et doivent agir les uns envers les autres",
                "French",
            ),
            (
                "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse los unos con los otros",
                "Spanish",
            ),
            (
                "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni",
                "Italian",
            ),
            (
                "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros",
                "Portuguese",
            ),
            (
                "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander",
                "Dutch",
            ),
            ("Все люди рождаются свободными и равными", "Cyrillic letters"),
            ("すべての人間は、生まれながらにして自由であり", "Japanese letters"),
            ("人人生而自由", "Han letters"),
            ("reset password iphone", "Latin letters"),
            ("Las Vegas de la Paz", "Latin letters"),
            ("12 34", ""),
        ] {
            assert_eq!(guess_name(text).unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn names_in_latin_letters_are_of_every_language() {
        let tongue = |text: &str| Tongue::guess(&Words::new([text])).unwrap();
        let russian = tongue("Все люди рождаются свободными");
        let english = tongue("how do I reset the password of my phone");
        assert!(!tongue("iphone 12 pro max").differs(russian));
        assert!(english.differs(russian) && russian.differs(english));
        assert!(!tongue("password phone").differs(english));
        assert!(tongue("wie kann ich mein Passwort auf dem Telefon ändern").differs(english));
    }
}
