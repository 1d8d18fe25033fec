//! Judges that answer, do not, or answer in another form, and budgets.

use super::items::ANALYSIS;
use super::*;
use crate::collection::{Document, Query};
use crate::tests::description;

fn pairs(count: usize) -> Vec<Pair> {
    let pair = |at| Pair {
        query: Query::new(format!("q{}", at / 3), "asked"),
        document: Document::new(format!("d{at}"), "text"),
    };
    (0..count).map(pair).collect()
}

/// Somebody who answers each pair as the function says, by its document and how often it was asked.
struct Scripted<F>(F, Mutex<BTreeMap<String, usize>>);

impl<F: Fn(&str, usize) -> JudgeReply + Sync> JudgeBackend for Scripted<F> {
    fn ask(&self, pair: &Pair) -> JudgeReply {
        let times = {
            let mut all = self.1.lock().unwrap();
            let times = all.entry(pair.document.id.clone()).or_default();
            *times += 1;
            *times
        };
        (self.0)(&pair.document.id, times)
    }
    fn size(&self, _: &Pair) -> u64 {
        300
    }
}

fn answered(answer: Answer) -> JudgeReply {
    JudgeReply::Answered(ReceivedAnswer { answer, usage: None, written: 30, served: Some("m-1".into()) })
}

fn run_with(
    judge: &Description,
    budget: Budget,
    count: usize,
    said: impl Fn(&str, usize) -> JudgeReply + Sync,
) -> (Tally, Vec<Item>) {
    let kept = Mutex::new(Vec::new());
    let keep = |item| {
        kept.lock().unwrap().push(item);
        Ok(())
    };
    let asking =
        Asking { judge, budget, earlier: Earlier::default(), concurrency: 4, keep: &keep, watch: &|_| {} };
    let tally = asking.run(&Scripted(said, Mutex::default()), &pairs(count)).unwrap();
    let mut kept = kept.into_inner().unwrap();
    kept.sort_by_key(|item| (item.query.clone(), item.document.clone()));
    (tally, kept)
}

#[test]
fn busy_servers_change_no_grade() {
    let grade = |document: &str| Answer::graded(document.len() as u8 % 4);
    let judge = description();
    let (plain, expected) = run_with(&judge, Budget::default(), 12, |document, _| answered(grade(document)));
    let busy = |document: &str, times| match (document, times) {
        ("d1" | "d5" | "d7", 1..3) => {
            JudgeReply::Later { why: "busy".into(), wish: Some(Duration::ZERO), spent: false }
        }
        _ => answered(grade(document)),
    };
    let (tally, kept) = run_with(&judge, Budget::default(), 12, busy);
    assert_eq!((kept, &tally.states), (expected, &plain.states));
    assert_eq!((plain.requests, tally.requests, tally.served["m-1"]), (12, 18, 12));
    assert!(tally.is_complete());
}

#[test]
fn what_is_no_answer_is_asked_once_more_and_then_kept_as_such() {
    let odd = |document: &str, times| match (document, times) {
        ("d0", 1) | ("d1", _) => {
            answered(Answer { state: State::Unparseable, ..Answer::abstained() }.because("3"))
        }
        _ => answered(Answer::graded(1)),
    };
    let (tally, kept) = run_with(&description(), Budget::default(), 3, odd);
    assert_eq!(
        kept.iter().map(|item| item.state).collect::<Vec<_>>(),
        [State::Graded, State::Unparseable, State::Graded]
    );
    assert_eq!((tally.requests, tally.formless, kept[1].analysis.as_str()), (5, 3, "3"));
}

#[test]
fn nobody_answers_and_nobody_asks_on() {
    let (tally, kept) =
        run_with(&description(), Budget::default(), 90, |_, _| JudgeReply::Never("no".into()));
    assert!(kept.is_empty() && (5..9).contains(&tally.failed), "{tally:?}");
    assert_eq!(tally.stopped.unwrap(), "5 questions in a row have no answer; the last: no");
    let (tally, kept) =
        run_with(&description(), Budget::default(), 90, |_, _| JudgeReply::Stop("401".into()));
    assert!(kept.is_empty() && tally.requests <= 4 && tally.stopped.unwrap() == "401");
    // One question that nobody answers is not the end.
    let one = |document: &str, _| {
        if document == "d3" { JudgeReply::Never("no".into()) } else { answered(Answer::graded(1)) }
    };
    let (tally, kept) = run_with(&description(), Budget::default(), 9, one);
    assert_eq!((kept.len(), tally.failed, tally.stopped.as_ref()), (8, 1, None));
    assert_eq!(tally.first_failure.unwrap(), ["q1", "d3", "no"]);
    let hour = Duration::from_secs(3600);
    let (tally, _) = run_with(&description(), Budget::default(), 9, |_, _| JudgeReply::Later {
        why: "429".into(),
        wish: Some(hour),
        spent: false,
    });
    assert_eq!(tally.stopped.unwrap(), "429, and wishes to be asked again after 3600 s");
}

fn formless(state: State) -> JudgeReply {
    answered(Answer { state, ..Answer::abstained() })
}

#[test]
fn a_judge_that_never_answers_in_form_is_asked_ten_questions() {
    for state in [State::Unparseable, State::Truncated, State::Empty, State::Refused] {
        let (tally, kept) = run_with(&description(), Budget::default(), 1351, |_, _| formless(state));
        // Those under way when the tenth came are kept as well; what is unparseable is asked once more.
        assert!((10..14).contains(&kept.len()), "{}", kept.len());
        let each = if state == State::Unparseable { 2 } else { 1 };
        assert_eq!(tally.requests, each * kept.len() as u64);
        assert_eq!(tally.repeated, (each - 1) * kept.len() as u64);
        let stopped = tally.stopped.clone().unwrap();
        assert!(stopped.contains("questions in a row have no valid answer"), "{stopped}");
        assert!(stopped.ends_with(&state.to_string()) && !tally.is_complete(), "{stopped}");
    }
    // Nine, and then one that is of the form, are no reason; nor are refusals once anything else came.
    let now_and_then = |document: &str, _| match document[1..].parse::<usize>().unwrap() % 10 {
        9 => answered(Answer::graded(1)),
        _ => formless(State::Empty),
    };
    let one_by_one = |said: &(dyn Fn(&str, usize) -> JudgeReply + Sync), count| {
        let judge = description();
        let asking = Asking {
            judge: &judge,
            budget: Budget::default(),
            earlier: Earlier::default(),
            concurrency: 1,
            keep: &|_| Ok(()),
            watch: &|_| {},
        };
        asking.run(&Scripted(said, Mutex::default()), &pairs(count)).unwrap()
    };
    assert_eq!(one_by_one(&now_and_then, 200).stopped, None);
    let refusals = |document: &str, _| match document {
        "d0" => answered(Answer::graded(1)),
        _ => formless(State::Refused),
    };
    assert_eq!(one_by_one(&refusals, 200).stopped, None);
}

#[test]
fn a_busy_server_is_asked_six_times_for_all_answers_to_a_question() {
    let judge = Description { samples: 3, ..description() };
    let later = || JudgeReply::Later { why: "429".into(), wish: Some(Duration::ZERO), spent: false };
    // Busy twice before each answer: the third never comes.
    let (tally, kept) = run_with(&judge, Budget::default(), 1, |_, times| match times % 3 {
        0 => answered(Answer::graded(1)),
        _ => later(),
    });
    assert_eq!((tally.requests, tally.repeated, tally.failed, kept.len()), (8, 5, 1, 0));
    assert_eq!(tally.first_failure.unwrap()[2], "429 (after 6 tries)");
}

#[test]
fn what_a_model_writes_is_kept_up_to_a_bound() {
    let long = "ä".repeat(ANALYSIS + 1);
    let (_, kept) = run_with(&description(), Budget::default(), 2, |document, _| {
        answered(Answer::graded(1).because(if document == "d0" {
            long.clone()
        } else {
            "ä".repeat(ANALYSIS)
        }))
    });
    assert_eq!(kept[0].analysis, "ä".repeat(ANALYSIS) + " [...]");
    assert_eq!(kept[1].analysis, "ä".repeat(ANALYSIS));
}

#[test]
fn a_budget_is_kept_to_the_request() {
    let budget = Budget { requests: Some(7), ..Budget::default() };
    let (tally, kept) = run_with(&description(), budget, 20, |_, _| answered(Answer::graded(1)));
    assert_eq!((tally.requests, kept.len(), tally.uncounted, tally.tokens), (7, 7, 7, [700, 70]));
    assert_eq!(tally.stopped.unwrap(), "the budget of 7 requests is used up");
}

/// Each answer that was paid for is in an item, wherever the budget ends.
#[test]
fn a_budget_ends_between_questions_and_keeps_what_was_paid_for() {
    let unparseable = || answered(Answer { state: State::Unparseable, ..Answer::abstained() });
    for most in 0..8 {
        let budget = Budget { requests: Some(most), ..Budget::default() };
        // Each question takes two requests, and with an odd budget the last has one of them.
        let (tally, kept) = run_with(&description(), budget, 9, |_, times| match times {
            1 => unparseable(),
            _ => answered(Answer::graded(1)),
        });
        let graded = kept.iter().filter(|item| item.state == State::Graded).count() as u64;
        let formless = kept.len() as u64 - graded;
        assert_eq!((2 * graded + formless, tally.requests), (most, most), "{kept:?}");
        // Three answers to each question: none is begun that the budget does not reach the end of.
        let judge = Description { samples: 3, ..description() };
        let (tally, kept) = run_with(&judge, budget, 9, |_, _| answered(Answer::graded(1)));
        assert_eq!((kept.len() as u64, tally.requests), (most / 3, most / 3 * 3));
        assert!(tally.stopped.unwrap().contains(&format!("the budget of {most}")));
    }
    // Another question ends the run while this one has one answer of three: it gets the others.
    let judge = Description { samples: 3, ..description() };
    let (_, kept) = run_with(&judge, Budget::default(), 4, |document, _| match document {
        "d0" => answered(Answer::graded(1)),
        _ => JudgeReply::Stop("401".into()),
    });
    assert!(kept.iter().all(|item| item.grades.len() == 3));
    // What is of no form is kept as such where the server breaks before it is asked once more.
    for broken in [
        || JudgeReply::Never("500".into()),
        || JudgeReply::Stop("401".into()),
        || JudgeReply::Later { why: "429".into(), wish: Some(Duration::ZERO), spent: false },
    ] {
        let (tally, kept) = run_with(&description(), Budget::default(), 1, |_, times| match times {
            1 => unparseable(),
            _ => broken(),
        });
        assert_eq!((kept.len(), tally.failed, kept[0].state), (1, 0, State::Unparseable));
    }
}

#[test]
fn of_several_answers_the_median_is_kept_and_most_must_be_grades() {
    let judge = Description { samples: 3, ..description() };
    let said = |document: &str, times: usize| {
        let answers = match document {
            "d0" => [Some(3), Some(0), Some(1)],
            "d1" => [None, Some(2), Some(1)],
            _ => [None, Some(3), None],
        };
        answered(
            answers[times - 1].map_or_else(Answer::abstained, Answer::graded).because(format!("{times}")),
        )
    };
    let (tally, kept) = run_with(&judge, Budget::default(), 3, said);
    let of: Vec<_> = kept
        .iter()
        .map(|item| (item.state, item.grade, item.grades.as_slice(), item.analysis.as_str()))
        .collect();
    assert_eq!(of[0], (State::Graded, Some(1), &[Some(3), Some(0), Some(1)][..], "3"));
    assert_eq!(of[1], (State::Graded, Some(1), &[None, Some(2), Some(1)][..], "3"));
    assert_eq!(of[2], (State::Abstained, None, &[None, Some(3), None][..], "1"));
    assert_eq!(tally.requests, 9);
}

#[test]
fn ones_own_judge_grades_on_the_scale_or_not_at_all() {
    let own = |query: &Query, document: &Document| match &*document.id {
        "d0" => Ok(Answer::graded(3).because(format!("{} {}", query.text, document.text))),
        "d1" => Ok(Answer::graded(4)),
        "d2" => panic!("oh"),
        "d3" => Ok(Answer { grade: Some(2), ..Answer::abstained() }),
        _ => Err("down".into()),
    };
    let said: Vec<JudgeReply> = pairs(5).iter().map(|pair| Own(&own, &description()).ask(pair)).collect();
    assert!(matches!(&said[0], JudgeReply::Answered(told) if told.answer.analysis == "asked text"));
    let why = |at: usize| match &said[at] {
        JudgeReply::Never(why) => why.clone(),
        _ => String::new(),
    };
    assert_eq!(why(1), "the judge said 4, and the highest grade is 3");
    assert!(
        why(2).starts_with("the judge panicked: oh")
            && why(3).contains("without a grade")
            && why(4) == "down"
    );
}
