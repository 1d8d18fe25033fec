//! Commands and outputs that pages show are those of the command.

use std::process::Command;

use super::shortened::is_shortened;
use super::*;
use crate::surroundings;

/// Commands of a page: those in blocks of `sh` and `console`, and those in the prose.
fn commands(page: &Page) -> Vec<String> {
    let mut commands = Vec::new();
    for block in page.blocks() {
        if ["sh", "console", "shell-session", "yaml", "text", "groovy"].contains(&block.language) {
            for line in block.text.lines() {
                let line = line.trim().trim_start_matches("$ ").trim_start_matches("- run: ");
                commands.push(line.split(" # ").next().unwrap().to_owned());
            }
        }
    }
    let prose = page.prose();
    commands.extend(prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " ")));
    commands.retain(|command| command.starts_with("rankgate "));
    commands
}

/// `rankgate` and its arguments, whatever they come to.
fn help(command: &[&str]) -> String {
    let mut asked = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let output = surroundings::leave(&mut asked).args(command).arg("--help").output().unwrap();
    assert!(output.status.success(), "rankgate has no command {command:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_and_option_that_is_named_is_there() {
    let mut all = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    let all = surroundings::leave(&mut all).arg("--help").output().unwrap();
    let all = String::from_utf8(all.stdout).unwrap();
    let (_, all) = all.split_once("Gates:\n").unwrap();
    let (all, _) = all.split_once("Options:\n").unwrap();
    let page = Page::read("docs/command.md").text;
    for command in all.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()) {
        let told =
            [format!("`rankgate {command}"), format!("`{command}`")].iter().any(|name| page.contains(name));
        assert!(told, "docs/command.md does not tell of {command}");
    }
    let mut known = BTreeMap::new();
    let mut named = 0;
    for page in pages() {
        for line in commands(&page) {
            let line = line.split(['|', ';', '>']).next().unwrap().to_owned();
            let mut words = line.split_whitespace().skip(1);
            let Some(command) = words.next() else { continue };
            if command.starts_with('-') || command == "..." || command.ends_with(',') {
                continue;
            }
            // `judge` has commands of its own.
            let below = words.clone().next().filter(|word| command == "judge" && !word.starts_with('-'));
            let asked: Vec<&str> = std::iter::once(command).chain(below).collect();
            let help = known.entry(asked.join(" ")).or_insert_with(|| help(&asked));
            for option in words.filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap().trim_end_matches([',', '.']);
                let there = help.split([' ', ',', '\n']).any(|word| word == option);
                assert!(there, "{}: `{line}`: rankgate {command} has no {option}", page.path);
                named += 1;
            }
        }
    }
    assert!(known.len() > 12 && named > 25, "{} commands, {named} options", known.len());
}

/// `examples/check.sh` compares what these examples show with what the command prints.
#[test]
fn what_a_judge_prints_is_what_the_examples_show() {
    let examples = ["judge", "rag"].map(|name| Page::read(&format!("examples/{name}/README.md")).text);
    for page in ["docs/judge.md", "docs/rag.md"].map(Page::read) {
        let blocks = page.in_language("shell-session");
        for line in blocks.iter().flat_map(|block| block.text.lines()).filter(|line| !line.starts_with("$ "))
        {
            let shown = |example: &String| example.lines().any(|one| one == line);
            assert!(examples.iter().any(shown), "{}: {line}", page.path);
        }
    }
}

#[test]
fn its_report_is_that_of_the_quickstart() {
    let page = Page::read("README.md");
    let shown = page
        .in_language("text")
        .into_iter()
        .find(|block| block.text.starts_with("helpdesk: 8 passed"))
        .unwrap();
    let report = crate::quickstart::report(&here("examples/quickstart"), 1.2).unwrap();
    is_shortened("README.md", &shown.text, &rankgate::report::text(&report));
}

#[test]
fn the_change_that_the_quickstart_proposes_breaks_its_gates() {
    use rankgate::benchmark::model::Verdict;

    let source = fs::read_to_string(here("examples/quickstart/src/main.rs")).unwrap();
    let (line, value) = ("const K1: f64 = 1.2;", "0.0");
    let proposed = format!("Change `{line}` in examples/quickstart/src/main.rs to {value}");
    let next = crate::quickstart::NEXT;
    assert!(source.contains(&format!("\n{line}\n")) && next.contains(&proposed), "{next}");
    let changed = crate::quickstart::report(&here("examples/quickstart"), value.parse().unwrap()).unwrap();
    let broken: Vec<&str> = changed
        .gates
        .iter()
        .filter(|gate| gate.verdict != Verdict::Passed)
        .map(|gate| gate.name.trim_start_matches("helpdesk::"))
        .collect();
    assert_eq!(broken, ["endings::nDCG@10", "trigrams::nDCG@10", "trigrams-vs-words::nDCG@10"]);
    assert!(next.contains("three gates break"), "{next}");
}

#[test]
fn its_failure_is_that_of_the_stemmer_it_names() {
    let spec = fs::read_to_string(here("examples/helpdesk.yaml")).unwrap();
    let mut changed = spec.clone();
    for (old, new) in [
        ("stemmer: english", "stemmer: german".to_owned()),
        ("beir: data/helpdesk", format!("beir: '{}'", here("examples/data/helpdesk").display())),
        ("golden: ../golden", format!("golden: '{}'", here("golden").display())),
    ] {
        assert_eq!(changed.matches(old).count(), 1, "{old}");
        changed = changed.replace(old, &new);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("helpdesk.yaml");
    fs::write(&path, changed).unwrap();
    let registry = rankgate::benchmark::Registry::new();
    let report = rankgate::benchmark::Benchmark::open(path, &registry).unwrap().run();
    let gate = "helpdesk::stemmed-vs-golden::nDCG@10";
    let gate = report.gates.iter().find(|one| one.name == gate).unwrap();
    // All but what to do next, which names files.
    let told = |text: &str| {
        let steps = ["  judge the unjudged documents:", "  accept the new report"];
        let end = steps.iter().filter_map(|step| text.find(step)).min().unwrap();
        text[..end].trim_end().to_owned()
    };
    for page in ["README.md", "docs/comparisons.md"] {
        let page = Page::read(page);
        let shown = page
            .in_language("text")
            .into_iter()
            .find(|block| block.text.starts_with("helpdesk: stemmed has"));
        is_shortened(
            &page.path,
            &told(&shown.unwrap().text),
            &told(&rankgate::report::message(&report, gate)),
        );
    }
}

/// The action's steps as its runner would run them: a value for each input, files for what a step tells.
#[test]
fn the_action_does_what_its_steps_say() {
    let action = fs::read_to_string(here("action.yml")).unwrap();
    let folder = clone();
    let at = |name: &str| folder.path().join(name);
    let spec = "version: 1\nbenchmark: search\ncollection: {beir: ../examples/data/helpdesk}\nconfigurations:\n  today: \
                {run: ../golden/helpdesk/words.run}\nmetrics: [nDCG@10]\nthresholds:\n  - {metric: nDCG@10, min: 0.50}\n  \
                - {metric: nDCG@10, min: 0.70, name: goal}\n";
    fs::create_dir(at("benchmarks")).unwrap();
    fs::write(at("benchmarks/search.yaml"), spec).unwrap();
    let steps: Vec<String> = action
        .split("      run: |\n")
        .skip(1)
        .map(|rest| {
            rest.lines().map_while(|line| line.strip_prefix("        ")).collect::<Vec<_>>().join("\n")
        })
        .collect();
    assert_eq!(steps.len(), 2);
    // An input's value is its default unless the workflow gives one.
    let default = |input: &str| {
        let (_, rest) = action.split_once(&format!("\n  {input}:\n")).unwrap();
        let (_, rest) = rest.split_once("default: ").unwrap();
        rest.lines().next().unwrap().trim_matches('"').to_owned()
    };
    let binary = Path::new(env!("CARGO_BIN_EXE_rankgate")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    for (filter, expected) in
        [(default("filter"), 1), ("today::nDCG@10".to_owned(), 1), ("nothing".to_owned(), 2)]
    {
        for name in ["output", "summary", "path"] {
            fs::write(at(name), "").unwrap();
        }
        for (number, step) in steps.iter().enumerate() {
            let mut shell = Command::new("bash");
            let shell = surroundings::leave(&mut shell).args([
                "--noprofile",
                "--norc",
                "-eo",
                "pipefail",
                "-c",
                step,
            ]);
            for (variable, input) in [
                ("COMMAND", "command"),
                ("ARGUMENTS", "arguments"),
                ("SPECS", "specs"),
                ("JUNIT", "junit"),
                ("OUTPUT", "output"),
            ] {
                shell.env(variable, default(input));
            }
            let shell =
                shell.env("FILTER", &filter).env("SOURCE", here("")).env("RUNNER_TEMP", folder.path());
            let shell = shell.env("GITHUB_OUTPUT", at("output")).env("GITHUB_PATH", at("path"));
            let shell = shell.env("GITHUB_STEP_SUMMARY", at("summary")).env("GITHUB_ACTIONS", "true");
            let shell = shell.env("GITHUB_WORKSPACE", folder.path()).env("PATH", &path);
            let ran = shell.current_dir(folder.path()).output().unwrap();
            let said = String::from_utf8_lossy(&ran.stdout).into_owned();
            let wanted = if number == 0 { 0 } else { expected };
            assert_eq!(ran.status.code(), Some(wanted), "{said}{}", String::from_utf8_lossy(&ran.stderr));
            if (number, expected) == (1, 1) {
                let said = format!("{said}{}", String::from_utf8_lossy(&ran.stderr));
                assert!(said.contains("::error file=benchmarks/search.yaml,line=9"), "{said}");
            }
        }
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        assert_eq!(read("path"), "", "the command was there");
        assert_eq!(read("output"), "junit=rankgate-junit.xml\nreports=target/rankgate\n");
        if expected == 1 {
            assert!(read("summary").contains("today"), "{}", read("summary"));
            assert!(read("rankgate-junit.xml").contains("<testsuites"));
            assert!(at("target/rankgate/search/report.html").is_file());
        }
    }
}
