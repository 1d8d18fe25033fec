//! What a spec hands to a retriever.

use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;

use super::de::{DeError, Reading};
use super::node::{Node, Value};
use super::problem::Found;
use super::source::{Source, Span};
use crate::error::{Problem, Problems};
use crate::{Error, Result};

/// The `params:` of a configuration: parameters of the retriever's own, read into its own type.
///
/// Cloning is cheap. Errors show the parameter's line in the spec, however late they are found.
///
/// ```
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Weights {
///     alpha: f64,
///     #[serde(default)]
///     stopwords: Vec<String>,
/// }
///
/// let params = rankgate::spec::Params::from_yaml("alpha: 0.5\nstopwords: [no, 'on', 01]")?;
/// let weights: Weights = params.deserialize()?;
/// assert_eq!(weights.alpha, 0.5);
/// assert_eq!(weights.stopwords, ["no", "on", "01"]); // text is taken as it is written
///
/// let error = rankgate::spec::Params::from_yaml("alhpa: 0.5")?.deserialize::<Weights>().err().unwrap();
/// assert_eq!(error.to_string(), "\
/// unknown key `alhpa`
///  --> params:1:1
///   |
/// 1 | alhpa: 0.5
///   | ^^^^^
///   |
///   = help: did you mean `alpha`?");
/// # Ok::<(), rankgate::Error>(())
/// ```
#[derive(Clone)]
pub struct Params {
    source: Arc<Source>,
    /// What errors point to when they are about the parameters as a whole.
    at: Span,
    /// `None` where the spec has no `params:`.
    node: Option<Node>,
    /// The keys that were never read from these parameters; empty before the first read.
    skipped: Arc<Mutex<Option<Vec<DeError>>>>,
}

impl Params {
    /// Parameters from a YAML text of their own, which errors call `params`.
    ///
    /// # Errors
    /// Text that is not YAML.
    pub fn from_yaml(text: &str) -> Result<Self> {
        let source = Source::new("params", text)?;
        let parsed = super::parse(&source);
        match parsed.root {
            Some(node) if parsed.problems.is_empty() => Ok(Self::new(source, node.span, Some(node))),
            _ => Err(Problems::new(source, parsed.problems).into()),
        }
    }

    /// The parameters as a value of the retriever's own type.
    ///
    /// If there are none, the value is made from an empty mapping. A field of text takes any scalar as it is written, so that
    /// `01`, `no` and `1.10` stay what they are.
    ///
    /// # Errors
    /// A parameter that the type does not take, lacks or cannot be read from; the message shows the
    /// line of the spec.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T> {
        let none = Node { span: self.at, value: Value::Map(Arc::from([])) };
        let node = self.node.as_ref().filter(|node| !node.is_null()).unwrap_or(&none);
        let skipped = RefCell::default();
        let read = T::deserialize(Reading::new(node, &skipped));
        self.skip(skipped.take());
        read.map_err(|error| {
            let problem = error.into_problem(self.at);
            let problem =
                if self.node.is_none() { problem.help("there are no `params` here") } else { problem };
            Problems::new(Arc::clone(&self.source), problem.into()).into()
        })
    }

    /// Keeps of the keys that were skipped those that every reader skipped.
    fn skip(&self, now: Vec<DeError>) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        *skipped = Some(match skipped.take() {
            None => now,
            Some(before) => before.into_iter().filter(|key| now.iter().any(|n| n.at == key.at)).collect(),
        });
    }

    /// Whether no parameter is given.
    pub fn is_empty(&self) -> bool {
        match &self.node {
            None => true,
            Some(Node { value: Value::Map(entries), .. }) => entries.is_empty(),
            Some(node) => node.is_null(),
        }
    }

    /// The parameters as JSON, `{}` without any. Numbers that JSON would print otherwise than they
    /// are written become text.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.node {
            Some(node) if !node.is_null() => node.to_json(),
            _ => serde_json::Value::Object(serde_json::Map::new()),
        }
    }
}

#[doc(hidden)]
impl Params {
    pub fn new(source: Arc<Source>, at: Span, node: Option<Node>) -> Self {
        Self { source, at, node, skipped: Arc::default() }
    }

    /// Whether everything that is given has been read.
    ///
    /// # Errors
    /// Keys that no reader's type has a place for, or parameters that were never read; the message shows the
    /// lines of the spec.
    pub fn all_read(&self) -> Result<()> {
        let problems = match self.skipped.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(skipped) => skipped.into_iter().map(|key| key.into_problem(self.at)).collect::<Vec<_>>(),
            None if self.is_empty() => Vec::new(),
            None => {
                let at = self.node.as_ref().map_or(self.at, |node| node.span);
                let problem = Problem::new(at, "nothing reads these parameters");
                vec![problem.help("leave `params` out, or read them with `setup.params()`")]
            }
        };
        let mut found = Found::default();
        problems.into_iter().for_each(|problem| found.push(problem));
        if found.is_empty() { Ok(()) } else { Err(Problems::new(Arc::clone(&self.source), found).into()) }
    }
}

/// As JSON on one line, keys sorted.
impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_json().fmt(f)
    }
}

impl fmt::Debug for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Params({self})")
    }
}

impl From<Problems> for Error {
    fn from(problems: Problems) -> Self {
        Self::problems(problems)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "kebab-case")]
    enum Fusion {
        Rrf,
        Weighted(f64),
        Pair(u8, u8),
        Named { alpha: f64 },
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Everything {
        flag: bool,
        small: u8,
        signed: i64,
        ratio: f64,
        text: String,
        maybe: Option<u32>,
        list: Vec<String>,
        pair: Option<(u8, String)>,
        by_name: BTreeMap<String, Vec<i32>>,
        fusion: Vec<Fusion>,
        any: Option<serde_json::Value>,
        nested: Option<Box<Everything>>,
    }

    fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        Params::from_yaml(text).unwrap().deserialize().map_err(|error| error.to_string())
    }

    #[test]
    fn every_shape_of_serde_is_read() {
        let text = "flag: true\nsmall: 7\nsigned: -3\nratio: 2\ntext: 01\nmaybe: ~\nlist: [1, no, 1e3]\n\
            pair: [1, a]\nby_name: {no: [1]}\n\
            fusion: [rrf, {rrf: }, {weighted: 0.5}, {pair: [1, 2]}, {named: {alpha: 1}}]\n\
            any: {a: [1, 1.5, true, null, x, 01]}\nnested: {small: 1}\n";
        let expected = Everything {
            flag: true,
            small: 7,
            signed: -3,
            ratio: 2.0,
            text: "01".into(),
            maybe: None,
            list: vec!["1".into(), "no".into(), "1e3".into()],
            pair: Some((1, "a".into())),
            by_name: [("no".into(), vec![1])].into(),
            fusion: vec![
                Fusion::Rrf,
                Fusion::Rrf,
                Fusion::Weighted(0.5),
                Fusion::Pair(1, 2),
                Fusion::Named { alpha: 1.0 },
            ],
            any: Some(serde_json::json!({"a": [1, 1.5, true, null, "x", "01"]})),
            nested: Some(Box::new(Everything { small: 1, ..Everything::default() })),
        };
        assert_eq!(read::<Everything>(text), Ok(expected));
    }

    #[test]
    fn without_parameters_the_value_is_made_from_an_empty_mapping() {
        for text in ["", "{}", "# stemmer: english\n"] {
            assert_eq!(read::<Everything>(text), Ok(Everything::default()));
            assert_eq!(read::<BTreeMap<String, u8>>(text), Ok(BTreeMap::new()));
            assert!(Params::from_yaml(text).unwrap().is_empty());
        }
        #[derive(Debug, Deserialize)]
        struct Needs {
            #[expect(dead_code, reason = "only its absence matters")]
            alpha: f64,
        }
        let error = read::<Needs>("").unwrap_err();
        assert!(error.starts_with("missing field `alpha`\n --> params:1:1\n"), "{error}");
    }

    #[test]
    fn errors_are_about_the_innermost_place() {
        for (text, expected) in [
            ("flga: true", "1:1 unknown key `flga`; did you mean `flag`?"),
            ("flag: no", "1:7 expected a boolean, found string \"no\""),
            ("small: 300", "1:8 invalid value: integer `300`, expected u8"),
            ("small: x", "1:8 expected u8, found string \"x\""),
            ("ratio: 01", "1:8 expected f64, found string \"01\""),
            ("list: 1", "1:7 expected a sequence, found integer `1`"),
            ("list:\n- a\n- {b: 1}\n", "3:3 expected a string, found a mapping"),
            ("list:\n- a\n-\n", "3:2 expected a string, found nothing"),
            ("pair: [1, a, b]", "1:7 invalid length 3, expected 2 elements in sequence"),
            ("fusion: [rfr]", "1:10 unknown value `rfr`; did you mean `rrf`?"),
            ("fusion: [{rrf: 1}]", "1:16 expected unit, found integer `1`"),
            ("fusion: [[]]", "1:10 expected a name, or a mapping with one key, found a list"),
            ("nested: {nested: {small: -1}}", "1:26 invalid value: integer `-1`, expected u8"),
            ("[1]", "1:1 expected a mapping, found a list"),
        ] {
            let source = Source::new("x", text).unwrap();
            let root = super::super::parse(&source).root.unwrap();
            let skipped = RefCell::default();
            let problem = Everything::deserialize(Reading::new(&root, &skipped)).unwrap_err();
            let problem = problem.into_problem(root.span);
            let problems = Problems::new(source, problem.into());
            let problem = problems.iter().next().unwrap();
            let helps: String = problem.helps().map(|help| format!("; {help}")).collect();
            let found = format!("{}:{} {}{helps}", problem.line(), problem.column(), problem.message());
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_no_reader_has_a_place_for_is_an_error() {
        #[derive(Deserialize)]
        struct Inner {
            #[expect(dead_code, reason = "only its place matters")]
            depth: Option<u8>,
        }
        #[derive(Deserialize)]
        struct Weights {
            #[expect(dead_code, reason = "only its place matters")]
            alpha: Option<f64>,
            #[expect(dead_code, reason = "only its place matters")]
            inner: Option<Vec<Inner>>,
        }
        #[derive(Deserialize)]
        struct Other {
            #[expect(dead_code, reason = "only its place matters")]
            beta: Option<f64>,
        }
        let unread = |text: &str, read: &dyn Fn(&Params)| {
            let params = Params::from_yaml(text).unwrap();
            read(&params);
            params.all_read().map_err(|error| error.to_string())
        };
        let weights = |params: &Params| drop(params.deserialize::<Weights>().unwrap());
        let both = |params: &Params| {
            weights(params);
            let _: Other = params.deserialize().unwrap();
        };
        assert_eq!(unread("alpha: 1", &weights), Ok(()));
        assert_eq!(unread("{alpha: 1, beta: 2}", &both), Ok(()), "each reads its own");
        assert_eq!(unread("{}", &|_| ()), Ok(()));
        let json = |params: &Params| drop(params.deserialize::<serde_json::Value>().unwrap());
        assert_eq!(unread("{x: 1, y: {z: 2}}", &json), Ok(()));
        for (text, read, said, place) in [
            ("alhpa: 1", &weights as &dyn Fn(&Params), "unknown key `alhpa`", "params:1:1"),
            ("alpha: 1\ngamma: 2", &both, "unknown key `gamma`", "params:2:1"),
            ("inner:\n- depth: 1\n- {deep: 2}", &weights, "unknown key `deep`", "params:3:4"),
            ("alpha: 1", &|_: &Params| (), "nothing reads these parameters", "params:1:1"),
        ] {
            let error = unread(text, read).unwrap_err();
            assert!(error.starts_with(said) && error.contains(place), "{error}");
        }
    }

    #[test]
    fn parameters_print_as_json() {
        let params = Params::from_yaml("b: 1.10\na: [1, x]").unwrap();
        assert_eq!(params.to_string(), r#"{"a":[1,"x"],"b":"1.10"}"#);
        assert_eq!(format!("{params:?}"), r#"Params({"a":[1,"x"],"b":"1.10"})"#);
    }
}
