//! Samples that people grade: how they are drawn, how large they are, and when another one is needed.

#![expect(clippy::unwrap_used, reason = "a test fails where its data are not as they should be")]

use std::path::Path;

use rankgate::benchmark::model::{Finding, Verdict};
use rankgate::benchmark::{Benchmark, Registry};
use rankgate::judge::{HumansFile, Sample, sha256};
use rankgate_judge::{Assessment, Look};

use crate::judged::{Toy, edit, grade, reason, run};

#[test]
fn a_hand_picked_sample_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    Toy::default().write(folder.path());
    let sample = HumansFile::read(&folder.path().join("humans.jsonl")).unwrap().sample;
    let other = (0..120).map(|query| format!("q{query:03}")).find(|id| !sample.drawn.contains(id)).unwrap();
    let picked =
        |text: String| text.replacen(&format!("\"{}\"", sample.drawn[39]), &format!("\"{other}\""), 1);
    edit(folder.path(), "humans.jsonl", picked);
    let (gate, _) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored);
    assert!(reason(&gate).contains("was not drawn by seed 7"), "{}", reason(&gate));
    // So is one of other queries.
    Toy::default().write(folder.path());
    edit(folder.path(), "collection.json", |text| text.replacen("\"q000\"", "\"q999\"", 1));
    edit(folder.path(), "new.run", |text| text.replace("q000", "q999"));
    let (gate, _) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Errored, "{:?}", gate.finding);
}

#[test]
fn the_samples_own_grades_never_enter_f() {
    let constant = Toy { judge: |_, _| Some(3), ..Toy::default() };
    let of = |drawn: usize| Toy { drawn, ..constant }.threshold().1.corrected.unwrap();
    // What people said of more and more queries moves nothing of the model's own mean.
    let all = [30, 60, 120].map(of);
    assert!(all.iter().all(|one| one.uncorrected == all[0].uncorrected));
    // Of all queries the mean is theirs.
    let (_, finding) = Toy { drawn: 120, ..constant }.threshold();
    assert!((finding.measured.value - constant.truth()).abs() < 1e-9);
    assert!(
        (all[2].leniency - (all[2].uncorrected - constant.truth())).abs() < 1e-9
            && all[2].leniency.abs() > 0.05
    );
}

#[test]
fn groups_are_drawn_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let toy = Toy { statistics: "{cluster: user}", drawn: 120, ..Toy::default() };
    toy.write(folder.path());
    let (gate, _) = run(folder.path()).remove(0);
    assert_eq!(reason(&gate), "the sample drew queries, and the spec compares groups by `user`");
    let groups: Vec<String> = (0..60).map(|user| format!("u{user:02}")).collect();
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    let path = folder.path().join("humans.jsonl");
    let before = HumansFile::read(&path).unwrap();
    let mut sample = Sample::draw(&groups, 32, 7).unwrap();
    (sample.judge, sample.cluster) = (before.sample.judge.clone(), Some("user".into()));
    let mut humans = HumansFile::new(sample);
    before.grades().for_each(|grade| drop(humans.insert(grade.clone())));
    std::fs::write(&path, humans.text()).unwrap();
    let (gate, message) = run(folder.path()).remove(0);
    let Finding::Threshold(finding) = &gate.finding else { panic!("{message}") };
    let corrected = finding.corrected.as_ref().unwrap();
    assert_eq!((corrected.drawn, corrected.units, finding.queries), (32, 60, 120));
    assert_eq!(gate.verdict, Verdict::Passed, "{message}");
}

#[test]
fn a_changed_judge_needs_another_sample() {
    let folder = tempfile::tempdir().unwrap();
    Toy::default().write(folder.path());
    let draw = |queries, seed| {
        let benchmark = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap();
        Assessment::new(&benchmark).draw_sample(Some(queries), seed).map(|people| people.sample)
    };
    let first = draw(40, None).unwrap();
    // More of them by the same judge stay its own; another draw would be a choice.
    assert_eq!(draw(50, None).unwrap().judge, first.judge);
    assert!(draw(50, Some(8)).unwrap_err().to_string().contains("would be a choice"));
    edit(folder.path(), "toy.yaml", |text| text.replace("model: tiny", "model: other"));
    // The sample may have served to choose it: it stays the former one's.
    assert_eq!(draw(60, None).unwrap().judge, first.judge);
    let other = draw(40, Some(8)).unwrap();
    assert!(other.judge.is_some() && other.judge != first.judge && other.seed == 8);
}

/// Looks, at people who grade as the truth is, until nothing is left to judge: how many were drawn at each, and the last look.
fn judge_until_the_verdict(folder: &Path) -> (Vec<usize>, Look) {
    let mut drawn = Vec::new();
    loop {
        let benchmark = Benchmark::open(folder.join("toy.yaml"), &Registry::new()).unwrap();
        let look = Assessment::new(&benchmark).draw_until(10, None).unwrap();
        drawn.push(look.people.sample.drawn.len());
        if look.people.pairs.is_empty() {
            return (drawn, look);
        }
        let graded = look.people.pairs.iter().map(|pair| {
            let (query, document) = pair.document.id[1..].split_once('-').unwrap();
            let grade = grade(query.parse().unwrap(), document.parse().unwrap());
            let [query_sha256, document_sha256] =
                [&*pair.query.text, &*pair.document.text].map(|text| sha256(text.as_bytes()));
            let line = serde_json::json!({
                "query": pair.query.id, "query_sha256": query_sha256,
                "document": pair.document.id, "document_sha256": document_sha256, "grade": grade,
            });
            format!("{line}\n")
        });
        let file = ("anna.jsonl".to_owned(), graded.collect::<String>());
        Assessment::new(&benchmark).merge_grades(&[file]).unwrap();
    }
}

#[test]
fn people_stop_when_the_verdict_is_there() {
    let truth = Toy::default().truth();
    let gates = |min: f64| -> &'static str {
        Box::leak(Toy::default().gates.replace("0.5", &format!("{min:.6}")).into_boxed_str())
    };
    let judge: fn(u8, usize) -> Option<u8> = |grade, query| Some(if query % 3 == 0 { 3 } else { grade });
    // Far below the truth 30 queries are enough.
    let far = Toy { drawn: 0, judge, gates: gates(truth - 0.3), ..Toy::default() };
    let folder = tempfile::tempdir().unwrap();
    far.write(folder.path());
    let (drawn, look) = judge_until_the_verdict(folder.path());
    assert_eq!(drawn, [30, 30]);
    assert!(look.judged == 30 && look.gates.iter().all(|gate| gate.passes == Some(true)), "{:?}", look.gates);
    let (gate, message) = run(folder.path()).remove(0);
    assert_eq!(gate.verdict, Verdict::Passed, "{message}");
    let Finding::Threshold(finding) = gate.finding else { panic!("{message}") };
    assert!(finding.corrected.as_ref().unwrap().until);
    assert!(
        message.contains("people judge until the verdict is there: intervals hold at every look"),
        "{message}"
    );
    assert!(!message.contains("permutation test"), "{message}");
    // Of a size that was fixed before, the same queries would leave a narrower interval; the file cannot say so afterwards.
    edit(folder.path(), "humans.jsonl", |text| text.replacen(",\"until\":true", "", 1));
    let (gate, _) = run(folder.path()).remove(0);
    assert!(reason(&gate).contains("was not drawn by seed 1"), "{}", reason(&gate));

    // At the truth itself nobody can tell: ten more at each look, until all are judged.
    let near = Toy { gates: gates(truth), ..far };
    let folder = tempfile::tempdir().unwrap();
    near.write(folder.path());
    let (drawn, look) = judge_until_the_verdict(folder.path());
    assert_eq!(drawn, [30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 120]);
    assert!(
        look.judged == 120 && look.gates.iter().all(|gate| gate.passes.is_none() && gate.by_nobody),
        "{:?}",
        look.gates
    );
}

#[test]
fn a_sample_is_of_a_fixed_size_or_grows_and_never_both() {
    let folder = tempfile::tempdir().unwrap();
    Toy::default().write(folder.path());
    let open = || Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap();
    let error = Assessment::new(&open()).draw_until(10, None).unwrap_err().to_string();
    assert!(error.contains("the sample is of 40 queries, fixed before"), "{error}");
    Toy { drawn: 0, ..Toy::default() }.write(folder.path());
    std::fs::remove_file(folder.path().join("humans.jsonl")).unwrap();
    let look = Assessment::new(&open()).draw_until(10, None).unwrap();
    assert!(look.gates.is_empty() && look.people.sample.until && !look.people.pairs.is_empty());
    let error = Assessment::new(&open()).draw_sample(Some(50), None).unwrap_err().to_string();
    assert!(
        error.contains("the sample grows until the verdict is there, by `--until`; a size, 50"),
        "{error}"
    );
    // With nothing graded it is drawn no further.
    let look = Assessment::new(&open()).draw_until(10, None).unwrap();
    assert_eq!(look.people.sample.drawn.len(), 30);
}

#[test]
fn lint_says_which_judges_decide_nothing() {
    let gates = "thresholds:\n\
                 - {metric: nDCG@5, min: 0.5, judged: corrected, for: new}\n\
                 - {metric: nDCG@5, min: 0.5, judged: corrected, for: new, segment: {kind: hard}}";
    let folder = tempfile::tempdir().unwrap();
    Toy { gates, ..Toy::default() }.write(folder.path());
    let lint = || {
        let benchmark = Benchmark::open(folder.path().join("toy.yaml"), &Registry::new()).unwrap();
        rankgate_health::examine_benchmark(&benchmark).unwrap()
    };
    let of = |code: &str| {
        let findings = lint().findings;
        findings.into_iter().find(|finding| finding.code == code).map(|finding| finding.count)
    };
    assert_eq!((of("judged-by-too-few"), of("judge-model-moves")), (Some(1), None));
    edit(folder.path(), "toy.yaml", |text| text.replace("model: tiny", "model: tiny-latest"));
    assert_eq!(of("judge-model-moves"), Some(2));
}
