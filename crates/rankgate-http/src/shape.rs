//! Where an answer has its hits, and where it says that it is none.

use serde_json::Value as Json;

use crate::error::Quoted;
use crate::run::{self, Hit};
use crate::secrets::Secrets;
use crate::{Found, wire};

/// Where an answer has its hits, as JSON pointers.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The list of hits, in an answer.
    pub hits: String,
    /// The document's id, in a hit.
    pub id: String,
    /// The score, in a hit; `None` where only the order counts.
    pub score: Option<String>,
    /// Numbers about the answer, in an answer, by name.
    pub scores: Vec<(String, String)>,
    /// What a model answered, in an answer; `None` where none did.
    pub said: Option<String>,
}

/// Where known services say that something went wrong: Elasticsearch, OpenSearch, Qdrant, Meilisearch, Typesense, Vespa.
const ERRORS: &[&str] = &[
    "/error",
    "/errors",
    "/timed_out",
    "/_shards/failed",
    "/status/error",
    "/remoteErrors",
    "/results/0/error",
    "/results/0/search_cutoff",
    "/root/errors",
    "/root/coverage/degraded/timeout",
    "/root/coverage/degraded/adaptive-timeout",
    "/root/coverage/degraded/non-ideal-state",
];

impl Shape {
    /// What an answer has.
    ///
    /// # Errors
    /// Something that is not where it should be, or not what it should be, with a snippet.
    pub(crate) fn read(&self, answer: &Json, secrets: &Secrets) -> Result<Found, String> {
        let hits = self.ranking(answer, secrets)?;
        let snippet = || secrets.excerpt(&answer.to_string());
        let score = |(name, at): &(String, String)| {
            let value = answer.pointer(at);
            let value = value.ok_or_else(|| {
                format!("the answer has no score {} at `{at}`: {}", Quoted(name), snippet())
            })?;
            Ok((name.clone(), wire::score(name, value).map_err(|why| format!("{why}: {}", snippet()))?))
        };
        let scores = self.scores.iter().map(score).collect::<Result<_, String>>()?;
        let said = self.said.as_ref().map(|at| {
            let nothing = || format!("the answer has nothing at `{at}`: {}", snippet());
            answer.pointer(at).cloned().ok_or_else(nothing)
        });
        Ok(Found { hits, scores, said: said.transpose()? })
    }

    fn ranking(&self, answer: &Json, secrets: &Secrets) -> Result<Vec<Hit>, String> {
        check_errors(answer, secrets)?;
        let snippet = |value: &Json| secrets.excerpt(&value.to_string());
        let hits = match answer.pointer(&self.hits) {
            Some(Json::Array(hits)) => hits,
            Some(other) => {
                return Err(format!("the answer's `{}` is not a list: {}", self.hits, snippet(other)));
            }
            None if self.says_none(answer) => return Ok(Vec::new()),
            None => return Err(format!("the answer has nothing at `{}`: {}", self.hits, snippet(answer))),
        };
        self.read_hits(hits, self.score.as_deref(), secrets)
    }

    fn read_hits(&self, hits: &[Json], score: Option<&str>, secrets: &Secrets) -> Result<Vec<Hit>, String> {
        let snippet = |value: &Json| secrets.excerpt(&value.to_string());
        let read = |(position, hit): (usize, &Json)| {
            let wrong = |what: String| format!("hit {} {what}: {}", position + 1, snippet(hit));
            let id = read_id(&self.id, hit).map_err(wrong)?;
            let score = match score {
                None => run::score_by_order(position),
                Some(at) => {
                    let score = hit.pointer(at).ok_or_else(|| wrong(format!("has nothing at `{at}`")))?;
                    score.as_f64().ok_or_else(|| {
                        let hint = match score.is_null() {
                            true => " but null: leave out `score` if only the order counts",
                            false => "",
                        };
                        wrong(format!("has at `{at}` no number{hint}"))
                    })?
                }
            };
            Ok(Hit::new(id, score))
        };
        hits.iter().enumerate().map(read).collect()
    }

    /// Whether an answer without a list says in numbers that nothing was found: Vespa leaves the
    /// list out, and an answer that went wrong otherwise must not be taken for an empty one.
    fn says_none(&self, answer: &Json) -> bool {
        let Some((parent, _)) = self.hits.rsplit_once('/') else { return false };
        let Some(parent) = answer.pointer(parent) else { return false };
        parent.pointer("/fields/totalCount").and_then(Json::as_u64) == Some(0)
    }
}

/// What a hit is called by, or what is wrong with it.
fn read_id(at: &str, hit: &Json) -> Result<String, String> {
    let value = hit.pointer(at).ok_or_else(|| format!("has nothing at `{at}`"))?;
    wire::id(value).ok_or_else(|| match at {
        "" => "is neither text nor a whole number".to_owned(),
        at => format!("has at `{at}` neither text nor a whole number"),
    })
}

/// Refuses an answer that says that something went wrong.
fn check_errors(answer: &Json, secrets: &Secrets) -> Result<(), String> {
    for at in ERRORS {
        if let Some(error) = answer.pointer(at).filter(|error| says_something(error)) {
            let error = secrets.excerpt(&error.to_string());
            return Err(format!("the answer says at `{at}` that something went wrong: {error}"));
        }
    }
    Ok(())
}

/// Whether a value contains a sign of errors: many services have a place for them in every
/// answer.
fn says_something(error: &Json) -> bool {
    match error {
        Json::Null => false,
        Json::Bool(yes) => *yes,
        Json::Number(number) => number.as_f64() != Some(0.0),
        Json::String(text) => !text.is_empty(),
        Json::Array(list) => !list.is_empty(),
        Json::Object(map) => !map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Answers such as services give, and others, with a secret in some.
    fn answers() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            "[a-z]{0,3}|hunter2hunter2".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map("hits|id|score|error|metadata|a", inner, 0..4)
                    .prop_map(|entries| Json::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_answer_is_a_ranking_or_an_error_without_secrets(
            answer in answers(), hits in "(/(hits|a|0)){0,2}", id in "(/(id|a|0))?", score in "(/(score|a))?",
        ) {
            let mut secrets = Secrets::default();
            secrets.add("PASSWORD", "hunter2hunter2");
            match shape(&hits, &id, &score).ranking(&answer, &secrets) {
                Ok(hits) => prop_assert!(hits.iter().all(|hit| !hit.score.is_nan())),
                Err(said) => prop_assert!(!said.contains("hunter2hunter2"), "{}", said),
            }
        }
    }

    fn shape(hits: &str, id: &str, score: &str) -> Shape {
        let score = if score.is_empty() { None } else { Some(score.into()) };
        Shape { hits: hits.into(), id: id.into(), score, scores: Vec::new(), said: None }
    }

    #[test]
    fn hits_beside_an_error_are_no_answer() {
        let shape = shape("/hits", "", "");
        let hits = |rest: Json| {
            let mut answer = json!({"hits": ["a"]});
            answer.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            shape.ranking(&answer, &Secrets::default())
        };
        for empty in [json!(null), json!(false), json!(0), json!(0.0), json!(""), json!([]), json!({})] {
            assert_eq!(
                hits(json!({"error": empty, "_shards": {"failed": empty}})).unwrap().len(),
                1,
                "{empty}"
            );
        }
        for error in
            [json!(true), json!(1), json!(-0.5), json!("no index"), json!([null]), json!({"code": 0})]
        {
            let expected = format!("that something went wrong: `{error}`");
            for (rest, at) in [
                (json!({"error": error}), "/error"),
                (json!({"_shards": {"failed": error}}), "/_shards/failed"),
            ] {
                assert_eq!(hits(rest), Err(format!("the answer says at `{at}` {expected}")));
            }
        }
    }

    #[test]
    fn hits_are_found_by_their_pointers() {
        let hits = |ids: &[(&str, f64)]| -> Vec<Hit> {
            ids.iter().map(|&(id, score)| Hit::new(id, score)).collect()
        };
        for (shape, answer, expected) in [
            (
                shape("/hits", "/id", "/score"),
                json!({"hits": [{"id": "a", "score": 2}]}),
                hits(&[("a", 2.0)]),
            ),
            (
                shape("/hits", "/id", ""),
                json!({"hits": [{"id": 7}, {"id": "a"}]}),
                hits(&[("7", 1.0), ("a", 0.5)]),
            ),
            (shape("", "", ""), json!(["a", "b"]), hits(&[("a", 1.0), ("b", 0.5)])),
            (shape("", "/0", "/1"), json!([["a", 0.25]]), hits(&[("a", 0.25)])),
            (shape("/hits", "/id", "/score"), json!({"hits": []}), vec![]),
            (shape("/root/children", "/id", ""), json!({"root": {"fields": {"totalCount": 0}}}), vec![]),
        ] {
            assert_eq!(shape.ranking(&answer, &Secrets::default()), Ok(expected), "{answer}");
        }
    }

    #[test]
    fn a_score_of_null_says_that_scores_may_be_left_out() {
        let error = shape("/hits", "/_id", "/_score")
            .ranking(&json!({"hits": [{"_id": "a", "_score": null}]}), &Secrets::default())
            .unwrap_err();
        assert_eq!(
            error,
            "hit 1 has at `/_score` no number but null: leave out `score` if only the order counts: \
             `{\"_id\":\"a\",\"_score\":null}`"
        );
    }

    #[test]
    fn scores_are_found_by_their_pointers() {
        let scores = vec![("tokens".to_owned(), "/usage/total_tokens".to_owned())];
        let shape = Shape { scores, ..shape("/hits", "", "") };
        let read = |mut answer: Json| {
            answer["hits"] = json!([]);
            Ok(shape.read(&answer, &Secrets::default())?.scores["tokens"])
        };
        assert_eq!(read(json!({"usage": {"total_tokens": 812}})), Ok(812.0));
        for (answer, why) in [
            (json!({}), "the answer has no score `tokens` at `/usage/total_tokens`: `{\"hits\":[]}`"),
            (
                json!({"usage": {"total_tokens": "many"}}),
                "the score `tokens` is not a number: `{\"hits\":[],\"usage\":{\"total_tokens\":\"many\"}}`",
            ),
        ] {
            assert_eq!(read(answer), Err(why.to_owned()));
        }
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let children = shape("/root/children", "/id", "");
        let timed_out = json!({"root": {"errors": [{"code": 12}], "fields": {"totalCount": 0}}});
        let scored = shape("/hits", "/id", "/score");
        for (shape, answer, expected) in [
            (&scored, json!({"a": "x"}), "the answer has nothing at `/hits`: `{\"a\":\"x\"}`"),
            (&scored, json!({"hits": {"a": 1}}), "the answer's `/hits` is not a list: `{\"a\":1}`"),
            (&scored, json!({"hits": null}), "the answer's `/hits` is not a list: `null`"),
            (&scored, json!({"hits": [{"_id": "a"}]}), "hit 1 has nothing at `/id`: `{\"_id\":\"a\"}`"),
            (
                &scored,
                json!({"hits": [{"id": 1.5}]}),
                "hit 1 has at `/id` neither text nor a whole number: `{\"id\":1.5}`",
            ),
            (&scored, json!({"hits": [{"id": "a"}]}), "hit 1 has nothing at `/score`: `{\"id\":\"a\"}`"),
            (
                &scored,
                json!({"hits": [{"id": "a", "score": "1"}]}),
                "hit 1 has at `/score` no number: `{\"id\":\"a\",\"score\":\"1\"}`",
            ),
            (
                &shape("/hits", "", ""),
                json!({"hits": ["a", {}]}),
                "hit 2 is neither text nor a whole number: `{}`",
            ),
            (
                &children,
                json!({"root": {"fields": {"totalCount": 3}}}),
                "the answer has nothing at `/root/children`: `{\"root\":{\"fields\":{\"totalCount\":3}}}`",
            ),
            (
                &children,
                timed_out,
                "the answer says at `/root/errors` that something went wrong: `[{\"code\":12}]`",
            ),
        ] {
            assert_eq!(shape.ranking(&answer, &Secrets::default()), Err(expected.to_owned()), "{answer}");
        }
    }
}
