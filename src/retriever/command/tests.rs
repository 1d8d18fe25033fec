//! What takes too long to be tried from outside.

use std::time::Duration;

use super::{CommandRetriever, Hello};
use crate::collection::Query;
use crate::program::Program;
use crate::retriever::{Limit, Retriever};
use crate::run::Hit;
use crate::secrets::Secrets;

fn start(script: &str, patience: Duration) -> Result<CommandRetriever, String> {
    start_within(script, Limit { time: Duration::from_secs(60), queries: 1, line: None }, patience)
}

fn start_within(script: &str, limit: Limit, patience: Duration) -> Result<CommandRetriever, String> {
    let program = Program {
        shown: "sh search.sh".into(),
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        folder: ".".into(),
        environment: Vec::new(),
        secrets: Secrets::default(),
    };
    let hello = Hello { benchmark: "b", configuration: "c", depth: 10, served: None };
    CommandRetriever::start_within(&program, hello, limit, patience).map_err(|error| error.to_string())
}

#[test]
fn a_program_that_never_says_hello_is_given_up() {
    let error = start("echo loading >&2; sleep 600", Duration::from_secs(1)).err();
    assert_eq!(
        error.as_deref(),
        Some(
            "the program did not say hello within 1 s; docs/protocol.md says what it should write\n\
             command: `sh search.sh`\nstandard error, its end:\n  loading"
        )
    );
}

/// Says nothing before all four queries are there.
#[test]
fn a_program_gets_as_many_queries_at_once_as_its_hello_says() {
    let script = r#"read hello; echo '{"rankgate": 1, "batch": 4}'
        for n in 1 2 3 4; do read query; done
        for n in 4 3 2; do echo "{\"id\": \"q$n\", \"hits\": [\"d$n\"]}"; done
        echo '{"id": "q1", "error": "no model"}'
        cat > /dev/null"#;
    let program = start(script, Duration::from_secs(60)).unwrap();
    assert_eq!(program.batch_size(), 4);
    let queries: Vec<Query> = (1..=4).map(|n| Query::new(format!("q{n}"), "text")).collect();
    let answers = program.retrieve_batch(&queries, 10).into_iter();
    let answers: Vec<_> = answers.map(|answer| answer.map_err(|error| error.to_string())).collect();
    assert_eq!(answers[0], Err("the program says: `no model`".to_owned()));
    for (number, answer) in (2..=4).zip(&answers[1..]) {
        assert_eq!(*answer, Ok(vec![Hit::new(format!("d{number}"), 1.0)]));
    }
}

#[test]
fn a_program_may_take_its_time_to_say_hello() {
    let script = r#"read hello; sleep 0.3; echo '{"rankgate": 1}'; cat > /dev/null"#;
    assert!(start(script, Duration::from_secs(60)).is_ok());
}
