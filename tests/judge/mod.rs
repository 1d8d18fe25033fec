//! A judge and a judgment by it, for the tests of judges in several crates. The module above it imports the types.

use std::collections::BTreeMap;

use super::{Description, Documents, Form, Item, Longer, PARSER, Reply, State, sha256};

pub(crate) fn description() -> Description {
    Description {
        confidence: false,
        documents: Documents {
            fields: vec!["title".into(), "text".into()],
            longer: Longer::Error,
            longest: 6000,
        },
        form: Form::Grade,
        model: "qwen2.5-32b".into(),
        parameters: BTreeMap::from([("temperature".into(), 0.into()), ("max-tokens".into(), 600.into())]),
        parser: PARSER,
        prompt: "Grade {document} for {query}.".into(),
        prompt_name: "relevance".into(),
        reply: Reply::JsonSchema,
        samples: 1,
        scale: [0, 3],
        writes: None,
        criterion: None,
        jury: None,
    }
}

pub(crate) fn item(judge: &str, query: &str, document: &str, grade: Option<u8>) -> Item {
    Item {
        analysis: "It says \"so\".".into(),
        claims: None,
        confidence: None,
        document: document.into(),
        document_sha256: sha256(b"text"),
        grade,
        grades: Vec::new(),
        judge: judge.into(),
        query: query.into(),
        query_sha256: sha256(b"asked"),
        served: Some("qwen2.5-32b-instruct".into()),
        state: if grade.is_some() { State::Graded } else { State::Abstained },
        tokens: Some([612, 48]),
    }
}
