//! Any text is a spec or an error that names the file, and so is any text as parameters.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use rankgate::spec::{Params, Registry, Spec};
use rankgate_fuzz::is_message;

fuzz_target!(|text: &str| {
    let mut registry = Registry::new();
    registry.retriever("mine");
    match Spec::parse(Path::new("fuzz/specs/x.yaml"), text, &registry) {
        Ok(spec) => assert!(!spec.gates.is_empty()),
        Err(error) => {
            let message = error.to_string();
            is_message(&message);
            assert!(message.contains("fuzz/specs/x.yaml"), "{message}");
        }
    }
    if let Ok(params) = Params::from_yaml(text) {
        is_message(&format!("{params} "));
    }
});
