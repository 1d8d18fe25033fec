//! Files of answers: lines that count nowhere, contexts without a text, refusals that say more.

use std::collections::BTreeMap;

use crate::Result;
use crate::collection::Collection;
use crate::error::chain;
use crate::model::{Example, Finding, Severity, choose};
use rankgate::internal::judge::shown_sha256;
use rankgate::judge::{Form, Item, JudgmentsFile};
use rankgate::rag::{Answer, Answers, Context};

use super::Linting;
use crate::pool::texts;

/// Who says no more than that they do not know needs fewer words.
const REFUSAL: usize = 30;

/// Severity, code, the sentences for one and for several, and the remedy.
type Kind = (Severity, &'static str, [&'static str; 2], &'static str);

/// What may be wrong.
const KINDS: [Kind; 5] = [
    (
        Severity::Problem,
        "answers-unreadable",
        ["file of answers cannot be read", "files of answers cannot be read"],
        "mend the line that is named; gates on these answers are errored",
    ),
    (
        Severity::Problem,
        "contexts-without-text",
        [
            "context is neither in the corpus nor has a text in its file of answers",
            "contexts are neither in the corpus nor have a text in their file of answers",
        ],
        "write them as `{\"id\": ..., \"text\": ...}`: claims cannot be judged by contexts without a text, and gates on these \
         answers are errored",
    ),
    (
        Severity::Caution,
        "answers-to-unknown-queries",
        [
            "answer is to a query that the collection does not have: it counts nowhere",
            "answers are to queries that the collection does not have: they count nowhere",
        ],
        "remove them, or mend their `query`",
    ),
    (
        Severity::Caution,
        "queries-without-answer",
        [
            "query has no line in a file of answers: it counts as answered with nothing",
            "queries have no line in a file of answers: they count as answered with nothing",
        ],
        "answer them, with `\"declined\": true` where it is not known",
    ),
    (
        Severity::Caution,
        "declined-with-claims",
        [
            "answer is marked as declined and says more than that: it is in no mean",
            "answers are marked as declined and say more than that: they are in no mean",
        ],
        "leave `declined` out where something is answered",
    ),
];

impl Linting<'_> {
    /// Errors in the files of answers that the spec names.
    pub(super) fn answers_found(&self, collection: &Collection) -> Result<Vec<Finding>> {
        let mut found: [Vec<Example>; KINDS.len()] = Default::default();
        for configuration in self.spec().configurations.iter().filter(|one| !one.is_derived()) {
            let Some(path) = &configuration.answers else { continue };
            let name = &configuration.name;
            let answers = match path.resolve().and_then(|path| Answers::read(&path)) {
                Ok(answers) => answers,
                Err(error) => {
                    found[0].push(Example::new(name, "", chain(&error)));
                    continue;
                }
            };
            let of = |query: &str, answer: &Answer, note: &str| {
                Example::new(format!("{name} {query}"), &answer.text, note)
            };
            // What is asked of variants is answered under ids of their own.
            let under = |query: &str| query.rsplit_once('@').is_some_and(|(_, name)| self.has_variant(name));
            let named = |one: &Context| one.text.is_none().then(|| one.id.clone());
            let lacking = |answer: &Answer| -> Vec<String> {
                answer.contexts.iter().flatten().filter_map(named).collect()
            };
            let ids: Vec<String> = answers.iter().flat_map(|(_, answer)| lacking(answer)).collect();
            let texts = texts(collection, ids.iter().map(String::as_str))?;
            let claims = self.claims_on_file();
            for (query, answer) in answers.iter() {
                let nowhere = lacking(answer).into_iter().filter(|id| !texts.contains_key(id));
                if self.judges_answers() {
                    found[1].extend(nowhere.map(|id| of(query, &Answer::default(), &id)));
                }
                if collection.query(query).is_none() && !under(query) {
                    found[2].push(of(query, answer, ""));
                }
                let text = answer.text.trim();
                let says = claims.get(&shown_sha256(text)).copied().unwrap_or_default();
                if answer.declined && (says > 0 || text.split_whitespace().count() > REFUSAL) {
                    let note = if says > 0 { format!("{says} claims on file") } else { String::new() };
                    found[4].push(of(query, answer, &note));
                }
            }
            let without = collection.queries().iter().filter(|query| answers.get(&query.id).is_none());
            found[3]
                .extend(without.map(|query| Example::new(format!("{name} {}", query.id), &query.text, "")));
        }
        let finding = |((severity, code, [one, several], advice), examples): (Kind, Vec<Example>)| Finding {
            severity,
            code: code.to_owned(),
            message: format!("{} {}", examples.len(), choose(examples.len(), one, several)),
            count: examples.len(),
            examples: examples.into_iter().take(Example::MOST).collect(),
            advice: advice.to_owned(),
        };
        Ok(KINDS.into_iter().zip(found).filter(|(_, examples)| !examples.is_empty()).map(finding).collect())
    }

    fn has_variant(&self, name: &str) -> bool {
        self.spec().variants.iter().any(|variant| variant.name == name)
    }

    /// Whether any gate needs the texts of contexts.
    fn judges_answers(&self) -> bool {
        self.inspection.judges_answers()
    }

    /// How many claims the judgments on file have of texts, by the hash of each; none where there is no such file.
    fn claims_on_file(&self) -> BTreeMap<String, usize> {
        let path = self.spec().judge.as_ref().and_then(|plan| plan.judgments.resolve().ok());
        let file = path.and_then(|path| JudgmentsFile::read(&path, false).ok()).unwrap_or_default();
        let is_list = |judge: &str| file.judges().get(judge).is_none_or(|one| one.form == Form::Claims);
        let found = file.items().filter(|item| is_list(&item.judge));
        let of = |item: &Item| Some((item.document_sha256.clone(), item.claims.as_ref()?.len()));
        found.filter_map(of).collect()
    }
}
