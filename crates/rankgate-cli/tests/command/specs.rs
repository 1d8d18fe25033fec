//! The command on specs, as a shell sees it: standard output, standard error, exit status.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::toy_spec::{Folder, SPEC, run};
use insta::assert_snapshot;

#[test]
fn a_claim_that_counts_no_unseen_query_says_so_wherever_its_gate_is_listed() {
    let folder = Folder::with_spec(false).judged();
    folder.write("old.run", &run(|_| false));
    let spec = |more: &str| SPEC.replace("metrics: [RR@2]}", "metrics: [RR@2], expect: improvement}") + more;
    let words = "decided by one test alone";
    folder.write(
        "toy.yaml",
        spec("statistics: {robustness: none}\n")
            .replace("- {metric: RR@2, min: 0.60}", "- {metric: RR@2, min: 0.40}")
            .as_str(),
    );
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    let listed = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(listed.contains(words), "{}", ran.stdout);
    let report = folder.rankgate(&["report", "--format", "markdown"]).ends_with(0).stdout;
    assert!(report.contains(words), "{report}");
    folder.write("toy.yaml", &spec(""));
    let ran = folder.rankgate(&["run", "toy.yaml"]);
    assert!(!ran.all().contains(words), "{}", ran.all());
}

#[test]
fn messages_for_programs_are_objects_on_a_line_and_name_their_spec() {
    let folder = Folder::with_spec(false).judged();
    folder.write("broken.yaml", "version: 1\nbenchmark: broken\nmetrics: [RR@2]\n");
    let ran = folder.rankgate(&["run", "toy.yaml", "broken.yaml", "--message-format", "json"]).ends_with(2);
    let messages: Vec<serde_json::Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [report, error] = &messages[..] else { panic!("{}", ran.all()) };
    let page = "target/rankgate/toy/report.html";
    let text = format!("toy: full report: {page}");
    assert_eq!(
        *report,
        serde_json::json!({"kind": "report", "text": text, "benchmark": "toy", "page": page})
    );
    assert_eq!([&error["kind"], &error["spec"]], ["error", "broken.yaml"]);
    let told = folder.rankgate(&["run", "toy.yaml", "broken.yaml"]).ends_with(2);
    // Nothing else is said, and in the same order.
    assert_eq!(told.stderr, format!("{text}\nerror: {}\n", error["text"].as_str().unwrap()));
    let github = [("GITHUB_ACTIONS", "true")];
    let arguments = ["run", "broken.yaml", "--message-format", "json"];
    let ran = folder.rankgate_with(&arguments, &github).ends_with(2);
    let annotation: serde_json::Value =
        serde_json::from_str(ran.stderr.lines().next_back().unwrap()).unwrap();
    assert_eq!(annotation["kind"], "annotation");
    assert!(annotation["text"].as_str().unwrap().starts_with("::error file="), "{annotation}");
}

#[test]
fn a_spec_that_holds_passes() {
    let folder = Folder::with_spec(false).judged();
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert_snapshot!(ran.all());
}

#[test]
fn a_gate_that_fails_is_exit_1_and_says_what_broke() {
    let folder = Folder::with_spec(true).judged();
    assert_snapshot!(folder.rankgate(&["run", "toy.yaml", "-q"]).ends_with(1).all());
}

#[test]
fn asking_to_bless_as_cargo_test_is_asked_says_that_nothing_is_blessed_here() {
    let folder = Folder::with_spec(false).judged();
    let ran = folder.rankgate_with(&["run", "toy.yaml"], &[("RANKGATE_BLESS", "1")]).ends_with(0);
    assert!(ran.stderr.contains("nothing is blessed here; `rankgate bless` does"), "{}", ran.stderr);
}

#[test]
fn formats_are_those_of_the_report_files() {
    let folder = Folder::with_spec(true).judged();
    let arguments = ["run", "toy.yaml", "--output", "out", "--format"];
    let json = folder.rankgate(&[&arguments[..], &["json"]].concat()).ends_with(1);
    assert_eq!(json.stdout, folder.read("out/toy/report.json"));
    let markdown = folder.rankgate(&[&arguments[..], &["markdown"]].concat()).ends_with(1);
    let again = folder.rankgate(&["report", "out/toy/report.json", "--format", "markdown"]).ends_with(1);
    assert_eq!(markdown.stdout, again.stdout);
    assert!(!folder.path("target").exists());
}

#[test]
fn several_reports_are_lines_of_json_and_each_gate_has_its_message() {
    let folder = Folder::with_spec(true).judged();
    let one = folder.rankgate(&["run", "toy.yaml", "--format", "json"]).ends_with(1).stdout;
    let report: serde_json::Value = serde_json::from_str(&one).unwrap();
    assert!(one.starts_with("{\n  \"schema\": 2,\n"), "{one}");
    let text = folder.rankgate(&["run", "toy.yaml"]).stdout;
    let failed = report["gates"].as_array().unwrap().iter().find(|gate| gate["verdict"] == "failed").unwrap();
    let message = failed["message"].as_str().unwrap();
    let headline = message.lines().next().unwrap();
    assert!(
        headline.starts_with("toy: ") && text.contains(headline.trim_start_matches("toy: ")),
        "{message}"
    );
    assert!(
        report["gates"]
            .as_array()
            .unwrap()
            .iter()
            .all(|gate| gate["message"].as_str().is_some_and(|said| !said.is_empty()))
    );
    folder.write("other.yaml", &SPEC.replace("benchmark: toy", "benchmark: other"));
    let lines = folder.rankgate(&["run", "toy.yaml", "other.yaml", "--format", "json"]).ends_with(1).stdout;
    let names = |text: &str| -> Vec<String> {
        let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        text.lines().map(|line| read(line)["benchmark"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&lines), ["toy", "other"]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(lines.lines().next().unwrap()).unwrap()["gates"],
        report["gates"]
    );
    // The reports that were written are printed alike; and a spec that is broken changes no shape.
    assert_eq!(names(&folder.rankgate(&["report", "--format", "json"]).stdout), ["other", "toy"]);
    folder.write("other.yaml", "version: 1\n");
    assert_eq!(
        names(&folder.rankgate(&["run", "toy.yaml", "other.yaml", "--format", "json"]).stdout),
        ["toy"]
    );
}

#[test]
fn a_broken_spec_shows_all_its_errors_and_the_others_run() {
    let folder = Folder::with_spec(false).judged();
    folder.write("specs/bad.yaml", "version: 1\nbenchmark: bad\nmetrics: [nDGC@10]\nthresholds: []\n");
    let ran = folder.rankgate(&["run", "specs", "toy.yaml", "missing.yaml", "-q"]).ends_with(2);
    assert!(ran.stdout.starts_with("toy: 3 passed\n"), "{}", ran.all());
    assert_snapshot!(ran.stderr);
    folder.write("empty/readme", "");
    let ran = folder.rankgate(&["run", "empty"]).ends_with(2);
    assert_eq!(ran.stderr, "error: empty: no spec here: no .yaml file, so nothing would be tested\n");
    // A failed gate is the graver thing to say.
    folder.write("new.run", &run(|_| false));
    folder.rankgate(&["run", "specs", "toy.yaml"]).ends_with(1);
}

#[test]
fn what_keeps_a_gate_from_being_decided_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.write("new.run", "q01 Q0 r 1 nan x\n");
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "new::"]).ends_with(2);
    assert!(
        ran.stdout.contains("new.run:1: the score of document `r` for query `q01` is NaN"),
        "{}",
        ran.all()
    );
    // The gate on the other configuration is decided all the same.
    folder.rankgate(&["run", "toy.yaml", "--filter", "toy::old::"]).ends_with(0);
}

#[test]
fn a_command_starts_beside_a_spec_that_is_named_without_a_folder() {
    let folder = Folder::with_spec(false).judged();
    // It is found in PATH, and gone before it answers: what matters is that it was started.
    folder.write("toy.yaml", &SPEC.replacen("{run: new.run}", "{command: [cargo, --version]}", 1));
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "toy::new::"]).ends_with(2);
    assert!(ran.stdout.contains("cargo "), "{}", ran.all());
    assert!(!ran.stdout.contains("cannot start"), "{}", ran.all());
}

#[test]
fn retrievers_from_rust_are_refused_by_name_and_line() {
    let folder = Folder::with_spec(false).judged();
    let rust = "  mine: {retriever: mine}\n  other: {retriever: other, params: {alpha: 1}}\nmetrics";
    folder.write("toy.yaml", &SPEC.replacen("metrics", rust, 1));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert_snapshot!(ran.all());
    folder.rankgate(&["run", "toy.yaml", "--filter", "old::", "--filter", "new-vs-old"]).ends_with(0);
}

/// A typo beside a name that is there would leave gates undecided, and look like a pass.
#[test]
fn each_filter_names_some_gate_or_nothing_is_decided() {
    let folder = Folder::with_spec(false).judged();
    for command in ["run", "bless"] {
        let ran = folder
            .rankgate(&[command, "toy.yaml", "--filter", "old::", "--filter", "nwe-vs-old"])
            .ends_with(2);
        assert_eq!(ran.stdout, "");
        assert_eq!(
            ran.stderr,
            "error: no gate has `nwe-vs-old` in its name, which --filter asks for: nothing was decided; `rankgate run --list` \
             shows their names\n"
        );
    }
    assert!(!folder.path("golden").exists());
}

#[test]
fn a_selection_of_nothing_is_no_success() {
    let folder = Folder::with_spec(false).judged();
    let ran = folder.rankgate(&["run", "toy.yaml", "--filter", "nothing"]).ends_with(2);
    assert_eq!(
        ran.stderr,
        "error: no gate was decided: none has `nothing` in its name; `rankgate run --list` shows their names\n"
    );
}

#[test]
fn a_name_that_is_taken_and_a_file_named_twice() {
    let folder = Folder::with_spec(false).judged();
    folder.write("twin.yaml", SPEC);
    let ran = folder.rankgate(&["run", "-q", "toy.yaml", "./toy.yaml", "twin.yaml"]).ends_with(2);
    assert_eq!(ran.stderr, "error: twin.yaml: toy.yaml already has a benchmark of this name\n");
    assert_eq!(ran.stdout.matches("\ntoy: 3 passed").count(), 1, "{}", ran.all());
}

#[test]
fn arguments_that_make_no_sense_are_exit_2() {
    let folder = Folder::new();
    for arguments in [&["run"][..], &["run", "x.yaml", "--format", "xml"], &["bless"], &["init", "nowhere"]] {
        let ran = folder.rankgate(arguments).ends_with(2);
        assert!(ran.stderr.starts_with("error: ") && ran.stdout.is_empty(), "{}", ran.all());
    }
}

#[test]
fn reports_go_to_the_target_folder_of_the_crate_that_the_command_is_typed_in() {
    let folder = Folder::with_spec(false).judged();
    folder.write("target/CACHEDIR.TAG", "");
    folder.write("Cargo.toml", "[package]\n");
    folder.write("deep/er/readme", "");
    folder.rankgate_in("deep/er", &["run", "../../toy.yaml"], &[]).ends_with(0);
    assert!(folder.path("target/rankgate/toy/report.json").is_file());
    let ran = folder.rankgate_in("deep/er", &["report"], &[]).ends_with(0);
    assert!(ran.stdout.starts_with("toy: 3 passed\n"), "{}", ran.all());
    let elsewhere = folder.path("elsewhere");
    let variables = [("CARGO_TARGET_DIR", elsewhere.to_str().unwrap())];
    folder.rankgate_with(&["run", "toy.yaml"], &variables).ends_with(0);
    assert!(elsewhere.join("rankgate/toy/report.json").is_file());
}

#[test]
fn the_target_folder_of_somebody_else_is_left_alone_and_the_folder_is_said() {
    let folder = Folder::new();
    folder.write("target/CACHEDIR.TAG", "");
    folder.write("Cargo.toml", "[package]\n");
    for (place, mark, written) in [
        // A repository of its own below somebody's crate, and without any crate.
        ("repo/benchmarks", "repo/.git/HEAD", "target/rankgate"),
        // A crate in a workspace, which has the target folder.
        ("all/one/benchmarks", "all/one/Cargo.toml", "../../target/rankgate"),
        // A workspace of its own.
        ("own/benchmarks", "own/Cargo.toml", "../target/rankgate"),
    ] {
        folder.write(mark, if mark.starts_with("own") { "[workspace]\n" } else { "[package]\n" });
        folder.write("all/Cargo.toml", "[workspace]\nmembers = [\"one\"]\n");
        let toy = Folder::with_spec(false).judged();
        for file in ["toy.yaml", "old.run", "new.run", "topics.tsv", "qrels.txt"] {
            folder.write(&format!("{place}/{file}"), &toy.read(file));
        }
        let ran = folder.rankgate_in(place, &["run", "toy.yaml"], &[]).ends_with(0);
        let page = folder.path(&format!("{place}/{written}/toy/report.html"));
        assert!(page.is_file(), "{}", ran.all());
        let said = format!("toy: full report: {written}/toy/report.html\n");
        assert!(ran.stderr.ends_with(&said), "{}", ran.all());
    }
    assert!(!folder.path("target/rankgate").exists());
}

#[test]
fn junit_is_xml_that_others_read() {
    let folder = Folder::with_spec(true).judged();
    folder.write(
        "topics.tsv",
        &folder.read("topics.tsv").replace("question 3", "a < b & \"c\" \u{1b}[2J ]]> \u{fffe}"),
    );
    folder.write("bad.yaml", "version: 1\nbenchmark: \"<\\u0001&\"\n");
    folder.rankgate(&["run", "toy.yaml", "bad.yaml", "--junit", "out.xml"]).ends_with(1);
    let xml = folder.read("out.xml");
    assert!(xml.contains("<testsuites name=\"rankgate\" tests=\"4\" failures=\"1\" errors=\"1\">"), "{xml}");
    let program = "import sys, xml.etree.ElementTree as E\n\
        for case in E.parse(sys.argv[1]).iter('testcase'):\n\
        \x20   print(case.get('classname'), case.get('name'), case.get('line'), [part.tag for part in case])";
    let python =
        Command::new("python3").args(["-c", program, "out.xml"]).current_dir(folder.0.path()).output();
    let Ok(python) = python else {
        eprintln!("SKIPPED: there is no python3 here to read the XML with");
        return;
    };
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
    assert_eq!(
        String::from_utf8(python.stdout).unwrap().replace('\r', ""),
        "toy old::RR@2 9 []\ntoy new::RR@2 9 []\ntoy new-vs-old::RR@2 11 ['failure']\nbad.yaml spec 1 ['error']\n"
    );
}

#[test]
fn a_file_that_cannot_be_written_is_exit_2() {
    let folder = Folder::with_spec(false).judged();
    folder.write("file", "");
    let ran = folder.rankgate(&["run", "-q", "toy.yaml", "--junit", "file/out.xml"]).ends_with(2);
    assert!(ran.stderr.starts_with("error: cannot make folder file: "), "{}", ran.all());
    folder.rankgate(&["run", "toy.yaml", "--junit", "made/here/out.xml"]).ends_with(0);
    assert!(folder.read("made/here/out.xml").contains("<testsuites"));
    let ran = folder.rankgate(&["run", "toy.yaml", "--output", "file"]).ends_with(2);
    assert!(ran.stderr.starts_with("error: cannot make folder file/toy: "), "{}", ran.all());
}

#[test]
fn github_gets_annotations_and_a_summary_and_data_commands_nothing() {
    let folder = Folder::with_spec(true).judged();
    folder.write("repo/search/marker", "");
    folder.write("bad.yaml", "version: 1\n::error::x: 1\n");
    let summary = folder.path("summary.md");
    let root = folder.0.path().canonicalize().unwrap();
    let variables = [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
        ("GITHUB_WORKSPACE", root.parent().unwrap().to_str().unwrap()),
    ];
    let ran = folder.rankgate_with(&["run", "-q", "toy.yaml", "bad.yaml"], &variables).ends_with(1);
    let name = root.file_name().unwrap().to_str().unwrap();
    let commands: Vec<&str> = ran.stderr.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    assert_eq!(commands.len(), 2, "{}", ran.all());
    let spec = format!("::error file={name}/bad.yaml,line=1,title=this spec was not run::");
    assert!(commands[0].starts_with(&spec), "{}", commands[0]);
    let gate = format!(
        "::error file={name}/toy.yaml,line=11,title=toy%3A%3Anew-vs-old%3A%3ARR@2 FAILED::toy: new has"
    );
    assert!(commands[1].starts_with(&gate), "{}", commands[1]);
    assert!(!ran.stdout.contains("::error"), "{}", ran.stdout);
    let summary = folder.read("summary.md");
    assert!(summary.starts_with("## toy: 2 passed, 1 failed\n"), "{summary}");
}

#[test]
fn init_writes_a_spec_that_runs_and_overwrites_nothing() {
    let folder = Folder::new();
    let ran = folder.rankgate(&["init"]).ends_with(0);
    assert_snapshot!(ran.all());
    let ran = folder.rankgate(&["run", "benchmarks/first.yaml", "--filter", "first::before::"]).ends_with(0);
    assert!(ran.stdout.starts_with("first: 1 passed\n"), "{}", ran.all());

    let attributes = folder.read("golden/.gitattributes");
    assert!(attributes.contains("\n*.run linguist-generated\n"), "{attributes}");
    assert!(folder.read("golden/.gitignore").contains("\n*.snap.new\n"));

    folder.write("other/golden/.gitattributes", "mine");
    let ran = folder.rankgate(&["init", "other"]).ends_with(0);
    assert!(
        ran.stderr.contains("\nkept   other/golden/.gitattributes\nwrote  other/golden/.gitignore\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(folder.read("other/golden/.gitattributes"), "mine");

    folder.write("crate/Cargo.toml", "");
    folder.write("crate/tests/retrieval.rs", "mine");
    let ran = folder.rankgate(&["init", "crate"]).ends_with(2);
    assert_eq!(
        ran.stderr,
        "error: nothing was written: these files are there already\n  crate/tests/retrieval.rs\n"
    );
    assert_eq!(folder.read("crate/tests/retrieval.rs"), "mine");
    assert!(!folder.path("crate/benchmarks").exists());
}

#[test]
fn init_writes_what_fits_whoever_answers() {
    let passes = |folder: &Folder, gates: &str, variables: &[(&str, &str)]| {
        folder.rankgate_with(&["bless", "benchmarks/first.yaml"], variables).ends_with(0);
        let ran = folder.rankgate_with(&["run", "benchmarks/first.yaml"], variables).ends_with(0);
        assert!(ran.stdout.starts_with(&format!("first: {gates} passed\n")), "{}", ran.all());
        assert!(ran.stdout.contains("0.9525"), "the same words find the same documents: {}", ran.all());
        // A template that nobody touched has nothing to warn of.
        assert!(!ran.all().contains("warning"), "{}", ran.all());
    };
    for (kind, file, gates) in [("--python", "search.py", "6"), ("--runs", "runs/words.run", "5")] {
        let folder = Folder::new();
        let ran = folder.rankgate(&["init", kind]).ends_with(0);
        let next = "\n\nAccept today's rankings once:     rankgate bless benchmarks/first.yaml\n\
                    After every change of the search: rankgate run benchmarks/first.yaml\n";
        assert!(ran.stderr.ends_with(next) && ran.stdout.is_empty(), "{}", ran.all());
        assert!(folder.path("benchmarks").join(file).is_file() && !folder.path("tests").exists());
        passes(&folder, gates, &[]);
    }
    let folder = Folder::new();
    let ran = folder.rankgate(&["init", "--http"]).ends_with(0);
    assert!(ran.stderr.contains("\nIn another shell: python3 benchmarks/server.py\n"), "{}", ran.all());
    let mut server = Command::new("python3");
    server.args(["benchmarks/server.py", "0"]).current_dir(folder.path(".")).stdout(Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("SEARCH_URL=").unwrap();
    passes(&folder, "6", &[("SEARCH_URL", address)]);
    server.kill().unwrap();
    server.wait().unwrap();
    let both = Folder::new().rankgate(&["init", "--http", "--runs"]).ends_with(2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.all());
}

#[test]
fn a_spec_without_a_gate_is_measured_and_says_that_it_cannot_fail() {
    let folder = Folder::with_spec(false).judged();
    let spec = SPEC.split("thresholds").next().unwrap();
    folder.write("toy.yaml", spec);
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    for part in [
        "warning: there is no gate, so nothing can fail; add `thresholds`, `comparisons`,\n",
        "`thresholds: [{metric: RR@2, min: 0.5}]`\n",
        "RR@2      1.0000",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.all());
    }
    // What it suggests is a gate.
    folder.write("toy.yaml", &format!("{spec}thresholds: [{{metric: RR@2, min: 0.5}}]\n"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(0);
    assert!(ran.stdout.starts_with("toy: 2 passed\n"), "{}", ran.all());
    // What could not be measured is no success, nor is what cannot be.
    folder.write("toy.yaml", &spec.replace("new.run", "gone.run"));
    folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    folder.write("toy.yaml", &spec.replace("{run: new.run}", "{retriever: mine}"));
    let ran = folder.rankgate(&["run", "toy.yaml"]).ends_with(2);
    assert!(
        ran.stderr.starts_with("error: toy.yaml: cannot run `mine`")
            || ran.stderr.contains("cannot run `new` (line 6)"),
        "{}",
        ran.all()
    );
    // Where something is selected, there is nothing to select.
    folder.write("toy.yaml", spec);
    folder.rankgate(&["run", "toy.yaml", "--filter", "new::"]).ends_with(2);
}
