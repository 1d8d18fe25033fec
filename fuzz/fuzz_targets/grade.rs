//! Whatever a model writes, a grade is read only where it is exactly what was asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rankgate::gate::Reply;
use rankgate::judge::{Answer, State, batch_result};
use rankgate_fuzz::is_message;

fuzz_target!(|text: &str| {
    for reply in Reply::ALL {
        for confidence in [false, true] {
            let answer = Answer::read(text, reply, 3, confidence);
            assert_eq!(answer.state == State::Graded, answer.grade.is_some());
            assert!(answer.grade.is_none_or(|grade| grade <= 3));
            assert!(answer.confidence.is_none_or(|sure| (0.0..=1.0).contains(&sure)));
            let Some(grade) = answer.grade else { continue };
            match reply {
                Reply::Line => {
                    let last = text.trim_end().lines().last().expect("there is a line").to_lowercase();
                    assert!(last.trim_end().ends_with(&grade.to_string()), "{last}");
                }
                Reply::JsonSchema | Reply::JsonObject => {
                    let value: serde_json::Value = serde_json::from_str(text).expect("it is one JSON value");
                    assert_eq!(value["grade"], grade);
                    assert_eq!(value.as_object().expect("an object").len(), if confidence { 3 } else { 2 });
                }
            }
        }
    }
    match batch_result(text) {
        Ok((_, Ok(completion))) => {
            let answer = completion.answer(Reply::JsonSchema, 3, false, 100);
            assert_eq!(answer.state == State::Graded, answer.grade.is_some());
        }
        Ok((_, Err(why))) => is_message(&why),
        Err(error) => is_message(&error.to_string()),
    }
});
