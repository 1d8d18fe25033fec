//! `rankgate tune` as a user types it: what it prints, what it counts, and how it ends.

use crate::toy_spec::Folder;
use insta::assert_snapshot;

const SPEC: &str = "version: 1
benchmark: toy
collection: {jsonl: queries.jsonl}
configurations:
  words:  {run: words.run}
  dense:  {run: dense.run}
  hybrid: {fuse: [words, dense], method: weighted, weights: [0.7, 0.3], sweep: {weights: {step: 0.1}}}
metrics: [RR@3]
thresholds:
  - {metric: RR@3, min: 0.1, for: [hybrid]}
";

/// Queries whose relevant document the words rank last and the vectors where `dense` says: it is at rank 1 where weights of both
/// favour the vectors.
fn folder(queries: usize, dense: fn(usize) -> bool) -> Folder {
    let folder = Folder::new();
    let (mut lines, mut words, mut vectors) = (String::new(), String::new(), String::new());
    for at in 0..queries {
        lines += &format!("{{\"id\": \"q{at:03}\", \"text\": \"ask {at}\", \"relevant\": [\"r\"]}}\n");
        words += &format!("q{at:03} Q0 x 1 10 w\nq{at:03} Q0 y 2 9 w\nq{at:03} Q0 r 3 8 w\n");
        let [first, last] = if dense(at) { ["r", "x"] } else { ["x", "r"] };
        vectors +=
            &format!("q{at:03} Q0 {first} 1 0.9 d\nq{at:03} Q0 z 2 0.5 d\nq{at:03} Q0 {last} 3 0.1 d\n");
    }
    folder.write("queries.jsonl", &lines);
    folder.write("words.run", &words);
    folder.write("dense.run", &vectors);
    folder.write("toy.yaml", SPEC);
    folder
}

fn looks(folder: &Folder) -> Vec<serde_json::Value> {
    let text = folder.read("golden/toy/looks.jsonl");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A program that reads a variable.
const ALPHA: &str = "command: [python3, x.py], env: {ALPHA: '1'}";

#[test]
fn a_gain_is_confirmed_and_shown_with_what_it_rests_on() {
    let folder = folder(120, |at| at % 3 != 0);
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    assert_snapshot!(ran.stdout);
    let json = folder.rankgate(&["--quiet", "tune", "toy.yaml", "--format", "json", "--page", "tune.html"]);
    let json = json.ends_with(0).stdout;
    let value = |text: &str| -> serde_json::Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}"))
    };
    let report = &value(&json)[0];
    // By hand: with more than half of the weight the vectors put r first where they rank it first, and x first elsewhere.
    assert_eq!((&report["dev"], &report["locked"], &report["asked"]), (&60.into(), &60.into(), &0.into()));
    assert_eq!(report["settings"].as_array().map(Vec::len), Some(11));
    let page = folder.read("tune.html");
    for expected in ["<svg", "weights [0.4, 0.6]", "may be the best", "look 1"] {
        assert!(page.contains(expected), "{expected}");
    }
}

#[test]
fn locked_half_is_counted() {
    let folder = folder(120, |at| at % 3 != 0);
    let spec = folder.read("toy.yaml");
    folder.rankgate(&["--quiet", "tune", "toy.yaml", "--no-look"]).ends_with(1);
    assert!(!folder.path("golden/toy/looks.jsonl").exists(), "nobody looked");
    folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    let first = looks(&folder);
    assert_eq!((first.len(), &first[0]["look"], &first[0]["shown"]), (1, &1.into(), &true.into()));
    assert!((first[0]["level"].as_f64().unwrap_or_default() - 0.025).abs() < 1e-12, "{first:?}");
    // The same scores are no second look.
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    assert!(ran.stdout.contains("this is no new look"), "{}", ran.stdout);
    assert_eq!(looks(&folder), first);
    // A line that says something else than its test is none.
    let text = folder.read("golden/toy/looks.jsonl");
    folder.write("golden/toy/looks.jsonl", &text.replace("\"queries\":60", "\"queries\":480"));
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(2);
    assert!(
        ran.stderr.contains("480 queries by the key `toy`: a gain is shown; the same scores say"),
        "{}",
        ran.stderr
    );
    // What was chosen is told apart where the same scores come of another setting.
    let key = format!("\"configuration\":{}", first[0]["configuration"]);
    folder.write("golden/toy/looks.jsonl", &text.replace(&key, "\"configuration\":\"gone\""));
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    let said = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("look 1 was written of gone with"), "{}", ran.stdout);
    folder.write("golden/toy/looks.jsonl", &text);
    // Others are, and are asked for half.
    folder.write("toy.yaml", &spec.replace("[0.7, 0.3], sweep", "[0.9, 0.1], sweep"));
    folder.rankgate(&["--quiet", "tune", "toy.yaml", "-m", "RR@1"]).ends_with(0);
    let second = looks(&folder);
    assert_eq!((second.len(), &second[1]["look"], &second[0]), (2, &2.into(), &first[0]));
    assert!((second[1]["level"].as_f64().unwrap_or_default() - 0.0125).abs() < 1e-12, "{second:?}");

    // A look that is taken out is missed.
    let lines = folder.read("golden/toy/looks.jsonl");
    let last = lines.lines().nth(1).unwrap_or_default().to_owned() + "\n";
    folder.write("golden/toy/looks.jsonl", &last);
    let ran = folder.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    assert!(
        ran.stderr.contains("line 1: look 2 where look 1 belongs: looks were taken out"),
        "{}",
        ran.stderr
    );
    folder.write("golden/toy/looks.jsonl", "{\"look\": \"one\"}\n");
    let ran = folder.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    assert!(ran.stderr.contains("looks.jsonl: line 1: "), "{}", ran.stderr);
    assert!(ran.stderr.contains(r#": `{"look": "one"}`"#), "{}", ran.stderr);
}

#[test]
fn processes_that_look_at_once_lose_no_look() {
    let folder = folder(120, |at| at % 3 != 0);
    let metrics = ["RR@1", "RR@2", "RR@3", "nDCG@1", "nDCG@2", "nDCG@3", "AP@2", "AP@3"];
    std::thread::scope(|scope| {
        for metric in metrics {
            let folder = &folder;
            scope.spawn(move || folder.rankgate(&["--quiet", "tune", "toy.yaml", "-m", metric]).ends_with(0));
        }
    });
    let looks = looks(&folder);
    let mut looked: Vec<&str> = looks.iter().filter_map(|look| look["metric"].as_str()).collect();
    looked.sort_unstable();
    let mut expected = metrics;
    expected.sort_unstable();
    assert_eq!(looked, expected);
}

#[cfg(unix)]
fn git_in(folder: &Folder, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    let git = git.args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(arguments);
    let done = git.current_dir(folder.path(".")).output();
    assert!(done.is_ok_and(|done| done.status.success()), "{arguments:?}");
}

#[cfg(unix)]
#[test]
fn a_look_that_was_committed_cannot_be_taken_back() {
    let folder = folder(120, |at| at % 3 != 0);
    let git = |arguments: &[&str]| git_in(&folder, arguments);
    git(&["init", "--quiet"]);
    folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    git(&["add", "golden"]);
    git(&["commit", "--quiet", "-m", "look"]);
    std::fs::remove_file(folder.path("golden/toy/looks.jsonl")).unwrap_or_else(|error| panic!("{error}"));
    let ran = folder.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    assert!(
        ran.stderr.contains("look 1 at `hybrid`, which was committed, is gone or changed"),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_look_that_a_commit_removed_is_missed() {
    let folder = folder(120, |at| at % 3 != 0);
    let git = |arguments: &[&str]| git_in(&folder, arguments);
    git(&["init", "--quiet"]);
    folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    git(&["add", "golden"]);
    git(&["commit", "--quiet", "-m", "look"]);
    git(&["rm", "--quiet", "golden/toy/looks.jsonl"]);
    git(&["commit", "--quiet", "-m", "never happened"]);
    let ran = folder.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    let said = "look 1 at `hybrid`, which was committed, is gone or changed";
    assert!(ran.stderr.contains(said) && ran.stderr.contains("git log --full-history"), "{}", ran.stderr);
    // Under another name nobody knows whether it was of these queries: it is said.
    let spec = folder.read("toy.yaml");
    for other in [spec.replace("benchmark: toy", "benchmark: new"), format!("{spec}golden: gold2\n")] {
        folder.write("toy.yaml", &other);
        let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml", "--no-look"]).ends_with(1);
        let text = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        let said =
            "`golden/toy/looks.jsonl` was committed with 1 look, and is gone: if they were at these queries";
        assert!(text.contains(said), "{text}");
    }
}

#[test]
fn a_look_is_not_believed_where_it_contradicts_itself_or_the_test() {
    let few = folder(120, |at| at % 40 == 7);
    few.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(1);
    let file = "golden/toy/looks.jsonl";
    let honest = few.read(file);
    let look = looks(&few)[0].clone();
    let edited = |changes: &[(&str, serde_json::Value)]| {
        let mut look = look.clone();
        for (key, value) in changes {
            look[*key] = value.clone();
        }
        few.write(file, &format!("{look}\n"));
        few.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(2).stderr
    };
    let said = edited(&[("shown", true.into()), ("p", 0.93.into())]);
    assert!(
        said.contains("line 1: look 1 says that a gain is shown, with p 0.93 at the level 0.025"),
        "{said}"
    );
    let said = edited(&[("level", 0.999.into())]);
    assert!(said.contains("look 1 says level 0.999, and with the confidence 0.95"), "{said}");
    // A line that agrees with itself, and not with the scores.
    let said = edited(&[("shown", true.into()), ("p", 0.001.into())]);
    assert!(
        said.contains(
            "p 0.001, 60 queries by the key `toy`: a gain is shown; the same scores say difference"
        ),
        "{said}"
    );
    few.write(file, &honest);
    few.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(1);
}

#[test]
fn what_is_no_gain_is_not_claimed() {
    // What stands today is the best.
    let best = folder(120, |_| false);
    let ran = best.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(0);
    assert!(ran.stdout.contains("no setting is better than today's on the choosing half"), "{}", ran.stdout);
    assert!(!best.path("golden/toy/looks.jsonl").exists());
    // Three queries of 120 gain.
    let few = folder(120, |at| at % 40 == 7);
    let ran = few.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(1);
    assert!(ran.stdout.contains("no gain is shown"), "{}", ran.stdout);
    assert_eq!(looks(&few)[0]["shown"], false);
}

#[test]
fn lint_finds_sweeps_that_nothing_confirms_and_fusions_of_short_rankings() {
    let said = |folder: &Folder| {
        let ran = folder.rankgate(&["--quiet", "lint", "toy.yaml"]).ends_with(0);
        ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (few, many) = (folder(59, |at| at % 3 != 0), folder(60, |at| at % 3 != 0));
    let expected = "a sweep that 59 queries cannot confirm: `rankgate tune` needs 60 (sweep-too-few-queries)";
    assert!(said(&few).contains(expected), "{}", said(&few));
    assert!(!said(&many).contains("sweep-too-few-queries"), "{}", said(&many));
    // Ten of each ranking are fused by default, and RR@3 looks at three.
    assert!(!said(&many).contains("fusion-of-short-rankings"), "{}", said(&many));
    many.write("toy.yaml", &SPEC.replace("sweep:", "depth: 3, sweep:"));
    assert!(said(&many).contains("hybrid fuses 3"), "{}", said(&many));
}

/// A program that ranks `r` first where the variable says so, and in one query of three whatever it says.
const PROGRAM: &str = r#"
import json, os, sys
print(json.dumps({"rankgate": 1}), flush=True)
sys.stdin.readline()
for line in sys.stdin:
    query = json.loads(line)
    good = int(query["id"][1:]) % 3 == 0 or float(os.environ["ALPHA"]) > 0.4
    print(json.dumps({"id": query["id"], "hits": ["r", "x"] if good else ["x", "r"]}), flush=True)
"#;

#[test]
fn the_environment_of_a_program_is_swept() {
    let folder = folder(90, |_| true);
    folder.write("search.py", PROGRAM);
    let spec = "version: 1
benchmark: toy
collection: {jsonl: queries.jsonl}
configurations:
  mine: {command: [python3, search.py], env: {ALPHA: '0.25'}, sweep: {ALPHA: {step: 0.5}}}
metrics: [RR@3]
";
    folder.write("toy.yaml", spec);
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml", "--format", "json"]).ends_with(0);
    let report: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}"));
    let report = &report[0];
    // Today's setting and three others, of 90 queries each.
    assert_eq!((&report["asked"], &report["today"]["values"]["ALPHA"]), (&360.into(), &"0.25".into()));
    let means: Vec<_> =
        report["settings"].as_array().into_iter().flatten().map(|one| one["mean"].clone()).collect();
    assert_eq!((means.len(), &means[1], &means[2]), (3, &1.0.into(), &1.0.into()));
    assert_eq!(report["look"]["chosen"]["ALPHA"], "0.5");
    assert_eq!(report["look"]["shown"], true);
    // Each repeat is asked: 90 queries in two repeats of today's setting and of three others, 720. In 300
    // repeats 108,000 are more than are asked without being told.
    let repeated = |repeats: usize| spec.replace("sweep", &format!("repeats: {repeats}, sweep"));
    folder.write("toy.yaml", &repeated(2));
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml", "--no-look", "--format", "json"]);
    assert!(ran.stdout.contains("\"asked\": 720"), "{}", ran.all());
    folder.write("toy.yaml", &repeated(300));
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml", "--no-look"]).ends_with(2);
    assert!(ran.stderr.contains("3 settings, 108000 questions to a retriever"), "{}", ran.stderr);
    // Of many settings the one that fails is named.
    folder.write("toy.yaml", &spec.replace("{step: 0.5}", "['0.25', much]"));
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml", "--no-look"]).ends_with(2);
    assert!(ran.stderr.contains("error: `mine` with ALPHA much: "), "{}", ran.stderr);
}

/// In a fresh clone blessed runs stand for retrievers of Rust, and keep the order alone.
#[test]
fn a_fusion_by_scores_over_blessed_runs_says_what_to_run() {
    let folder = folder(60, |_| true);
    folder.rankgate(&["--quiet", "bless", "toy.yaml"]);
    folder.write("toy.yaml", &SPEC.replace("{run: words.run}", "{retriever: words}"));
    let ran = folder.rankgate(&["--quiet", "tune", "toy.yaml"]).ends_with(2);
    let expected =
        "Here its blessed run stands for `words`, which keeps the order alone: run `cargo test` first";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_tried_ends_with_2() {
    let all = folder(120, |at| at % 3 != 0);
    for (arguments, expected) in [
        (&["--for", "hybird"][..], "the spec has no configuration `hybird`: there is words, dense, hybrid"),
        (&["--for", "words"], "`words` has no `sweep`"),
        (&["-m", "nDGC@10"], "did you mean"),
    ] {
        for line in
            [[&["tune", "toy.yaml"], arguments].concat(), [&["tune"], arguments, &["toy.yaml"]].concat()]
        {
            let ran = all.rankgate(&line).ends_with(2);
            assert!(ran.stderr.contains(expected), "{line:?}: {}", ran.stderr);
        }
    }
    let ran = all.rankgate_with(&["tune", "toy.yaml"], &[("CI", "true")]).ends_with(2);
    assert!(ran.stderr.contains("this is a CI machine, which keeps no look"), "{}", ran.stderr);
    all.rankgate_with(&["--quiet", "tune", "toy.yaml", "--no-look"], &[("CI", "true")]).ends_with(1);

    let spec = |sweep: &str| SPEC.replace("{weights: {step: 0.1}}", sweep);
    all.write("toy.yaml", &spec("{weights: {step: 0.0001}}"));
    let ran = all.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    let expected = "hybrid: 10001 settings, no question to a retriever. That may take long";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    for (sweep, expected) in [
        ("{alpha: [1]}", "a fusion has no `alpha` to try"),
        ("{weights: {step: 0}}", "a step is above 0, not 0"),
        ("{weights: {from: 0.5, to: 2, step: 0.5}}", "weights in a range are shares from 0 to 1, not 1.5"),
        ("{weights: [[1, 2, 3]]}", "weights [1, 2, 3]: 3 weights for 2 rankings"),
        ("{k: [10, 60]}", "`weighted` has no parameter"),
        ("{weights: []}", "this list is empty"),
        ("{norm: [max, max]}", "`norm` tries max twice"),
        ("{}", "this sweep tries nothing"),
    ] {
        all.write("toy.yaml", &spec(sweep));
        let ran = all.rankgate(&["tune", "toy.yaml"]).ends_with(2);
        assert!(ran.stderr.contains(expected), "{sweep}: {}", ran.stderr);
    }
    all.write(
        "toy.yaml",
        &SPEC.replace("words:  {run: words.run}", "words:  {run: words.run, sweep: {order: [1]}}"),
    );
    let ran = all.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    let expected = "a run that is there already has no settings to try";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    for (source, sweep, expected) in [
        ("command: [python3, x.py]", "{A=B: [1]}", "`A=B` is not the name of a variable"),
        (ALPHA, "{ALPHA: ['${B']}", "a variable is written `${NAME}`"),
        (ALPHA, "{ALPH: [1]}", "`env` has no variable `ALPH`"),
        (ALPHA, "{ALPH: [1]}", "did you mean `ALPHA`?"),
        ("command: [python3, x.py]", "{BETA: [1]}", "what is tried stands in `env` with its value of today"),
        (
            "http: {url: 'http://localhost:1', body: {q: '{text}', ranker: {alpha: 1}}, hits: /hits, id: ''}",
            "{/ranker/beta: [1]}",
            "`body` has nothing at `/ranker/beta`",
        ),
    ] {
        all.write("toy.yaml", &SPEC.replace("{run: words.run}", &format!("{{{source}, sweep: {sweep}}}")));
        let ran = all.rankgate(&["tune", "toy.yaml"]).ends_with(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }

    let few = folder(59, |_| true);
    let ran = few.rankgate(&["tune", "toy.yaml"]).ends_with(2);
    assert!(
        ran.stderr.contains(
            "59 queries leave 29 in the locked half, which confirm nothing: tuning needs 60, so add 1"
        ),
        "{}",
        ran.stderr
    );
    // What nobody asked in its settings, the test of the crate asks.
    let rust =
        SPEC.replace("{run: words.run}", "{retriever: words, params: {b: 0.7}, sweep: {b: [0.5, 0.9]}}");
    few.write("toy.yaml", &rust);
    for (name, expected) in [
        (
            "words",
            "`words` is registered from Rust, and was not asked yet: `RANKGATE_TUNE=1 cargo test` asks it in all of its settings",
        ),
        (
            "hybrid",
            "`words` is registered from Rust, and was not asked yet: `cargo test` asks it, and keeps its rankings for this command",
        ),
    ] {
        let ran = few.rankgate(&["tune", "toy.yaml", "--for", name]).ends_with(2);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}
