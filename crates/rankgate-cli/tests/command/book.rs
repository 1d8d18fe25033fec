//! What the README and the book under docs/ say is so.

#![expect(clippy::unwrap_used, reason = "a test fails where a page is not as it should be")]

mod page;
#[cfg(unix)]
mod shortened;
#[cfg(unix)]
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use page::{Page, book, clone, copy, files, here, pages};
use rankgate::metric::{Definition, catalogue};
use rankgate::spec::{Registry, SPEC_SCHEMA, SUITE_SCHEMA, Spec};

const README: &str = include_str!("../../../../README.md");
const SPEC: &str = include_str!("../../../../docs/spec.md");

#[test]
fn the_readme_is_short() {
    assert!(README.lines().count() <= 120, "README.md has {} lines", README.lines().count());
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = Page::read("docs/SUMMARY.md");
    let listed: BTreeSet<String> =
        links(&summary.prose()).into_iter().map(|link| format!("docs/{link}")).collect();
    let there: BTreeSet<String> =
        book().into_iter().map(|page| page.path).filter(|path| path != "docs/SUMMARY.md").collect();
    assert_eq!(listed, there);
}

/// Where the links of a text lead.
fn links(text: &str) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

/// The names that headings can be linked by.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let name = |heading: &str| -> String {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    headings.map(name).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = pages();
    pages.extend(
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "benches/README.md", "fuzz/README.md"]
            .map(Page::read),
    );
    for entry in fs::read_dir(here("examples")).unwrap() {
        let path = format!("examples/{}/README.md", entry.unwrap().file_name().to_string_lossy());
        if here(&path).is_file() {
            pages.push(Page::read(&path));
        }
    }
    let mut followed = 0;
    let mut lost = Vec::new();
    for page in &pages {
        for link in links(&page.prose()) {
            if link.starts_with("https://") || link.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => here(&page.path),
                file => here(&page.path).parent().unwrap().join(file),
            };
            let has_anchor =
                || anchor.is_empty() || anchors(&fs::read_to_string(&target).unwrap()).contains(anchor);
            if !target.exists() || !has_anchor() {
                lost.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(followed > 150, "{followed} links");
}

/// The keys at the margin of a YAML block.
fn top_keys(yaml: &str) -> Vec<&str> {
    let lines = yaml.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    lines.filter_map(|line| Some(line.split_once(':')?.0)).collect()
}

/// A whole spec around a piece of one: what the piece does not say, and the configurations that it names.
fn completed(yaml: &str) -> String {
    let keys = top_keys(yaml);
    let mut spec = yaml.to_owned();
    let mut names = BTreeSet::new();
    for key in ["candidate: ", "baseline: ", "for: [", "candidate: ["] {
        for rest in yaml.split(key).skip(1) {
            let list = rest.split(['}', ']', '\n']).next().unwrap();
            let list = if key.ends_with('[') { list } else { list.split(',').next().unwrap() };
            let name = |name: &str| name.trim().to_owned();
            names.extend(list.split(',').map(name).filter(|name| name != "golden"));
        }
    }
    names.insert("mine".to_owned());
    let configurations: Vec<String> =
        names.into_iter().map(|name| format!("  {name}: {{retriever: {name}}}\n")).collect();
    // A gate, and no folder that a page only speaks of.
    let gates = ["thresholds", "comparisons", "latency", "snapshot"];
    if !keys.iter().any(|key| gates.contains(key)) {
        spec += "thresholds: [{metric: nDCG@10, min: 0.5}]\n";
    }
    for (key, rest) in [
        ("version", " 1\n".to_owned()),
        ("benchmark", " piece\n".to_owned()),
        ("collection", " {beir: data/helpdesk}\n".to_owned()),
        ("configurations", format!("\n{}", configurations.concat())),
        ("metrics", " [nDCG@10]\n".to_owned()),
    ] {
        if !keys.contains(&key) {
            spec += &format!("{key}:{rest}");
        }
    }
    spec
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_spec_parses_and_every_piece_of_one() {
    let mut registry = Registry::new();
    registry.any_retriever();
    let known: BTreeSet<String> =
        json(SPEC_SCHEMA)["properties"].as_object().unwrap().keys().cloned().collect();
    let (mut whole, mut pieces) = (0, 0);
    // What their paths are meant against: a folder beside the shipped collection.
    let folder = clone();
    let specs = folder.path().join("benchmarks");
    copy(&here("examples/data"), &specs.join("data"));
    fs::copy(here("golden/helpdesk/words.run"), specs.join("today.run")).unwrap();
    for file in [
        "answers/old.jsonl",
        "answers/new.jsonl",
        "prompts/answer.txt",
        "prompts/support.txt",
        "data/queries.jsonl",
        "data/qrels/test.tsv",
        "data/pages.jsonl",
        "data/typos.jsonl",
        "data/corpus.jsonl",
        "data/passages.jsonl",
        "data/sentences.jsonl",
        "runs/old-model.run",
        "runs/bm25-v1.2.run",
        "judged/model.jsonl",
        "judged/sample.jsonl",
    ] {
        fs::create_dir_all(specs.join(file).parent().unwrap()).unwrap();
        fs::write(specs.join(file), "").unwrap();
    }
    for page in pages() {
        for block in page.in_language("yaml") {
            let keys = top_keys(&block.text);
            if keys.contains(&"suite") || keys.is_empty() || !keys.iter().all(|key| known.contains(*key)) {
                continue;
            }
            let is_whole = keys.contains(&"version");
            let yaml = if is_whole { block.text.clone() } else { completed(&block.text) };
            let spec = Spec::parse(&specs.join("page.yaml"), &yaml, &registry);
            assert!(spec.is_ok(), "{}:{}\n{}", page.path, block.line, spec.unwrap_err());
            if is_whole { whole += 1 } else { pieces += 1 }
        }
    }
    assert!(whole >= 5 && pieces >= 5, "{whole} specs, {pieces} pieces");
}

/// Blocks of output which a test or a protocol's page vouches for, by page and first line.
const VOUCHED: [(&str, &str); 9] = [
    ("README.md", "helpdesk: 8 passed"), // its_report_is_that_of_the_quickstart
    ("README.md", "helpdesk: stemmed has regressed"), // its_failure_is_that_of_the_stemmer_it_names
    ("docs/comparisons.md", "helpdesk: stemmed has regressed"),
    ("docs/protocol.md", "> {\"rankgate\":1"), // tests/library/command_protocol.rs
    ("docs/service.md", "first at "), // a_report_is_pushed_with_its_line_branch_and_run_of_ci_and_alarms_end_with_1
    ("docs/judge.md", "{\"id\": \"5c0f...\", \"query\""), // a_program_of_ones_own_is_a_judge
    ("docs/getting-started.md", "running 4 tests"), // the_readmes_crate_passes_once_it_is_blessed
    ("docs/getting-started.md", "helpdesk: 4 passed"), // the same
    ("docs/python.md", "162 judged queries"), // test_the_pages_first_gates_are_whole
];

#[test]
fn every_output_that_is_shown_is_compared_somewhere() {
    let mut sources =
        files(&["crates/rankgate-cli/tests/command/snapshots", "tests/library/snapshots"], ".snap");
    for folder in ["examples", "src", "crates"] {
        sources.extend(below(&here(folder), |name| name == "README.md" || name.ends_with(".snap")));
    }
    let mut found = 0;
    let mut lost = Vec::new();
    for page in pages() {
        for block in page.in_language("text") {
            let lines = block.text.lines().map(str::trim).filter(|line| !matches!(*line, "" | "..."));
            let lines: Vec<&str> = lines.collect();
            let vouched =
                VOUCHED.iter().any(|&(path, first)| path == page.path && lines[0].starts_with(first));
            let missing = lines.iter().find(|line| !sources.iter().any(|(_, text)| text.contains(**line)));
            match missing {
                Some(line) if !vouched => lost.push(format!("{}:{}: {line}", page.path, block.line)),
                _ => found += 1,
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(found > 3, "{found} blocks");
}

/// Examples are run by a step of their own, which takes long: what moves with a line of a spec is seen here.
#[test]
fn the_gate_that_an_example_names_is_on_that_line() {
    let mut found = 0;
    for (readme, text) in below(&here("examples"), |name| name == "README.md") {
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("this gate:")) {
            let (path, number) = line.trim().rsplit_once(':').unwrap();
            let spec = fs::read_to_string(readme.parent().unwrap().join(path)).unwrap();
            let said = spec.lines().nth(number.parse::<usize>().unwrap() - 1).unwrap_or_default().trim();
            assert!(said.starts_with("- "), "{}: {line} is `{said}`", readme.display());
            found += 1;
        }
    }
    assert!(found > 6, "{found} gates");
}
/// The files of a folder and of those in it, and their texts; not what is built or data.
fn below(folder: &Path, wanted: impl Fn(&str) -> bool + Copy) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && name != "data" {
            found.extend(below(&path, wanted));
        } else if wanted(&name) {
            found.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

#[test]
fn every_variable_that_is_read_is_told() {
    let page = Page::read("docs/environment.md");
    let folders = ["src", "crates/rankgate-core/src", "crates/rankgate-cli/src"];
    let source = |name: &str| name.ends_with(".rs") && !name.ends_with("tests.rs");
    let sources = folders.iter().flat_map(|folder| below(&here(folder), source)).collect::<Vec<_>>();
    let mut variables = BTreeSet::new();
    for (_, text) in &sources {
        let text = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        for piece in text.split("\"RANKGATE_").skip(1) {
            let name = piece.split('"').next().unwrap();
            if name.chars().all(|c| c.is_ascii_uppercase() || c == '_') {
                variables.insert(format!("RANKGATE_{name}"));
            }
        }
    }
    variables.remove("RANKGATE_WRITE_SCHEMAS");
    assert!(variables.len() >= 6, "{variables:?}");
    let untold: Vec<_> = variables.iter().filter(|name| !page.text.contains(&format!("`{name}`"))).collect();
    assert!(untold.is_empty(), "docs/environment.md does not tell {untold:?}");
}

#[test]
fn all_rust_in_it_is_compiled() {
    let root = include_str!("../../../../src/lib.rs");
    for page in pages() {
        if page.blocks().iter().any(|block| block.language.starts_with("rust")) {
            let line = format!("include_str!(\"../{}\")", page.path);
            assert!(root.contains(&line), "src/lib.rs does not have {line}");
        }
    }
}

#[test]
fn editors_find_the_schema_of_every_spec() {
    let mut specs = Vec::new();
    for folder in ["examples", "crates/rankgate-cli/src/command/init/starter"] {
        let yaml = below(&here(folder), |name| name.ends_with(".yaml"));
        specs.extend(yaml.into_iter().filter(|(_, text)| text.contains("\nversion: 1")));
    }
    assert!(specs.len() > 15, "{specs:?}");
    for (path, text) in specs {
        let schema = text.lines().next().unwrap().strip_prefix("# yaml-language-server: $schema=");
        let schema = schema.unwrap_or_else(|| panic!("{} names no schema", path.display()));
        let kind = json(if top_keys(&text).contains(&"suite") { SUITE_SCHEMA } else { SPEC_SCHEMA });
        // `init` writes the schema beside the spec.
        if !path.ends_with("first.yaml") {
            let named = fs::read_to_string(path.parent().unwrap().join(schema)).unwrap();
            let named: serde_json::Value = serde_json::from_str(&named).unwrap();
            assert_eq!(named["title"], kind["title"], "{}", path.display());
        }
    }
}

#[test]
fn its_ten_lines_are_those_of_the_crate_that_the_spawned_tests_run() {
    let started = Page::read("docs/getting-started.md");
    let lines = started
        .in_language("rust,ignore")
        .into_iter()
        .find(|block| block.text.contains("harness!"))
        .unwrap()
        .text;
    let theirs = lines.replace("my_search::Mine", "fixture::Words").replace("\"mine\"", "\"words\"");
    let ours = include_str!("../../../../tests/fixture/tests/retrieval.rs");
    assert_eq!(theirs.trim_start_matches("// tests/retrieval.rs\n"), ours);
    assert!(ours.lines().count() <= 10);
}

#[test]
fn what_is_to_be_installed_is_there_to_be_installed() {
    // Until a registry has it, whoever copies a line that says so is left with an error.
    let examples = ["plain", "hybrid", "sqlite", "postgres", "python", "http", "refactoring", "suites"];
    let examples = examples.map(|name| format!("examples/{name}"));
    let mut folders: Vec<&str> = examples.iter().map(String::as_str).collect();
    folders.extend([".", "docs", "docs/howto", "crates/rankgate-cli/src/command/init"]);
    let texts = [".md", "Cargo.toml", "mod.rs"].map(|end| files(&folders, end)).concat();
    assert!(texts.len() > 15, "{} files", texts.len());
    for (path, text) in texts {
        for line in
            ["rankgate = \"", "rankgate = { version", "cargo install rankgate", "from crates.io instead"]
        {
            assert!(!text.contains(line), "{} says `{line}`", path.display());
        }
    }
}

#[test]
fn the_documentation_of_modules_holds_no_notes_for_maintainers() {
    let sources = files(
        &[
            "crates/rankgate-core/src/metric",
            "crates/rankgate-core/src/stats",
            "src/spec",
            "src/retriever",
            "src/benchmark",
        ],
        "mod.rs",
    );
    assert_eq!(sources.len(), 5);
    for (path, text) in sources {
        let note = text.lines().find(|line| line.starts_with("//! To add a"));
        assert_eq!(note, None, "{}", path.display());
    }
}

#[test]
fn its_table_of_metrics_is_the_catalogue() {
    let page = Page::read("docs/metrics.md");
    for definition in catalogue() {
        let row = row(definition);
        assert!(page.text.contains(&row), "docs/metrics.md lacks this row:\n{row}");
    }
}

fn row(definition: &Definition) -> String {
    let code =
        |names: Vec<String>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let patterns = code(definition.patterns().iter().map(|&pattern| pattern.to_owned()).collect());
    format!("| {patterns} | {} | {} |", code(definition.aliases()), definition.summary())
}

#[test]
fn the_page_of_the_spec_names_every_key() {
    let schema = json(SPEC_SCHEMA);
    let mut keys = Vec::new();
    collect(&schema, &mut keys);
    keys.sort();
    keys.dedup();
    assert!(keys.len() > 40, "{keys:?}");
    for key in keys {
        assert!(SPEC.contains(&key), "docs/spec.md does not mention the key `{key}`");
    }
}

fn collect(schema: &serde_json::Value, keys: &mut Vec<String>) {
    match schema {
        serde_json::Value::Object(object) => {
            if let Some(serde_json::Value::Object(properties)) = object.get("properties") {
                keys.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| collect(value, keys));
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, keys)),
        _ => {}
    }
}
