//! "Did you mean": the metric that a misspelt name was probably meant to be.

use super::catalogue::catalogue;
use super::name::{Name, built_in_called};
use crate::yaml::nearest;

/// A name that exists, with the parameters and the number after `@` that were written.
pub(super) fn suggest(name: &Name<'_>, own: &[String]) -> Option<String> {
    // `rbp.p=0.9`: trec_eval writes parameters so.
    if let Some((base, parameters)) = name.base.split_once('.')
        && parameters.contains('=')
        && let Some(definition) = built_in_called(base)
    {
        return Some(with(definition.name(), Some(parameters), name.at));
    }
    // `ndcg10`, `mrr_10`: the cutoff was written into the name.
    let merged = if name.at.is_none() { split_number(name.base) } else { None };
    if let Some((base, number)) = merged
        && let Some(definition) = built_in_called(base)
    {
        return Some(with(definition.name(), name.parameters, Some(number)));
    }
    if let Some(near) = nearest(name.base, own.iter().map(|own| base(own))) {
        return own.iter().find(|own| base(own) == near).cloned(); // its cutoff is part of its name
    }
    let built_in = || catalogue().iter().flat_map(|definition| definition.names());
    if let Some((base, number)) = merged
        && let Some(near) = nearest(base, built_in())
    {
        return Some(with(near, name.parameters, Some(number)));
    }
    Some(with(nearest(name.base, built_in())?, name.parameters, name.at))
}

fn with(base: &str, parameters: Option<&str>, at: Option<&str>) -> String {
    let parameters = parameters.map_or_else(String::new, |parameters| format!("({parameters})"));
    let at = at.map_or_else(String::new, |at| format!("@{at}"));
    format!("{base}{parameters}{at}")
}

fn base(own: &str) -> &str {
    own.split_once('@').map_or(own, |(base, _)| base)
}

/// `map_10` as `map` and `10`.
pub(super) fn split_number(name: &str) -> Option<(&str, &str)> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[base.len()..];
    let base = base.trim_end_matches(['_', '-', '.']);
    (!base.is_empty() && !number.is_empty()).then_some((base, number))
}

#[cfg(test)]
mod tests {
    use crate::metric::{Metric, catalogue};

    #[test]
    fn misspelt_metrics_are_recognised() {
        let names: Vec<&str> = catalogue().iter().map(|metric| metric.name()).collect();
        let known = format!("known are {}", names.join(", "));
        for (written, meant) in [
            ("nDGC@10", "did you mean `nDCG@10`?"),
            ("ndgc(gain=exp2)@10", "did you mean `nDCG(gain=exp2)@10`?"),
            ("recal@100", "did you mean `recall@100`?"),
            ("precison", "did you mean `precision`?"),
            ("MPA", "did you mean `map`?"),
            ("mrr10", "did you mean `RR@10`?"),
            ("ndcg_10", "did you mean `nDCG@10`?"),
            ("hit-rate_5", "did you mean `hit_rate@5`?"),
            ("sucess@1", "did you mean `Success@1`?"),
            ("bpreff", "did you mean `Bpref`?"),
            ("rbp.p=0.9", "did you mean `RBP(p=0.9)`?"),
            ("precicoin", "did you mean `precision`?"), // 9 letters, 2 changes
            ("xndcgx", "did you mean `nDCG`?"),         // a third of its letters
            ("xxndcgxx", &known),                       // half of them
            ("Q", &known),
        ] {
            let error = written.parse::<Metric>().unwrap_err().to_string();
            assert_eq!(error, format!("unknown metric `{written}`; {meant}"));
        }
    }

    #[test]
    fn a_text_that_is_no_name_at_all_is_not_compared() {
        let error = "é".repeat(100_000).parse::<Metric>().unwrap_err().to_string();
        assert!(error.contains("known are P, R"), "{error}");
    }
}
