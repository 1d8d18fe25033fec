//! The names of metrics: how they are taken apart, and which built-in metric goes by one.

use super::catalogue::catalogue;
use super::definition::Definition;

/// The built-in metric that goes by a name, whether or not the name lacks a cutoff or has one.
pub(super) fn built_in_called(name: &str) -> Option<&'static Definition> {
    let stem =
        |definition: &&&Definition| definition.stems.iter().any(|stem| stem.eq_ignore_ascii_case(name));
    let by_name = catalogue().iter().find(|definition| definition.is_called(name));
    let named = by_name.or_else(|| catalogue().iter().find(stem));
    named.copied().or_else(|| stem_of(name).map(|(definition, _)| definition))
}

/// A metric's name taken apart.
#[derive(Debug, PartialEq)]
pub(super) struct Name<'a> {
    pub(super) base: &'a str,
    pub(super) parameters: Option<&'a str>,
    pub(super) at: Option<&'a str>,
}

impl<'a> Name<'a> {
    pub(super) fn split(text: &'a str) -> Option<Self> {
        let (base, parameters, rest) = match text.split_once('(') {
            Some((base, rest)) => {
                let (parameters, rest) = rest.split_once(')')?;
                (base, Some(parameters.trim()), rest.trim())
            }
            None => match text.find('@') {
                Some(at) => (&text[..at], None, &text[at..]),
                None => (text, None, ""),
            },
        };
        let base = base.trim();
        let at = match rest.strip_prefix('@') {
            Some(at) => Some(at.trim()),
            None if rest.is_empty() => None,
            None => return None,
        };
        // `ndcg_at_10`: BEIR, MTEB, sentence-transformers.
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (base, at) = match base.rsplit_once("_at_") {
            Some((base, number)) if at.is_none() && is_number(number) => (base, Some(number)),
            _ => (base, at),
        };
        (!base.is_empty() && !base.contains('@')).then_some(Self { base, parameters, at })
    }
}

/// The metric of this name; of several (`recall` is `R@k` with a cutoff and `SetR` without) the one
/// that goes with a number after `@` being `written` or not, else the first, to be complained about.
pub(super) fn called(name: &str, written: bool) -> Option<&'static Definition> {
    let mut named = catalogue().iter().copied().filter(|definition| definition.is_called(name));
    let first = named.clone().next();
    named.find(|definition| definition.at.allows(written)).or(first)
}

/// `ndcg_cut_10`, `P.5`: the metric and the separator with what follows it.
pub(super) fn stem_of(name: &str) -> Option<(&'static Definition, &str)> {
    catalogue().iter().copied().find_map(|definition| {
        definition.stems.iter().find_map(|stem| {
            let (start, suffix) = name.split_at_checked(stem.len())?;
            let number = suffix.strip_prefix(['_', '.'])?;
            let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
            (start.eq_ignore_ascii_case(stem) && is_number).then_some((definition, suffix))
        })
    })
}
