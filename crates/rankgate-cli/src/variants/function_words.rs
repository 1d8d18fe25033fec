//! Function words, which carry no meaning of their own.
//!
//! The lists were written for this crate, under its licence, from the closed classes of grammar: articles,
//! pronouns, common prepositions and conjunctions, auxiliaries, question words. Negations, and words that turn a
//! verb round (on, off, out; an, aus, auf), are none: without them another thing would be asked for, and the
//! judgments would not hold.

use super::QueryLanguage;

const ENGLISH: &str = "a an the i me my mine we us our ours you your yours he him his she her hers it its they \
    them their theirs myself yourself itself themselves this that these those there here who whom whose which \
    what how when where why and or but if because as while than so of at by for with about into to from in am \
    is are was were be been being do does did have has had will would shall should can could may might must \
    i'm i've i'd i'll it's that's what's there's you're we're they're please just also too very";

const GERMAN: &str = "der die das den dem des ein eine einen einem einer eines ich mich mir mein meine meinen \
    meinem meiner meines du dich dir dein deine deinen er ihn ihm sie es ihr ihre ihren ihnen wir uns unser \
    unsere euch sein seine sich man dieser diese dieses diesen diesem wer wen wem was welche welcher welches \
    welchen wie wo wann warum wieso weshalb woher wohin und oder aber wenn weil dass ob als denn von vom zu zum \
    zur bei beim mit im in f\u{fc}r um durch bin bist ist sind seid war waren wird werden wurde wurden habe hast \
    hat haben hatte kann kannst k\u{f6}nnen k\u{f6}nnte muss m\u{fc}ssen soll sollen sollte will wollen darf \
    d\u{fc}rfen m\u{f6}chte bitte auch noch sehr da hier dort so";

pub(super) fn is_function_word(word: &str, language: QueryLanguage) -> bool {
    let list = match language {
        QueryLanguage::English => ENGLISH,
        QueryLanguage::German => GERMAN,
    };
    let word = word.to_lowercase().replace('\u{2019}', "'");
    list.split_whitespace().any(|known| known == word)
}
