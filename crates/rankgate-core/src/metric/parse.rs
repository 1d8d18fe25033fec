//! The grammar of metric names: `Name(param=value, ...)@cutoff`.

use super::catalogue::catalogue;
use super::definition::{CutoffKind, Definition, Suffix};
use super::elsewhere;
use super::name::{Name, called, stem_of};
use super::parameters::{Parameter, Parameters};
use super::suggest::{split_number, suggest};
use crate::error::Quoted;
use crate::{Error, Result};

/// Reads the name of a built-in metric. `own` are the names of others, to be suggested where they were meant.
pub(super) fn parse(text: &str, own: &[String]) -> Result<(&'static Definition, Parameters)> {
    let fail = |message: String| Error::invalid(format!("metric {}: {message}", Quoted(text)));
    let name = Name::split(text).ok_or_else(|| {
        fail(
            "expected a name, perhaps (parameter=value, ...), perhaps @cutoff, as in `RR(rel=2)@10`"
                .to_owned(),
        )
    })?;
    let mut parameters = Parameters::default();
    let definition = match (called(name.base, name.at.is_some()), stem_of(name.base)) {
        (Some(definition), _) => {
            read_at(definition, name.at, &mut parameters).map_err(fail)?;
            definition
        }
        (None, Some((definition, suffix))) => {
            if name.at.is_some() {
                return Err(fail("a number after `@` and one in the name".to_owned()));
            }
            read_suffix(definition, suffix, &mut parameters).map_err(fail)?;
            definition
        }
        (None, None) => return Err(unknown(text, &name, own)),
    };
    read_parameters(definition, name.parameters, &mut parameters).map_err(fail)?;
    if name.base.eq_ignore_ascii_case("F1") && parameters.beta.get() != 1.0 {
        return Err(fail(format!("in F1 beta is 1; write `F(beta={})`", parameters.beta.get())));
    }
    Ok((definition, parameters))
}

fn unknown(text: &str, name: &Name<'_>, own: &[String]) -> Error {
    let is_own =
        own.iter().filter_map(|own| own.split('@').next()).any(|own| own.eq_ignore_ascii_case(name.base));
    // `unj_10`: the cutoff is written into the name.
    let bare = split_number(name.base).map_or(name.base, |(base, _)| base);
    let advice = elsewhere::replacement(name.base).or_else(|| elsewhere::replacement(bare));
    if let Some(advice) = advice.filter(|_| !is_own) {
        return Error::invalid(format!("metric {}: {advice}", Quoted(text)));
    }
    let hint = match suggest(name, own) {
        Some(meant) => format!("did you mean {}?", Quoted(&meant)),
        None => {
            let built_in = catalogue().iter().map(|definition| definition.name());
            let known: Vec<_> = built_in.chain(own.iter().map(String::as_str)).collect();
            format!("known are {}", known.join(", "))
        }
    };
    Error::invalid(format!("unknown metric {}; {hint}", Quoted(text)))
}

fn read_at(definition: &Definition, at: Option<&str>, parameters: &mut Parameters) -> Result<(), String> {
    let name = definition.name();
    match (definition.at, at) {
        (CutoffKind::Nothing, Some(_)) => Err(format!("{name} takes no cutoff")),
        (CutoffKind::Cutoff, None) => Err(format!("{name} needs a cutoff, as in `{name}@10`")),
        (CutoffKind::Recall, None) => Err(format!("{name} needs a recall level, as in `{name}@0.1`")),
        (_, None) => Ok(()),
        (_, Some(at)) => read_number(definition, at, parameters),
    }
}

fn read_number(definition: &Definition, at: &str, parameters: &mut Parameters) -> Result<(), String> {
    let (what, read) = match definition.at {
        CutoffKind::Recall => ("recall level", parameters.set_recall(at)),
        _ => ("cutoff", parameters.set_cutoff(at)),
    };
    read.map_err(|expected| format!("the {what} must be {expected}"))
}

fn read_suffix(definition: &Definition, suffix: &str, parameters: &mut Parameters) -> Result<(), String> {
    let number = &suffix[1..];
    match definition.suffix {
        Suffix::At => read_number(definition, number, parameters),
        // `rbp.80` has no separator: its dot is the decimal point. `rbp_0.80` has.
        Suffix::Persistence => {
            let written = if number.contains('.') { number } else { suffix.trim_start_matches('_') };
            parameters
                .set(Parameter::Persistence, written)
                .map_err(|expected| format!("p must be {expected}"))
        }
        Suffix::BetaSquared => {
            let read = parameters.set_beta_squared(number);
            read.map_err(|expected| format!("the number in the name must be {expected}"))
        }
    }
}

fn read_parameters(
    definition: &Definition,
    written: Option<&str>,
    parameters: &mut Parameters,
) -> Result<(), String> {
    let mut seen = Vec::new();
    for assignment in written.filter(|written| !written.is_empty()).into_iter().flat_map(|all| all.split(','))
    {
        let (name, value) = assignment
            .split_once('=')
            .ok_or_else(|| format!("expected parameter=value, found {}", Quoted(assignment.trim())))?;
        let name = name.trim();
        let Some(&parameter) = definition.parameters.iter().find(|parameter| parameter.is_called(name))
        else {
            return Err(unknown_parameter(definition, name));
        };
        if seen.contains(&parameter) {
            return Err(format!("{} is given twice", parameter.name()));
        }
        seen.push(parameter);
        let value = unquote(value.trim());
        parameters
            .set(parameter, value)
            .map_err(|expected| format!("{} must be {expected}, not {}", parameter.name(), Quoted(value)))?;
    }
    Ok(())
}

fn unknown_parameter(definition: &Definition, name: &str) -> String {
    let known = definition.parameter_names().collect::<Vec<_>>().join(", ");
    let known = if known.is_empty() { "takes none".to_owned() } else { format!("knows {known}") };
    let at = if name.eq_ignore_ascii_case("cutoff") { "; a cutoff is written `@10`" } else { "" };
    format!("unknown parameter {}; {} {known}{at}", Quoted(name), definition.name())
}

/// `ir_measures` writes `dcg='exp-log2'`.
fn unquote(value: &str) -> &str {
    let inside = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inside('\'').or_else(|| inside('"')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Metric;

    fn canonical(text: &str) -> String {
        text.parse::<Metric>().map_or_else(|error| error.to_string(), |metric| metric.to_string())
    }

    #[test]
    fn every_spelling_has_one_canonical_form() {
        for (canonical_form, spellings) in [
            ("P@5", &["P@5", "p@5", "precision@5", "P_5", "P.5", "p_5", " P @ 5 ", "P()@5", "P@05"][..]),
            ("R@1000", &["recall@1000", "recall_1000", "r@1000", "RECALL@1000"]),
            ("F1@10", &["F1@10", "f1@10", "F(beta=1)@10", "f_beta@10", "F(beta=1.0)@10", "F1(beta=1)@10"]),
            ("F(beta=0.5)@10", &["f(beta=.5)@10", "f_beta(beta=0.50)@10"]),
            ("SetP", &["SetP", "precision", "set_P", "setp"]),
            ("SetR", &["SetR", "recall", "set_recall"]),
            ("SetF", &["SetF", "f1", "F", "f_beta", "set_F", "set_F_1.0"]),
            ("SetF(beta=2)", &["SetF(beta=2)", "F(beta=2)", "set_F.4", "set_F_4.0"]),
            ("Success@5", &["Success@5", "hit_rate@5", "hit@5", "HR@5", "success_5", "success.5"]),
            ("RR", &["RR", "mrr", "MRR", "recip_rank", "reciprocal_rank"]),
            ("RR@10", &["rr@10", "mrr@10", "recip_rank@10"]),
            ("RR(rel=2)@10", &["RR(rel=2)@10", "mrr( REL = 2 )@10"]),
            ("AP", &["AP", "map", "MAP"]),
            ("AP@10", &["AP@10", "map@10", "map_cut_10", "map_cut.10"]),
            ("nDCG", &["ndcg", "NDCG", "nDCG(gain=linear)", "nDCG(dcg='log2')"]),
            ("nDCG@10", &["ndcg_cut_10", "ndcg_cut.10", "nDCG@10", "ndcg@10"]),
            (
                "nDCG(gain=exp2)@10",
                &["nDCG(gain=exp2)@10", "nDCG(dcg='exp-log2')@10", "ndcg(dcg=\"EXP-LOG2\")@10"],
            ),
            ("nDCG(gain=exp2,rel=2)@10", &["nDCG(rel=2, gain=exp2)@10"]),
            ("DCG@10", &["dcg@10", "dcg_10"]),
            ("Rprec", &["Rprec", "r_precision", "R-Precision", "rprec"]),
            ("Bpref", &["bpref", "BPref"]),
            ("RBP(p=0.8)", &["RBP", "RBP(p=0.8)", "RBP(p=.80)", "rbp.80", "rbp_0.8"]),
            ("RBP(p=0.95,rel=2)@20", &["rbp(rel=2,p=0.95)@20"]),
            ("ERR@20", &["err@20"]),
            ("ERR(max=4)@10", &["ERR(max=4)@10"]),
            ("infAP", &["infap", "infAP"]),
            ("IPrec@0.1", &["IPrec@0.1", "iprec_at_recall_0.10", "iprec_at_recall..10", "iprec@.1"]),
            ("IPrec@0", &["IPrec@0", "iprec_at_recall_0.00"]),
            ("IPrec(rel=2)@1", &["IPrec(rel=2)@1.0"]),
            ("Judged@10", &["judged@10"]),
            ("R_cap@10", &["r_cap@10", "recall_cap@10", "relative_P_10"]),
            ("NumRet", &["NumRet", "num_ret"]),
            ("NumRel", &["NumRel", "num_rel"]),
            ("NumRelRet", &["NumRelRet", "num_rel_ret"]),
            // relevant-from is the benchmark's, so that a rel that was written stays
            ("P(rel=1)@5", &["P(rel=1)@5"]),
        ] {
            for spelling in spellings {
                assert_eq!(canonical(spelling), canonical_form, "{spelling}");
            }
        }
    }

    #[test]
    fn every_alias_of_the_catalogue_is_understood() {
        for definition in catalogue() {
            for alias in definition.aliases() {
                let written =
                    alias.replace("@k", "@10").replace("_k", "_10").replace("_x", "_0.10").replace("b²", "4");
                let metric = written.parse::<Metric>().unwrap();
                assert!(std::ptr::eq(metric.definition().unwrap(), *definition), "{written} is {metric}");
            }
            for pattern in definition.patterns() {
                let written =
                    pattern.replace("@k", "@10").replace("@recall", "@0.1").replace("beta=b", "beta=2");
                assert_eq!(canonical(&written), written);
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_name() {
        for (text, message) in [
            ("", "expected a name, perhaps (parameter=value, ...), perhaps @cutoff, as in `RR(rel=2)@10`"),
            ("@10", "expected a name, perhaps (parameter=value, ...), perhaps @cutoff, as in `RR(rel=2)@10`"),
            (
                "P@10(rel=2)",
                "expected a name, perhaps (parameter=value, ...), perhaps @cutoff, as in `RR(rel=2)@10`",
            ),
            (
                "P(rel=2",
                "expected a name, perhaps (parameter=value, ...), perhaps @cutoff, as in `RR(rel=2)@10`",
            ),
            (
                "P(rel=2)10",
                "expected a name, perhaps (parameter=value, ...), perhaps @cutoff, as in `RR(rel=2)@10`",
            ),
            ("P", "P needs a cutoff, as in `P@10`"),
            ("ERR(max=3)@", "the cutoff must be a whole number of documents, as in `@10`"),
            ("P@0", "the cutoff must be at least 1: ranks start at 1"),
            ("ndcg_cut_0", "the cutoff must be at least 1: ranks start at 1"),
            ("P@-1", "the cutoff must be a whole number of documents, as in `@10`"),
            ("P@1.5", "the cutoff must be a whole number of documents, as in `@10`"),
            ("P@99999999999", "the cutoff must be a whole number of documents, as in `@10`"),
            ("P@5@10", "the cutoff must be a whole number of documents, as in `@10`"),
            ("P_5@10", "a number after `@` and one in the name"),
            ("Bpref@10", "Bpref takes no cutoff"),
            ("IPrec", "IPrec needs a recall level, as in `IPrec@0.1`"),
            ("IPrec@10", "the recall level must be a number from 0 to 1, as in `IPrec@0.1`"),
            ("RR(rel)@10", "expected parameter=value, found `rel`"),
            ("RR(rel=2,)@10", "expected parameter=value, found ``"),
            (
                "RR(rel=-1)@10",
                "rel must be a grade of 0 or more (negative grades are never relevant), not `-1`",
            ),
            (
                "RR(rel=two)@10",
                "rel must be a grade of 0 or more (negative grades are never relevant), not `two`",
            ),
            ("RR(rel=1,rel=2)@10", "rel is given twice"),
            ("nDCG(gain=exp2,dcg=log2)", "gain is given twice"),
            ("nDCG(gain=cubic)", "gain must be linear or exp2, not `cubic`"),
            ("nDCG(judged_only=True)@10", "unknown parameter `judged_only`; nDCG knows gain, rel"),
            (
                "nDCG(cutoff=10)",
                "unknown parameter `cutoff`; nDCG knows gain, rel; a cutoff is written `@10`",
            ),
            ("Judged(rel=1)@10", "unknown parameter `rel`; Judged takes none"),
            ("RBP(p=1)", "p must be a number between 0 and 1, not `1`"),
            ("RBP(p=nan)", "p must be a number between 0 and 1, not `nan`"),
            ("RBP(max=2)", "unknown parameter `max`; RBP knows p, rel"),
            ("RBP(dcg=log2)", "unknown parameter `dcg`; RBP knows p, rel"),
            ("rbp_80", "p must be a number between 0 and 1"),
            ("F(beta=-1)@5", "beta must be a number from 0 to 1000, not `-1`"),
            ("F1(beta=2)@5", "in F1 beta is 1; write `F(beta=2)`"),
            ("ERR(max=x)@5", "max must be a grade of 0 or more, not `x`"),
        ] {
            assert_eq!(canonical(text), format!("metric `{text}`: {message}"));
        }
    }

    #[test]
    fn names_are_not_split_inside_a_character() {
        assert!("é_5".parse::<Metric>().is_err());
        assert!("ndcg_cut_é".parse::<Metric>().is_err());
        assert!("ndcg_cuté10".parse::<Metric>().is_err());
    }
}
