//! `judged:` of gates: what rests on judgments of the spec's judge.

use serde_json::{Value as Json, json};

use super::scalar::read_words;
use crate::ErrorKind;
use crate::error::Quoted;
use crate::gate::{Judged, Level};
use crate::mapping::{Availability, Field, OneOrMany, Reader, Spanned};
use crate::metric::Metric;
use crate::yaml::{Problem, Span};

read_words!(Judged);

/// What there is to know of a spec's judge where its gates are checked.
pub(crate) enum KnownJudge {
    /// The spec has none.
    None,
    /// It has one that could not be read, which has been reported.
    Broken,
    /// Whether people correct it, how far down it grades documents, and the names of its criteria.
    Some { has_people: bool, depth: usize, criteria: Vec<String> },
}

/// The keys of a gate that rests on judgments of a model.
pub(crate) struct JudgedGate<'a> {
    pub(crate) judged: &'a Field<Judged>,
    pub(crate) level: &'a Field<Level>,
    pub(crate) metrics: &'a Field<OneOrMany<Metric>>,
    /// Keys that do not go with it, and why.
    pub(crate) excluded: &'a [(&'static str, Option<Span>, &'static str)],
}

/// What a schema says of these keys.
pub(crate) fn judged_conditions(excluded: &[&str]) -> Vec<Json> {
    let raw = json!({"properties": {"judged": {"const": "raw"}}, "required": ["judged"]});
    let advisory = json!({"properties": {"level": {"const": "advisory"}}, "required": ["level"]});
    let calibrated = json!({"properties": {"judged": {"const": "calibrated"}}, "required": ["judged"]});
    let written = json!({"required": ["level"]});
    let beside = excluded.iter().map(|key| json!({"not": {"required": [key, "judged"]}}));
    let conditions = [json!({"if": raw, "then": advisory}), json!({"if": calibrated, "then": written})];
    beside.chain(conditions).collect()
}

impl JudgedGate<'_> {
    /// What of the gate takes a judge, and where it stands.
    fn rests_on_a_judge(&self, metrics: &[Spanned<Metric>]) -> Option<(Span, String)> {
        let of_answers = metrics.iter().find(|metric| metric.value.is_of_answers());
        let judged = || self.judged.field_value().map(|judged| (judged.key, "`judged`".to_owned()));
        of_answers.map(|metric| (metric.at, metric.value.to_string())).or_else(judged)
    }

    /// Reports what keeps the gate from resting on judgments of the spec's judge.
    pub(crate) fn check(&self, judge: &KnownJudge, reader: &mut Reader<'_>) {
        let metrics = self.metrics.value().map(|metrics| metrics.0.as_slice()).unwrap_or_default();
        if let (KnownJudge::None, Availability::Unavailable(why), Some((at, what))) =
            (judge, reader.registry.knows_judge(), self.rests_on_a_judge(metrics))
        {
            let problem = Problem::new(at, format!("{what} cannot be used here"));
            return reader.report(problem.with_kind(ErrorKind::Setup).help(why));
        }
        self.check_criteria(metrics, judge, reader);
        let Some(judged) = self.judged.field_value() else {
            let of_answers = metrics.iter().find(|metric| metric.value.is_of_answers());
            if let Some(Spanned { at, value }) = of_answers.filter(|_| self.judged.is_absent()) {
                let problem = Problem::new(*at, format!("only a judge can determine what {value} is"));
                reader.report(problem.help(match value.is_diagnostic() {
                    true => "write `judged: raw` with `level: advisory` beside it",
                    false => "write `judged: corrected` beside it, or `judged: raw` with `level: advisory`",
                }));
            }
            return;
        };
        let at = |message: String| Problem::new(judged.at, message);
        for (key, place, why) in self.excluded {
            if let Some(place) = place {
                let problem = Problem::new(*place, format!("`{key}` does not go with `judged`"));
                reader.report(problem.related(judged.key, "there").help(*why));
            }
        }
        if judged.value == Judged::Raw && self.level.value() != Some(&Level::Advisory) {
            let problem = at("what only a model says can fail no build".to_owned());
            reader.report(problem.help("write `level: advisory` beside it, or `judged: corrected`"));
        }
        let diagnostic = metrics.iter().find(|metric| metric.value.is_diagnostic());
        if let Some(Spanned { at, value }) = diagnostic.filter(|_| judged.value != Judged::Raw) {
            let message = format!("{value} rests on several verdicts a claim, and people correct one by one");
            let problem = Problem::new(*at, message).related(judged.at, "needs people's verdicts");
            reader.report(problem.help(
                "write `judged: raw` and `level: advisory` beside it; Faithfulness, ContextRecall and AnswerCorrectness ask the same \
                 questions, and people correct these",
            ));
        } else if judged.value == Judged::Calibrated {
            self.check_calibrated(metrics, judged.at, reader);
        }
        let (has_people, depth) = match *judge {
            KnownJudge::Broken => return,
            KnownJudge::None => {
                let problem =
                    at(format!("`judged: {}` needs a `judge`, and this spec has none", judged.value));
                return reader
                    .report(problem.help("a mapping at the top of the spec, with `model` and `judgments`"));
            }
            KnownJudge::Some { has_people, depth, .. } => (has_people, depth),
        };
        if judged.value != Judged::Raw && !has_people {
            let problem = at("this judge is not corrected: it has no `humans`".to_owned());
            reader.report(
                problem.help("name a file there, such as `judged/humans.jsonl`; `rankgate sample` writes it"),
            );
        }
        for Spanned { at, value } in metrics.iter().filter(|metric| !metric.value.is_of_answers()) {
            if value.cutoff().is_none_or(|cutoff| cutoff > depth) {
                let message = format!("{value} looks deeper than the judge, which grades the first {depth}");
                let problem = Problem::new(*at, message).related(judged.at, "rests on its grades");
                reader.report(problem.help("`judge.grade.depth` says how far down documents are graded"));
            }
        }
    }

    /// Reports what keeps errors of the judge from being carried over.
    fn check_calibrated(&self, metrics: &[Spanned<Metric>], at: Span, reader: &mut Reader<'_>) {
        if self.level.is_absent() {
            let problem = Problem::new(at, "`judged: calibrated` takes a written `level`");
            reader.report(problem.help(
                "it assumes that the judge errs on what people did not judge as on what they did: write `level: blocking` or \
                 `level: advisory` beside it",
            ));
        }
        for Spanned { at, value } in metrics.iter().filter(|metric| !metric.value.is_additive()) {
            let message = format!("{value} is no sum over documents or claims, and cannot be calibrated");
            let problem = Problem::new(*at, message);
            reader.report(problem.help(
                "errors of a judge carry over to P@k, DCG@k, RBP, ContextShare@k, ContextRelevance@k, Faithfulness, ContextRecall, \
                 NuggetRecall, CitationPrecision, AnswerRelevance, AnswerConsistency, Criterion and shares of nuggets; `judged: corrected` takes any metric",
            ));
        }
    }

    /// Reports criteria that the judge does not know.
    fn check_criteria(&self, metrics: &[Spanned<Metric>], judge: &KnownJudge, reader: &mut Reader<'_>) {
        let KnownJudge::Some { criteria, .. } = judge else { return };
        let named = metrics.iter().filter_map(|metric| Some((metric, metric.value.criterion()?)));
        for (metric, name) in named.filter(|(_, name)| !criteria.iter().any(|known| known == name)) {
            let message = format!(
                "{} needs the criterion {}, which the judge does not have",
                metric.value,
                Quoted(name)
            );
            let problem = Problem::new(metric.at, message);
            let problem = reader.suggest(problem, name, criteria.iter().map(String::as_str)).unwrap_or_else(
                |problem| {
                    problem.help(format!(
                        "add `criteria: {{{name}: {{question: ..., scale: [no, partly, yes]}}}}` to `judge`"
                    ))
                },
            );
            reader.report(problem);
        }
    }
}
