//! `rankgate fuse` as a user types it.

use crate::toy_spec::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("words.run", "q1 Q0 a 1 9 w\nq1 Q0 c 2 8 w\nq1 Q0 b 3 5 w\nq2 Q0 a 1 3 w\n");
    folder.write("dense.run", "q1 Q0 d 1 0.9 d\nq1 Q0 c 2 0.8 d\n");
    folder.write("qrels.txt", "q1 0 c 1\nq2 0 a 1\n");
    folder
}

#[test]
fn runs_are_fused_into_one() {
    let folder = folder();
    let ran = folder.rankgate(&["fuse", "words.run", "dense.run", "--k", "0", "--tag", "both"]).ends_with(0);
    // By hand with k 0: 1/2 + 1/2 for c, 1 for a and d, of the equal ones the highest id first; 1/3 for b.
    let expected = [
        "q1 Q0 d 1 1.0 both",
        "q1 Q0 c 2 1.0 both",
        "q1 Q0 a 3 1.0 both",
        "q1 Q0 b 4 0.3333333333333333 both",
        "q2 Q0 a 1 1.0 both",
    ];
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected);
    assert!(ran.stderr.contains("warning: dense.run does not answer 1 of the 2 queries"), "{}", ran.stderr);

    let weighted = ["--method", "weighted", "--weights", "0.75,0.25", "--top", "2", "--out", "hybrid.run"];
    folder.rankgate(&[&["fuse", "words.run", "dense.run"], &weighted[..]].concat()).ends_with(0);
    assert_eq!(
        folder.read("hybrid.run"),
        "q1 Q0 a 1 0.75 fused\nq1 Q0 c 2 0.5625 fused\nq2 Q0 a 1 0.75 fused\n",
        "a ranking of one document is the best of its ranking"
    );
    let ran =
        folder.rankgate(&["eval", "qrels.txt", "hybrid.run", "RR", "--format", "trec_eval"]).ends_with(0);
    assert_eq!(ran.stdout.split_whitespace().last(), Some("0.7500"), "{}", ran.stdout);
    // The first of each ranking alone.
    let ran = folder.rankgate(&["fuse", "words.run", "dense.run", "--depth", "1"]).ends_with(0);
    assert_eq!(ran.stdout.lines().count(), 3, "{}", ran.stdout);
}

/// Read by score, the farthest document would be the best one of its run.
#[test]
fn runs_whose_scores_rise_with_their_ranks_are_named() {
    let folder = folder();
    let lines: String =
        (1..=6).map(|rank| format!("q1 Q0 d{rank} {rank} {} d\n", 1.25 * f64::from(rank))).collect();
    folder.write("distances.run", &lines);
    let ran = folder.rankgate(&["fuse", "words.run", "distances.run"]).ends_with(0);
    assert!(
        ran.stderr.contains("warning: distances.run: scores rise with the ranks in 1 of 1 queries"),
        "{}",
        ran.stderr
    );
    let ran = folder.rankgate(&["fuse", "words.run", "distances.run", "--order", "rank"]).ends_with(0);
    assert!(!ran.stderr.contains("rise"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_fused_ends_with_2() {
    let folder = folder();
    folder.write("bare.run", "q1 Q0 a 1 1.0 x\nq1 Q0 b 2 0.5 x\n");
    folder.write("distances.run", "q1 Q0 a 1 0.1 d\nq1 Q0 c 2 0.8 d\n");
    for (arguments, expected) in [
        (&["--weights", "1"][..], "1 weights for 2 runs"),
        (&["--weights", "1,NaN"], "a weight is a number of at least 0, not NaN"),
        (&["--weights", "0,0"], "all weights are 0"),
        (&["-m", "weighted"], "`weighted` needs a weight for each run"),
        (&["-m", "borda", "--k", "60"], "--k goes with --method rrf only"),
        (&["--k", "-1"], "k is a number of at least 0, not -1"),
        (&["--norm", "min-max"], "rrf looks at ranks alone and takes no --norm"),
        (&["-m", "condorcet"], "invalid value 'condorcet'"),
    ] {
        let ran = folder.rankgate(&[&["fuse", "words.run", "dense.run"], arguments].concat()).ends_with(2);
        assert!(ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
    }
    let ran = folder.rankgate(&["fuse", "words.run", "bare.run", "-m", "comb-sum"]).ends_with(2);
    assert!(ran.stderr.contains("`bare.run` has no scores, only an order"), "{}", ran.stderr);
    let rising = ["fuse", "words.run", "distances.run", "-m", "comb-sum", "--order", "rank"];
    let ran = folder.rankgate(&rising).ends_with(2);
    let expected = "`distances.run`, query `q1`: its scores rise from rank 1 (0.1) to rank 2 (0.8)";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    folder.rankgate(&["fuse", "words.run"]).ends_with(2);
    folder.rankgate(&["fuse", "words.run", "nowhere.run"]).ends_with(2);
}
