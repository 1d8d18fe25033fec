//! `judge:`: a model that grades documents, the file of its judgments, and the people who correct it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value as Json, json};

use super::command::Command;
use super::criteria::{Criterion, RawCriteria};
use super::http::Url;
use super::judged::KnownJudge;
use super::scalar::{non_negative, read_words};
use super::template::{InputFile, PathTemplate, Template};
use crate::gate::{Graded, Longer, Reply, Vote};
use crate::mapping::{Count, Field, FromNode, OneOrMany, Reader, Rule, mapping};
use crate::order;
use crate::yaml::{Node, Problem, Typed, Value};

read_words!(Graded, Longer, Reply, Vote);

/// Time for an answer: a model of one's own may think long, with others waiting.
const TIMEOUT: Duration = Duration::from_secs(300);

mapping! {
    /// A model that grades documents: its name, its prompt, where its committed judgments are. Tests only read
    /// these; `rankgate judge` asks for them.
    pub(super) struct RawJudge as "a judge", "{endpoint: \"${JUDGE_URL}\", model: NAME, judgments: judged/mine.jsonl}" {
        /// The base of a service that speaks OpenAI's chat completions, such as `${JUDGE_URL}`. Only `rankgate judge`
        /// needs it, and not where requests leave and answers come back as files.
        "endpoint" => endpoint: Url,
        /// The key of the service, from a variable: `${JUDGE_KEY}`. It gets into no file, message or fingerprint.
        "api-key" => api_key: Secret,
        /// In place of a service a program that grades as JSON lines: the program and its arguments. It runs in the
        /// folder of the spec.
        "command" => command: Command,
        /// The model as the service calls it; better a name that never moves than `latest`.
        "model" => model: String,
        /// In place of one model a jury, two to nine models of the same service: `[qwen2.5-7b, llama-3.1-8b, mistral-7b]`.
        "judges" => judges: Jury,
        /// How a jury comes to a grade: `majority` (default) or `mean`.
        "vote" => vote: Vote,
        /// Its prompt: `relevance` (default), which is built in, or `{file: prompts/relevance.txt}` with
        /// `{query}` and `{document}` in it.
        "prompt" => prompt: PromptSource,
        /// Other prompts about answers than those that are built in, by what they ask for.
        "prompts" => prompts: RawPrompts,
        /// What else answers are graded by, by name: `{polite: {question: Is the answer polite?, scale: [no, partly, yes]}}`.
        /// Gates name it as in `Criterion(polite)`.
        "criteria" => criteria: RawCriteria,
        /// The form of an answer, as the server can hold the model to it: `json-schema` (default), `json-object` or `line`.
        "reply" => reply: Reply,
        /// What it is shown of a document.
        "documents" => documents: RawDocuments,
        /// Parameters of every request, such as `{temperature: 0, max-tokens: 600}`, which is the default.
        "parameters" => parameters: Parameters,
        /// How often each pair is asked, an odd number up to 9; 1 by default. Of several the median counts, and what has
        /// no majority is an abstention.
        "samples" => samples: Samples,
        /// Ask how sure the model is, too; false by default.
        "confidence" => confidence: bool,
        /// The file of its judgments, which is committed; `rankgate judge` writes it.
        "judgments" => judgments: PathTemplate,
        /// Which documents it grades.
        "grade" => grade: RawGrade,
        /// The file of the drawn queries and people's grades of them; `rankgate sample` writes it.
        "humans" => humans: PathTemplate,
        /// The file of nuggets that metrics such as `NuggetAll` count, beside those of the collection's queries; `rankgate nuggets`
        /// proposes them, and people edit the file.
        "nuggets" => nuggets: PathTemplate,
        /// The largest share of pairs without a grade with which a gate is decided; 0.02 by default.
        "abstain-at-most" => abstain_at_most: Share,
        /// How long the service or program may take for an answer, such as `2m`; 5 minutes by default.
        "timeout" => timeout: Duration,
        /// What `rankgate judge` may spend; it stops before that.
        "budget" => budget: RawBudget,
    }
    rules: [
        Rule::ExactlyOne(&["model", "judges"]),
        Rule::Required("judgments"),
        Rule::Beside { key: "vote", one_of: &["judges"], because: "one model has no vote" },
    ]
}

mapping! {
    /// What the model is shown of a document.
    pub(super) struct RawDocuments as "`documents`" {
        /// `title`, `text` or metadata keys, in the order in which they are shown; title and text by default.
        "fields" => fields: OneOrMany<String>,
        /// The most characters that are shown; 6000 by default.
        "longest" => longest: Count<10_000_000>,
        /// What becomes of a longer one: `error` (default), `head` or `head-tail`.
        "longer" => longer: Longer,
    }
    rules: []
}

mapping! {
    /// Which documents the model grades.
    pub(super) struct RawGrade as "`grade`" {
        /// `holes` (default): those that people did not judge; `all`: all of them.
        "what" => what: Graded,
        /// How far down any configuration's ranking; 10 by default. No gate on judgments looks deeper.
        "depth" => depth: Count<1_000_000>,
    }
    rules: []
}

mapping! {
    /// Prompts about answers.
    pub(super) struct RawPrompts as "`prompts`" {
        /// Which claims a text makes: a file with `{text}` in it, and perhaps `{query}`.
        "claims" => claims: InputFile,
        /// Which of these claims contexts support: `{claims}` and `{contexts}`.
        "support" => support: InputFile,
        /// Which of these nuggets: `{claims}` and `{contexts}`.
        "nuggets" => nuggets: InputFile,
        /// Whether a cited document says what these sentences say: `{claims}` and `{contexts}`, which is the document.
        "citations" => citations: InputFile,
        /// Which nuggets a good answer has: `{query}` and `{contexts}`, which are documents that people judged relevant.
        "nugget-creation" => nugget_creation: InputFile,
        /// How well an answer is one: `{query}` and `{document}`, which is the answer.
        "answer-relevance" => answer_relevance: InputFile,
    }
    rules: []
}

mapping! {
    /// What asking may cost.
    pub(super) struct RawBudget as "a budget" {
        /// The most requests.
        "requests" => requests: Count<100_000_000>,
        /// The most money, in the currency of the prices.
        "cost" => cost: Amount,
        /// What a million tokens cost.
        "prices" => prices: RawPrices,
    }
    rules: [
        Rule::AtLeastOne(&["requests", "cost"]),
        Rule::Beside { key: "cost", one_of: &["prices"], because: "without prices the cost is unknown" },
    ]
}

mapping! {
    /// What a million tokens cost.
    pub(super) struct RawPrices as "`prices`" {
        /// Read by the model.
        "in" => input: Amount,
        /// Written by it.
        "out" => output: Amount,
    }
    rules: [Rule::Required("in"), Rule::Required("out")]
}

/// A model that grades documents, checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgePlan {
    /// Its server; without one, it is asked through files.
    pub endpoint: Option<Template>,
    /// In place of a service: a program with its arguments, and the folder that it runs in.
    pub command: Option<(Vec<Template>, PathTemplate)>,
    /// The key of the service.
    pub api_key: Option<Template>,
    /// The model as the service calls it; of a jury the names of its members, with ` + ` between.
    pub model: String,
    /// Where a jury judges, its members, two to nine, and how they come to a grade.
    pub jury: Option<(Vec<String>, Vote)>,
    /// Its prompt.
    pub prompt: PromptSource,
    /// Its prompts about answers, by the name of the question, where they are not the built-in ones.
    pub prompts: BTreeMap<&'static str, PathTemplate>,
    /// Prompts that stand in no file, by the name of the question or criterion: what the prompt is called, and its text. They
    /// stand before all others.
    #[doc(hidden)] // for rankgate alone
    pub prompt_texts: BTreeMap<String, [String; 2]>,
    /// What else answers are graded by.
    pub criteria: Vec<Criterion>,
    /// The form of an answer.
    pub reply: Reply,
    /// `title`, `text` or metadata keys, in the order in which they are shown; at least one.
    pub fields: Vec<String>,
    /// The most characters that are shown of a document.
    pub longest: usize,
    /// What becomes of a longer one.
    pub longer: Longer,
    /// Parameters of every request, by name.
    pub parameters: BTreeMap<String, Json>,
    /// How often each pair is asked; odd.
    pub samples: u32,
    /// Whether its answers include a confidence.
    pub confidence: bool,
    /// The file of its judgments.
    pub judgments: PathTemplate,
    /// Which documents it grades.
    pub graded: Graded,
    /// How far down any ranking.
    pub depth: usize,
    /// The file of the drawn queries and people's grades.
    pub humans: Option<PathTemplate>,
    /// The file of nuggets that a model proposes and people edit.
    pub nuggets: Option<PathTemplate>,
    /// The largest share of pairs without a grade with which a gate is decided, from 0 to 1.
    pub abstain_at_most: f64,
    /// How long it may take for an answer.
    pub timeout: Duration,
    /// The line of the spec that says so; `None` where none does.
    pub timeout_line: Option<usize>,
    /// What asking may cost.
    pub budget: Option<Budget>,
}

/// What asking may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Budget {
    /// The most requests.
    pub requests: Option<usize>,
    /// The most money, in the currency of the prices.
    pub cost: Option<f64>,
    /// What a million tokens cost: read, and written.
    pub prices: Option<[f64; 2]>,
}

/// A model's prompt.
#[derive(Clone, Debug)]
pub enum PromptSource {
    /// The prompt that is built in, for the relevance of a document.
    Relevance,
    /// A file with `{query}` and `{document}` in it.
    File(PathTemplate),
}

impl RawJudge {
    /// The plan; `None` where something in it could not be read, which has been reported.
    pub(super) fn check(self, reader: &mut Reader<'_>) -> Option<JudgePlan> {
        let documents = match self.documents {
            Field::Given(given) => Some(given.value),
            Field::Absent => None,
            Field::Broken => return None,
        };
        let (fields, longest, longer) = match documents {
            Some(raw) => (raw.fields.into_value(), raw.longest.into_value(), raw.longer.into_value()),
            None => (None, None, None),
        };
        let (graded, depth) = match self.grade.into_value() {
            Some(raw) => (raw.what.into_value(), raw.depth.into_value()),
            None => (None, None),
        };
        if let (Some(judgments), Some(humans)) = (self.judgments.field_value(), self.humans.field_value())
            && judgments.value == humans.value
        {
            let problem = Problem::new(humans.at, "people's grades and the model's have a file each");
            reader.report(problem.related(judgments.at, "the model's"));
        }
        if let Some(nuggets) = self.nuggets.field_value()
            && [&self.judgments, &self.humans]
                .iter()
                .any(|file| file.field_value().is_some_and(|file| file.value == nuggets.value))
        {
            reader
                .report(Problem::new(nuggets.at, "nuggets, judgments and people's grades have a file each"));
        }
        let budget = self.budget.into_value().map(|raw| Budget {
            requests: raw.requests.into_value().map(|count| count.0),
            cost: raw.cost.into_value().map(|amount| amount.0),
            prices: raw
                .prices
                .into_value()
                .and_then(|prices| Some([prices.input.into_value()?.0, prices.output.into_value()?.0])),
        });
        if let (Some(endpoint), Some(command)) = (self.endpoint.field_value(), self.command.field_value()) {
            let problem = Problem::new(command.at, "a judge is a service or a program, not both");
            reader.report(problem.related(endpoint.at, "the service"));
        }
        let prompts = self.prompts.into_value().map(|raw| {
            let all = [
                ("claims", raw.claims),
                ("support", raw.support),
                ("nuggets", raw.nuggets),
                ("citations", raw.citations),
                ("nugget-creation", raw.nugget_creation),
                ("answer-relevance", raw.answer_relevance),
            ];
            order::map(all.into_iter().filter_map(|(name, file)| Some((name, file.into_value()?.0))))
        });
        let criteria = match self.criteria {
            Field::Given(given) => given.value.into_criteria()?,
            Field::Absent => Vec::new(),
            Field::Broken => return None,
        };
        let jury = match self.judges {
            Field::Given(given) => Some((given.value.0, self.vote.into_value().unwrap_or_default())),
            Field::Absent => None,
            Field::Broken => return None,
        };
        let command = self.command.field_value().map(|command| command.at);
        let folder = command.map(|at| PathTemplate::folder_of_spec(reader, at));
        Some(JudgePlan {
            command: self.command.into_value().map(|command| command.0).zip(folder),
            endpoint: self.endpoint.into_value().map(|url| url.0),
            api_key: self.api_key.into_value().map(|key| key.0),
            model: match &jury {
                Some((members, _)) => members.join(" + "),
                None => self.model.into_value()?,
            },
            jury,
            prompt: self.prompt.into_value().unwrap_or(PromptSource::Relevance),
            prompts: prompts.unwrap_or_default(),
            prompt_texts: BTreeMap::new(),
            criteria,
            reply: self.reply.into_value().unwrap_or_default(),
            fields: fields.map_or_else(|| vec!["title".into(), "text".into()], OneOrMany::into_values),
            longest: longest.map_or(6000, |count| count.0),
            longer: longer.unwrap_or_default(),
            parameters: self.parameters.into_value().unwrap_or_default().0,
            samples: self.samples.into_value().map_or(1, |samples| samples.0),
            confidence: self.confidence.into_value().unwrap_or_default(),
            judgments: self.judgments.into_value()?,
            graded: graded.unwrap_or_default(),
            depth: depth.map_or(10, |count| count.0),
            humans: self.humans.into_value(),
            nuggets: self.nuggets.into_value(),
            abstain_at_most: self.abstain_at_most.into_value().map_or(0.02, |share| share.0),
            timeout_line: self.timeout.field_value().map(|timeout| reader.source.position(timeout.at).0),
            timeout: self.timeout.into_value().unwrap_or(TIMEOUT),
            budget,
        })
    }
}

impl JudgePlan {
    /// What its gates have to know of it.
    pub(super) fn to_known_judge(&self) -> KnownJudge {
        let criteria = self.criteria.iter().map(|criterion| criterion.name.clone()).collect();
        KnownJudge::Some { has_people: self.humans.is_some(), depth: self.depth, criteria }
    }

    /// A criterion by its name.
    #[must_use]
    pub fn criterion(&self, name: &str) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.name == name)
    }
}

impl FromNode for PromptSource {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let what = "`relevance`, or a file as in `{file: prompts/relevance.txt}`";
        if let Value::Map(entries) = &node.value {
            let [entry] = &entries[..] else { return reader.expected(node, what) };
            if &*entry.key.text != "file" {
                let problem = Problem::new(
                    entry.key.span,
                    format!("a prompt has the key `file`, not `{}`", entry.key.text),
                );
                reader.report(problem);
                return None;
            }
            return reader.read::<InputFile>(&entry.value).map(|file| Self::File(file.0));
        }
        match reader.text(node, what)? {
            "relevance" => Some(Self::Relevance),
            text => {
                let problem = Problem::new(node.span, format!("expected {what}, found `{text}`"));
                reader.report(problem);
                None
            }
        }
    }

    #[inline]
    fn schema() -> Json {
        json!({"oneOf": [
            {"const": "relevance"},
            {
                "type": "object",
                "properties": {"file": PathTemplate::schema()},
                "required": ["file"],
                "additionalProperties": false,
            },
        ]})
    }
}

/// A value that stands in the environment, never in a file.
pub(super) struct Secret(Template);

impl FromNode for Secret {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let template: Template = reader.read(node)?;
        if template.literal().is_some() {
            let problem = Problem::new(node.span, "a key does not stand in a spec");
            reader.report(problem.help("name the variable that holds it, as in `${JUDGE_KEY}`"));
            return None;
        }
        Some(Self(template))
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "string", "pattern": r"\$\{", "examples": ["${JUDGE_KEY}"]})
    }
}

/// Parameters of a request, as JSON.
pub(super) struct Parameters(BTreeMap<String, Json>);

impl Parameters {
    /// What the crate says itself.
    const OWN: [&'static str; 5] = ["model", "messages", "response-format", "stream", "n"];
}

impl Default for Parameters {
    fn default() -> Self {
        Self([("max-tokens".to_owned(), json!(600)), ("temperature".to_owned(), json!(0))].into())
    }
}

impl FromNode for Parameters {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return reader.expected(node, "a mapping, such as `{temperature: 0, max-tokens: 600}`");
        };
        let mut all = BTreeMap::new();
        for entry in entries.iter() {
            let name = entry.key.text.replace('_', "-");
            if Self::OWN.contains(&&*name) {
                let message = format!("`{}` is no parameter of its own here", entry.key.text);
                let problem = Problem::new(entry.key.span, message);
                reader.report(
                    problem.help("`model`, `prompt`, `reply` and `samples` of the judge say what is sent"),
                );
            } else if let Some(value) = plain(&entry.value, reader)
                && all.insert(name, value).is_some()
            {
                reader
                    .report(Problem::new(entry.key.span, format!("`{}` stands here twice", entry.key.text)));
            }
        }
        Some(Self(all))
    }

    #[inline]
    fn schema() -> Json {
        json!({
            "type": "object",
            "propertyNames": {"not": {"enum": ["model", "messages", "response-format", "response_format", "stream", "n"]}},
            "examples": [{"temperature": 0, "max-tokens": 600}],
        })
    }
}

/// A value as the JSON that a service reads.
fn plain(node: &Node, reader: &mut Reader<'_>) -> Option<Json> {
    Some(match &node.value {
        Value::Broken => return None,
        Value::List(items) => {
            items.iter().map(|item| plain(item, reader)).collect::<Option<Vec<_>>>()?.into()
        }
        Value::Map(entries) => {
            let entry =
                |entry: &crate::yaml::Entry| Some((entry.key.text.to_string(), plain(&entry.value, reader)?));
            Json::Object(entries.iter().map(entry).collect::<Option<Map<_, _>>>()?)
        }
        Value::Scalar(scalar) => match scalar.typed() {
            Typed::Null => Json::Null,
            Typed::Bool(value) => json!(value),
            Typed::Unsigned(value) => json!(value),
            Typed::Signed(value) => json!(value),
            Typed::Float(value) if value.is_finite() => json!(value),
            Typed::Float(_) => return reader.refuse(node.span, "JSON has no such number"),
            Typed::Text(text) => json!(text),
        },
    })
}

/// The models of a jury, each once.
pub(super) struct Jury(Vec<String>);

impl Jury {
    const SIZES: std::ops::RangeInclusive<usize> = 2..=9;
}

impl FromNode for Jury {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let members = reader.read::<OneOrMany<String>>(node)?.into_values();
        if !Self::SIZES.contains(&members.len()) {
            let problem =
                Problem::new(node.span, format!("a jury has 2 to 9 members, not {}", members.len()));
            reader.report(problem.help("one model stands under `model`"));
            return None;
        }
        Some(Self(members))
    }

    fn schema() -> Json {
        json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 9, "uniqueItems": true})
    }
}

/// How often each pair is asked.
pub(super) struct Samples(u32);

impl FromNode for Samples {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let count = reader.integer(node, 1, 9)?;
        if count % 2 == 0 {
            let problem = Problem::new(node.span, format!("{count} answers may have no majority"));
            reader.report(
                problem.help(format!("write `{}`: the median of an odd number is one of them", count + 1)),
            );
            return None;
        }
        u32::try_from(count).ok().map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"enum": [1, 3, 5, 7, 9]})
    }
}

/// A share from 0 to 1.
pub(super) struct Share(f64);

impl FromNode for Share {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        let share = reader.number(node, "a share from 0 to 1")?;
        if (0.0..=1.0).contains(&share) {
            return Some(Self(share));
        }
        reader.refuse(node.span, format!("a share is from 0 to 1, not {share}"))
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0, "maximum": 1})
    }
}

/// Money, above 0.
pub(super) struct Amount(f64);

impl FromNode for Amount {
    fn from_node(node: &Node, reader: &mut Reader<'_>) -> Option<Self> {
        non_negative(node, "an amount of money", reader).map(Self)
    }

    #[inline]
    fn schema() -> Json {
        json!({"type": "number", "minimum": 0})
    }
}
