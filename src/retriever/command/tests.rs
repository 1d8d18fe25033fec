//! What takes too long to be tried from outside.

use std::time::Duration;

use super::{CommandRetriever, Hello};
use crate::retriever::Limit;
use crate::transport::Secrets;
use crate::transport::program::Program;

fn start(script: &str, patience: Duration) -> Result<CommandRetriever, String> {
    let program = Program {
        shown: "sh search.sh".into(),
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        folder: ".".into(),
        environment: Vec::new(),
        secrets: Secrets::default(),
    };
    let hello = Hello { benchmark: "b", configuration: "c", depth: 10 };
    let limit = Limit { time: Duration::from_secs(60), line: None };
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

#[test]
fn a_program_may_take_its_time_to_say_hello() {
    let script = r#"read hello; sleep 0.3; echo '{"rankgate": 1}'; cat > /dev/null"#;
    assert!(start(script, Duration::from_secs(60)).is_ok());
}
