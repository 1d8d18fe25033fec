//! `command:`: a program that answers queries over its standard input and output.

use super::template::Template;
use crate::error::Quoted;
use crate::mapping::{FromNode, Reader};
use crate::yaml::{Node, Problem, Span, Value};

/// A program and its arguments; at least the program.
pub(super) struct Command(pub(super) Vec<Template>);

impl FromNode for Command {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let items = match &node.value {
            Value::List(items) if items.is_empty() => {
                return reader.refuse(node.span, "a command needs a program");
            }
            Value::List(items) => items,
            Value::Scalar(scalar) if !scalar.is_null() => {
                // Splitting it would need a shell's rules for quotes, which differ between systems.
                let words: Vec<&str> = scalar.text.split_whitespace().collect();
                let problem = Problem::new(node.span, "a command is a list: the program and its arguments");
                let list = words.join(", ");
                reader.report(if list.len() < 80 {
                    problem.help(format!("write `[{list}]`"))
                } else {
                    problem
                });
                return None;
            }
            _ => return reader.expected(node, "a list: the program and its arguments"),
        };
        let parts: Vec<Option<Template>> = items.iter().map(|item| reader.read(item)).collect();
        let parts: Vec<Template> = parts.into_iter().collect::<Option<_>>()?;
        if parts[0].literal() == Some("") {
            return reader.refuse(items[0].span, "the program has no name");
        }
        match parts.iter().position(|part| part.literals().any(|text| text.contains('\0'))) {
            Some(at) => reader.refuse(items[at].span, "a zero byte in a command"),
            None => Some(Self(parts)),
        }
    }
}

/// Reports what is no name of a variable.
pub(super) fn check_variable(name: &str, at: Span, reader: &mut Reader<'_>) -> Option<()> {
    match name.is_empty() || name.contains(['=', '\0']) {
        true => reader.refuse(at, format!("{} is not the name of a variable", Quoted(name))),
        false => Some(()),
    }
}

/// Variables of an environment, by name.
pub(super) struct RawEnvironment(pub(super) Vec<(String, Template)>);

impl FromNode for RawEnvironment {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let entries = reader.entries(node, "a mapping from variables to values")?;
        let mut variables = Vec::with_capacity(entries.len());
        for entry in entries.iter() {
            let name = &entry.key.text;
            check_variable(name, entry.key.span, reader);
            if let Some(value) = reader.read::<Template>(&entry.value) {
                if value.literals().any(|text| text.contains('\0')) {
                    reader.report(Problem::new(entry.value.span, "a zero byte in a variable"));
                }
                variables.push((name.to_string(), value));
            }
        }
        Some(Self(variables))
    }
}
