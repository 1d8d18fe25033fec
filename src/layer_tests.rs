//! Which module may know which: those above know those below, and never the other way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// From the ground up; modules of one line do not know each other. Each crate knows nothing of those behind it.
const CRATES: &[(&str, &str, &[&[&str]])] = &[
    ("crates/rankgate-core/src", "lib.rs", CORE),
    ("crates/rankgate-exact/src", "lib.rs", EXACT),
    ("crates/rankgate-report/src", "lib.rs", REPORT),
    ("crates/rankgate-history/src", "lib.rs", HISTORY),
    ("src", "lib.rs", ROOT),
    ("crates/rankgate-offline/src", "lib.rs", OFFLINE),
    ("crates/rankgate-fetch/src", "lib.rs", FETCH),
    ("crates/rankgate-judge/src", "lib.rs", JUDGE),
    ("crates/rankgate-health/src", "lib.rs", HEALTH),
    ("crates/rankgate-cli/src", "main.rs", COMMAND),
    ("crates/rankgate-serve/src", "lib.rs", SERVE),
];

/// The rooms inside of a room: its folder, how the paths of what is in it begin, and its layers.
const ROOMS: &[(&str, &str, &[&[&str]])] = &[
    ("crates/rankgate-core/src/collection", "crate::collection", COLLECTION),
    ("crates/rankgate-report/src/report", "crate::report", SHOWN),
    ("src/measure", "crate::measure", MEASURE),
    ("crates/rankgate-core/src/columnar", "crate::columnar", COLUMNAR),
    ("crates/rankgate-report/src/gate", "crate::gate", GATE),
    ("crates/rankgate-report/src/analysis", "crate::analysis", ANALYSIS),
    ("crates/rankgate-history/src/report", "crate::report", SHOWN_HISTORY),
    ("crates/rankgate-health/src/checks", "crate::checks", CHECKS),
    ("crates/rankgate-serve/src/store", "crate::store", STORE),
    ("crates/rankgate-serve/src/history", "crate::history", SERVED_HISTORY),
    ("crates/rankgate-serve/src/api", "crate::api", API),
    ("crates/rankgate-serve/src/pages", "crate::pages", PAGES),
    ("src/transport", "crate::transport", TRANSPORT),
    ("src/mapping", "crate::mapping", MAPPING),
    ("src/catalogue", "crate::catalogue", CATALOGUE),
    ("src/spec", "crate::spec", SPEC),
    ("src/judge", "crate::judge", JUDGMENTS),
    ("src/harness", "crate::harness", HARNESS),
    ("src/suite", "crate::suite", SUITE),
    ("src/benchmark", "crate::benchmark", BENCHMARK),
    ("src/golden", "crate::golden", GOLDEN),
    ("src/retriever", "crate::retriever", RETRIEVER),
    ("crates/rankgate-core/src/input", "crate::input", INPUT),
    ("crates/rankgate-core/src/run", "crate::run", RUN),
    ("crates/rankgate-core/src/stats", "crate::stats", STATS),
    ("crates/rankgate-core/src/yaml", "crate::yaml", YAML),
    ("crates/rankgate-core/src/error", "crate::error", ERROR),
    ("crates/rankgate-report/src/evaluation", "crate::evaluation", EVALUATION),
    ("crates/rankgate-report/src/model", "crate::model", MODEL),
    ("crates/rankgate-offline/src/report", "crate::report", SHOWN_OFFLINE),
];

const CORE: &[&[&str]] = &[
    &["base64", "order", "panic", "shingles", "shown", "utc"],
    &["error"],
    &["json"],
    &["threads", "words"],
    &["input"],
    &["yaml", "stats", "metric"],
    &["content_hash", "output", "passage", "places", "units"],
    &["columnar"],
    &["collection", "run"],
    &["fusion", "neighbours"],
];

/// Exact search among vectors.
const EXACT: &[&[&str]] =
    &[&["data", "distance", "product", "top"], &["format"], &["vectors"], &["ids", "search"]];

/// The rooms inside of what holds queries, judgments and documents.
const COLLECTION: &[&[&str]] = &[
    &["judged_text", "judgments", "subtopics", "turn"],
    &["earlier_turns"],
    &["query"],
    &["document"],
    &["qrels"],
    &["answerable", "judgment_line", "line_format", "parquet", "qrels_format", "qrels_parts", "turns"],
    &["record"],
    &["beir", "new_judgments", "trec"],
    &["line_formats"],
    &["corpus"],
    &["check", "document_texts", "evidence", "fields", "ids"],
    &["parts"],
    &["collection"],
    &["beir_folder", "builder", "json", "span_files", "trec_files"],
    &["qrels_reader"],
    &["collection_files"],
    &["source", "variant"],
    &["merge"],
];

/// The rooms inside of what reads lines and texts.
const INPUT: &[&[&str]] = &[
    &["ahead", "compression", "memory", "open", "parts", "table_columns"],
    &["foreign", "tables"],
    &["source"],
    &["lines", "replay"],
    &["entries"],
];

/// The rooms inside of rankings and their files.
const RUN: &[&[&str]] = &[
    &["documents", "entry", "golden_form", "hit", "ids", "order", "overlap", "row"],
    &["golden_digest", "ranking", "reader", "rising"],
    &["answer", "run"],
    &["blocks", "rows"],
    &["documents_of_chunks"],
    &["golden_lines", "json", "parquet", "trec"],
    &["golden_older"],
    &["golden"],
    &["reading", "writer"],
    &["files"],
];

/// The rooms inside of what tests and estimates.
const STATS: &[&[&str]] = &[
    &[
        "bounds",
        "confidence",
        "correction",
        "direction",
        "distribution",
        "interval",
        "stream",
        "sum",
        "warning",
    ],
    &["agreement", "corrected", "extremes", "fixed", "power", "quantile", "rank_correlation", "strata"],
    &["calibrated", "differences"],
    &["expectation", "permutation", "student", "unseen"],
    &["bootstrap", "compared_pair", "family", "latency", "mean_interval", "settings", "several"],
    &["basis", "tukey"],
    &["decision", "pairs"],
    &["builds", "planning", "rule"],
    &["comparison"],
];

/// The rooms inside of YAML as a tree.
const YAML: &[&[&str]] = &[&["source", "suggest"], &["node", "problem"], &["de", "parse"], &["params"]];

/// The rooms inside of errors.
const ERROR: &[&[&str]] = &[&["detour", "quoted"], &["kind"], &["problem"]];

/// The rooms inside of what reads and writes columns.
const COLUMNAR: &[&[&str]] = &[
    &["columns", "ids", "numbers", "pages", "partitions", "write"],
    &["scan", "stream"],
    &["lists", "scores", "sort"],
];

const REPORT: &[&[&str]] =
    &[&["gate"], &["model"], &["evaluation"], &["analysis", "golden"], &["report"], &["assertion"]];

/// The room of a module. The folders of kinds hold data, which is of the model; their messages are looked at by themselves.
fn room(module: &str) -> &str {
    if module == "findings" { "model" } else { module }
}

/// The files in the folder of a kind of gate that are of the rooms which they serve; `mod.rs` is of the list of kinds.
const FILES_OF_A_GATE: &[(&str, &str)] =
    &[("keys", "spec"), ("decide", "benchmark"), ("family", "benchmark"), ("pairs", "benchmark")];

/// The room of a file, by its path below the folder of the crate.
fn room_of_file(path: &Path) -> &str {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let module = |part| str::strip_suffix(part, ".rs").unwrap_or(part);
    match parts[..] {
        ["gates", _, file] => room_in_a_gate(module(file)).unwrap_or("gates"),
        [first, ..] => room(module(first)),
        [] => "",
    }
}

fn room_in_a_gate(file: &str) -> Option<&'static str> {
    FILES_OF_A_GATE.iter().find(|(name, _)| *name == file).map(|(_, room)| *room)
}

/// The rooms of the files in folders of kinds that a file names, from anywhere or from beside them.
fn known_in_gates(text: &str, is_in_gates: bool) -> BTreeSet<String> {
    let text = code(text);
    let mut rooms = BTreeSet::new();
    for beginning in ["crate::gates::", "super::"] {
        for (at, _) in text.match_indices(beginning).filter(|_| beginning != "super::" || is_in_gates) {
            let is_path = |c: char| c.is_alphanumeric() || "_:{}, \n".contains(c);
            let path = text[at + beginning.len()..].split(|c| !is_path(c)).next().unwrap_or_default();
            let names = path.split(|c: char| !c.is_alphanumeric() && c != '_');
            rooms.extend(names.filter_map(room_in_a_gate).map(str::to_owned));
        }
    }
    rooms
}

/// Whether a file is the message of a kind, which is of what shows a report.
fn is_message_of_a_kind(path: &Path) -> bool {
    path.ends_with("message.rs") && path.components().any(|part| part.as_os_str() == "findings")
}

/// The rooms inside of what may be demanded.
const GATE: &[&[&str]] = &[&["evidence", "judge", "terms", "verdict"], &["limit", "plan"], &["name"]];

/// The rooms inside of what evaluations show.
const ANALYSIS: &[&[&str]] = &[
    &[
        "assumed",
        "cannot_fail",
        "claims",
        "curves",
        "deterministic",
        "golden",
        "judged",
        "judges",
        "missing_relevant",
        "movers",
        "variant",
        "whole_lists",
    ],
    &["calibrated", "every_query", "judged_scores", "pair", "rankings"],
    &["evidence", "likeness", "list_changes", "lists", "pairs", "stages", "unjudged"],
    &["compared_files", "corrected", "foreign_documents"],
    &["measured", "question"],
    &["suite", "threshold"],
];

/// The rooms inside of typed results.
const MODEL: &[&[&str]] = &[
    &["answer_times", "document_move", "evidence", "failure", "history", "list_changes", "lists", "pairs"],
    &["stages", "variant", "verdicts"],
    &["answers", "caution", "gate", "measured"],
    &["blessing", "corrected", "movers", "suite"],
];

/// The rooms inside of the scores of one configuration.
const EVALUATION: &[&[&str]] = &[
    &["cluster", "estimate", "floor", "judging", "pass_rankings", "passages", "segment", "several", "truth"],
    &["definitions", "hold", "passes", "variants"],
    &["by_metadata", "comparable", "held", "refusals", "unanswerable", "usage"],
    &["scores"],
];

/// The rooms inside of what shows a report.
const SHOWN: &[&[&str]] = &[
    &["broken", "lookup", "palette", "schemas", "typography", "width"],
    &["clean"],
    &["page", "markup", "side"],
    &["polarity"],
    &["number", "verdict"],
    &["painter", "suite", "snapshot"],
    &["phrases"],
    &["golden_files", "message", "overlaps", "pairs", "plot", "stages", "variants"],
    &["annotation", "csv", "dashboard", "html", "json", "junit", "markdown", "summary", "text"],
    &["comment", "label"],
];

const HISTORY: &[&[&str]] = &[
    &["commit", "loss"],
    &["measured", "spending"],
    &["best", "content", "varying"],
    &["reference", "timeline"],
    &["assembly", "rescore", "stored", "tell"],
    &["report", "schemas"],
];

/// The rooms inside of what shows a history.
const SHOWN_HISTORY: &[&[&str]] = &[
    &["alarm_state", "frame"],
    &["configurations", "trend"],
    &["alarm_list", "sections"],
    &["page"],
    &["site"],
];

const ROOT: &[&[&str]] = &[
    &["git"],
    &["ci", "commit", "exit", "progress", "workspace"],
    &["cache", "optimization", "url"],
    &["transport"],
    &["mapping", "retriever", "service"],
    &["catalogue", "gates"],
    &["gate"],
    &["judge"],
    &["spec", "golden", "rag"],
    &["measure"],
    &["benchmark"],
    &["suite"],
    &["session"],
    &["github", "standalone"],
    &["harness"],
];

/// The rooms inside of what is read and asked once.
const MEASURE: &[&[&str]] = &[
    &["context", "registry", "evaluate"],
    &[
        "budgets",
        "connect",
        "corpus",
        "floor",
        "golden_files",
        "hit_metadata",
        "masked_ids",
        "quiet",
        "stages",
        "tokenizer",
        "units",
        "variants",
    ],
    &["services"],
    &["ask", "judged"],
    &["neighbours"],
    &["scoring"],
    &["golden"],
    &["recorded"],
    &["measurement", "latency"],
    &["answers", "second_build"],
    &["refusals"],
    &["record"],
];

/// The rooms inside of specs.
const SPEC: &[&[&str]] = &[
    &["evidence", "inline", "names", "other_file", "scalar", "segment", "template"],
    &["spans", "stages", "units"],
    &[
        "attributes",
        "body",
        "collection",
        "command",
        "criteria",
        "history",
        "judged",
        "neighbours",
        "statistics",
    ],
    &["http"],
    &["answerer", "fusion", "judge"],
    &["sweep"],
    &["configuration"],
    &["gates", "variants"],
    &["raw"],
    &["depth"],
    &["spec"],
    &["check"],
    &["load"],
    &["suite"],
];

/// The rooms inside of what models and people say of documents.
const JUDGMENTS: &[&[&str]] = &[
    &["claim", "strata"],
    &["answer", "item", "nugget_creation"],
    &["lines"],
    &["file", "glance"],
    &["claims", "criterion", "description", "nuggets", "sample"],
    &["humans", "request"],
    &["completion", "pair"],
    &["batch", "label", "unasked"],
];

/// The rooms inside of the test runner.
const HARNESS: &[&[&str]] = &[
    &["arguments", "builder", "insta_settings", "own_main", "times"],
    &["env", "no_match"],
    &["log"],
    &["tune"],
    &["runner"],
];

/// The rooms inside of several benchmarks with one verdict.
const SUITE: &[&[&str]] = &[&["compare"], &["decide"], &["report"]];

/// The rooms inside of a spec carried out.
const BENCHMARK: &[&[&str]] = &[&["decide"], &["benchmark"], &["inspection", "member", "report"], &["past"]];

/// The rooms inside of blessed files.
const GOLDEN: &[&[&str]] = &[&["diff", "origin", "place"], &["bless"], &["run", "snapshot"]];

/// The rooms inside of whatever answers queries.
const RETRIEVER: &[&[&str]] = &[
    &["in_line", "limit", "response", "wait", "wire"],
    &["said"],
    &["answer", "retrieve"],
    &["ask", "bm25", "command", "http", "release", "setup"],
    &["exact", "time"],
    &["builtin"],
];

/// The rooms inside of how anyone is asked.
const TRANSPORT: &[&[&str]] = &[&["bodies", "decoded"], &["secrets"], &["http", "program"]];

/// The rooms inside of what reads mappings with known keys.
const MAPPING: &[&[&str]] = &[&["registry"], &["read"], &["keys"]];

/// The rooms inside of benchmarks by name.
const CATALOGUE: &[&[&str]] = &[&["entries", "place"]];

const OFFLINE: &[&[&str]] = &[
    &["baseline", "by_metric", "comparison", "leaderboard", "names", "order_cautions", "passages", "seal"],
    &["kernel", "scores"],
    &["scoring", "explaining", "planning", "comparing"],
    &["suite_planning"],
    &["table"],
    &["lines"],
    &["stream", "table_columns"],
    &["pieces", "table_files"],
    &["of_scores"],
    &["report", "schemas"],
];

/// The rooms inside of what shows runs that exist already.
const SHOWN_OFFLINE: &[&[&str]] = &[
    &["csv", "explanation", "json", "latex", "leaderboard", "plan", "remarks", "scores", "trec_eval"],
    &["details", "suite_plan"],
    &["of_scores", "overview"],
    &["page"],
];

const FETCH: &[&[&str]] = &[&["checksum", "content", "staging", "unpack"], &["download"], &["downloads"]];

const JUDGE: &[&[&str]] = &[
    &["agreement", "holes", "judge", "probe", "regression"],
    &["error_sources", "jury", "swap"],
    &["ask", "check"],
    &["assessment", "schemas", "text"],
];

const HEALTH: &[&[&str]] = &[
    &["halves", "model"],
    &["checks", "floor", "tune"],
    &["pool", "reanchor", "text"],
    &["lint", "schemas", "synthesize"],
];

/// The rooms inside of what a collection is checked by.
const CHECKS: &[&[&str]] = &[
    &["dates"],
    &["copied", "languages", "likeness", "queries", "spans"],
    &["documents"],
    &["identical", "judgments", "repeats", "shared"],
];

/// The command knows those before it as their users do.
const COMMAND: &[&[&str]] = &[
    &["beir"],
    &["env", "exit", "git", "inputs", "past", "plots", "shell", "words"],
    &["terminal", "server", "expected"],
    &["format", "progress", "results"],
    &["specs"],
    &["habits", "selection"],
    &["gates"],
    &["command"],
];

const SERVE: &[&[&str]] = &[
    &["budget", "clock", "hash", "limits", "log"],
    &["connections", "random", "store"],
    &["column", "problem"],
    &["audit", "difference", "gzip", "names", "whole", "work"],
    &["contents", "trail"],
    &["records"],
    &["history", "hook", "oidc", "retention"],
    &["app"],
    &["access"],
    &["body"],
    &["compute"],
    &["api"],
    &["maintenance", "notify", "pages"],
    &["server"],
];

/// The rooms inside of the server's database.
const STORE: &[&[&str]] =
    &[&["session"], &["address", "migrations", "sqlite", "writer"], &["copy", "postgres"]];

/// The rooms inside of the histories that a server tells.
const SERVED_HISTORY: &[&[&str]] =
    &[&["line", "place", "scoring"], &["explanation", "measured", "p_values"], &["cache"]];

/// The rooms inside of what a server answers.
const API: &[&[&str]] = &[
    &["benchmarks", "blobs", "commits", "health", "labels", "openapi", "plain", "projects", "trends"],
    &["alarms", "evaluate", "reports"],
    &["compare", "rescore"],
];

/// The rooms inside of what a server shows in a browser.
const PAGES: &[&[&str]] = &[&["forms", "projects", "reports"], &["alarms", "entry", "labels"], &["trend"]];

/// What the command takes of the library beside the public interface: its option `--show-bodies`, the check of
/// RANKGATE_THREADS, and the one place that starts git.
const HIDDEN_FOR_THE_COMMAND: [&str; 3] =
    ["__private::show_bodies", "__private::threads_told", "git::{Git, Limits, RawEntry}"];

/// What a file says to the compiler: without comments, and without its tests, which stand at the end and may know
/// everything.
fn code(text: &str) -> String {
    let ends = ["\n#[cfg(test)]\nmod tests", "\n#[cfg(all(test, unix))]\nmod tests"];
    let text = ends.iter().fold(text, |text, end| text.split(end).next().unwrap_or_default());
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names behind a path's beginning, such as `crate::`, one or a group in braces.
fn names_behind(text: &str, beginning: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices(beginning) {
        if text[..at].ends_with(':') {
            continue;
        }
        let rest = &text[at + beginning.len()..];
        let group = rest.strip_prefix('{').and_then(|rest| Some(rest.split_once('}')?.0));
        for name in group.unwrap_or(rest).split(',').take(if group.is_some() { usize::MAX } else { 1 }) {
            let name: String = name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.insert(name);
        }
    }
    names
}

/// The blocks `impl Type {` of a file, lifetimes aside: the type and what stands in it. One that implements a trait is none.
fn inherent_blocks(text: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    for block in text.split("\nimpl").skip(1) {
        let Some((head, body)) = block.split_once("{\n") else { continue };
        let head = head.strip_prefix("<'a>").unwrap_or(head).trim();
        let name = head.split('<').next().unwrap_or_default();
        if name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            blocks.push((name, body.split("\n}").next().unwrap_or_default()));
        }
    }
    blocks
}

/// The names of the methods in a block.
fn methods(body: &str) -> impl Iterator<Item = &str> {
    let lines = body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    lines.filter_map(|line| {
        let (before, name) = line.split_once("fn ")?;
        let is_word = |word: &str| word.starts_with("pub") || word.ends_with(')') || word == "const";
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
        before.split_whitespace().all(is_word).then_some(&name[..end])
    })
}

/// The names of the methods that a text calls on `self`.
fn calls_on_self(text: &str) -> BTreeSet<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let called = |(at, _): (usize, &str)| {
        let rest = text[at + "self".len()..].trim_start().strip_prefix('.')?;
        let end = rest.find(|c: char| !is_word(c))?;
        let is_call = rest[end..].starts_with('(') || rest[end..].starts_with("::<");
        (is_call && !text[..at].ends_with(is_word)).then_some(&rest[..end])
    };
    text.match_indices("self").filter_map(called).collect()
}

/// The module from which the root of a room lends a name, in a line that begins so.
fn lender(root: &str, beginning: &str, name: &str) -> Option<String> {
    let line = root.split(beginning).skip(1).find(|line| {
        let names = line.split(';').next().unwrap_or_default();
        names.split(|c: char| !c.is_alphanumeric() && c != '_').any(|one| one == name)
    });
    Some(line?.split_once("::")?.0.to_owned())
}

/// The modules that a file of a crate names, those of the names that the crate's root lends it included.
fn known_in(text: &str, root: &str) -> BTreeSet<String> {
    let lent = |name: String| {
        let lender = |beginning| lender(root, beginning, &name);
        lender("pub use crate::").or_else(|| lender("\npub use ")).unwrap_or(name)
    };
    names_behind(&code(text), "crate::").into_iter().map(lent).collect()
}

fn files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let is_code = name.ends_with(".rs");
        // Reports that tests of renderings show.
        let is_sample = name.starts_with("sample") && folder.ends_with("rankgate-report/src/report");
        let for_tests = name.ends_with("tests.rs") || is_sample || name == "properties.rs";
        if path.is_dir() {
            files(&path, found);
        } else if is_code && !for_tests {
            found.push(path);
        }
    }
}

#[test]
fn knowledge_points_downwards() {
    for (source, root, layers) in CRATES {
        points_downwards(layers, source, root);
    }
}

#[test]
fn the_command_knows_what_its_users_could_know() {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/rankgate-cli/src"), &mut all);
    let mut hidden = BTreeSet::new();
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        for below in ["rankgate_core", "rankgate_report"] {
            assert!(!text.contains(below), "{} names {below}, which is no user's", path.display());
        }
        for rest in text.split("rankgate::").skip(1) {
            if rest.starts_with("__private") || rest.starts_with("git::") {
                let end = rest.find(['(', ';']).unwrap();
                hidden.insert(rest[..end].to_owned());
            }
        }
    }
    assert_eq!(hidden.iter().map(String::as_str).collect::<Vec<_>>(), HIDDEN_FOR_THE_COMMAND);
}

/// Of the crate in this folder, with the file of its root. A name that is none of its modules is one of a crate below.
fn points_downwards(layers: &[&[&str]], source: &str, root: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let root = fs::read_to_string(source.join(root)).unwrap();
    all_know_those_below(layers, &source, &["lib", "main", "fuzzing", "layer_tests"], |path, text| {
        let mut known = known_in(text, &root);
        known.extend(known_in_gates(text, path.starts_with("gates")));
        known
    });
}

/// Of every file in a folder: what it knows is of a layer below its own.
fn all_know_those_below(
    layers: &[&[&str]],
    folder: &Path,
    beside: &[&str],
    known: impl Fn(&Path, &str) -> BTreeSet<String>,
) {
    let level = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let mut wrong = Vec::new();
    let mut modules = BTreeSet::new();
    let mut all = Vec::new();
    files(folder, &mut all);
    let codes: Vec<String> = all.iter().map(|path| code(&fs::read_to_string(path).unwrap())).collect();
    // A type whose methods stand in several rooms joins them: who calls a method knows the room in which it stands.
    let mut homes: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in all.iter().zip(&codes) {
        let module = room_of_file(path.strip_prefix(folder).unwrap());
        for (name, body) in inherent_blocks(text) {
            methods(body).for_each(|method| _ = homes.entry((name, method)).or_default().insert(module));
        }
    }
    for (path, text) in all.iter().zip(&codes) {
        let below = path.strip_prefix(folder).unwrap();
        let module = room_of_file(below);
        if beside.contains(&module) || is_message_of_a_kind(path) {
            continue;
        }
        modules.insert(module.to_owned());
        let Some(own) = level(module) else { panic!("`{module}` is in no layer: put it into one") };
        let mut known = known(below, text);
        for (name, body) in inherent_blocks(text) {
            let homes = calls_on_self(body).into_iter().filter_map(|method| homes.get(&(name, method)));
            // Where it stands in this room as well, two types have one name.
            let elsewhere = homes.filter(|homes| !homes.contains(module)).flatten();
            known.extend(elsewhere.map(|&home| home.to_owned()));
        }
        for known in known {
            let known = room(&known);
            if known != module && level(known).is_some_and(|theirs| theirs >= own) {
                wrong.push(format!("{} knows {known}", path.display()));
            }
        }
    }
    assert_eq!(modules.len(), layers.iter().map(|layer| layer.len()).sum::<usize>(), "{modules:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Of the room in this folder, whose path begins so.
fn rooms_point_downwards(layers: &[&[&str]], folder: &str, beginning: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let root = fs::read_to_string(folder.join("mod.rs")).unwrap();
    all_know_those_below(layers, &folder, &["mod"], |path, text| {
        let text = code(text);
        let depth = path.components().count() - usize::from(path.ends_with("mod.rs"));
        let mut names = names_behind(&text, &format!("{beginning}::"));
        names.extend(names_behind(&text, &"super::".repeat(depth)));
        let lent = |name: String| {
            let lender = |beginning| lender(&root, beginning, &name);
            lender("use self::").or_else(|| lender("pub use ")).unwrap_or(name)
        };
        names.into_iter().map(lent).collect()
    });
}

#[test]
fn inside_of_rooms_knowledge_points_downwards() {
    for (folder, beginning, layers) in ROOMS {
        rooms_point_downwards(layers, folder, beginning);
    }
}

#[test]
fn the_message_of_a_kind_knows_what_puts_messages_together() {
    let findings = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/rankgate-report/src/findings");
    let mut kinds = Vec::new();
    files(&findings, &mut kinds);
    kinds.retain(|path| is_message_of_a_kind(path));
    assert!(!kinds.is_empty());
    let level = |room: &str| SHOWN.iter().position(|layer| layer.contains(&room));
    for path in kinds {
        for known in names_behind(&code(&fs::read_to_string(&path).unwrap()), "crate::report::") {
            let is_below = known == "message" || level(&known) < level("message");
            assert!(is_below, "{} knows {known}", path.display());
        }
    }
}

/// What a crate's manifest has of this workspace, in its tables of dependencies for users.
#[test]
fn the_report_rests_on_the_core_alone_without_features_and_history_on_both() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/rankgate-report");
    let manifest = fs::read_to_string(home.join("Cargo.toml")).unwrap();
    let table = |name: &str| {
        let (_, rest) = manifest.split_once(&format!("\n[{name}]\n")).unwrap();
        rest.split("\n[").next().unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let ours: Vec<String> =
        table("dependencies").into_iter().filter(|line| line.starts_with("rankgate")).collect();
    assert_eq!(ours, ["rankgate-core = { workspace = true }"]);
    let features: Vec<String> = table("features").into_iter().filter(|line| line.contains('=')).collect();
    assert_eq!(features.len(), 1, "{features:?}");
    assert!(features[0].starts_with("schemars = "), "{features:?}");
    let history = home.with_file_name("rankgate-history").join("Cargo.toml");
    let history = fs::read_to_string(history).unwrap();
    let (_, dependencies) = history.split_once("\n[dependencies]\n").unwrap();
    let dependencies = dependencies.split("\n[").next().unwrap();
    let ours: Vec<&str> = dependencies.lines().filter(|line| line.starts_with("rankgate")).collect();
    assert_eq!(ours, ["rankgate-core = { workspace = true }", "rankgate-report = { workspace = true }"]);
    let mut all = Vec::new();
    files(&home.join("src"), &mut all);
    for path in all {
        let text = fs::read_to_string(&path).unwrap();
        let other = text.split("feature = \"").skip(1).find(|rest| !rest.starts_with("schemars\""));
        assert!(other.is_none(), "{} depends on a feature", path.display());
    }
}
