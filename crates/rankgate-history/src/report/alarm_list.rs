//! The alarms of a server, as it answers them and as the command prints them. Of a server of another version what is known
//! is read.

use serde::Deserialize;

use crate::model::Verdicts;
use crate::report::alarm_state::AlarmState;
use crate::report::clean::plain;
use crate::report::phrases::counts;

/// Characters of a commit's id, and of its subject.
const ID: usize = 8;
const SUBJECT: usize = 60;
/// Suspects that are listed.
const SUSPECTS: usize = 5;

/// The alarms of a project, as its server answers them.
///
/// ```
/// use rankgate_history::report::AlarmList;
///
/// let answer = serde_json::json!({
///     "standing": 1,
///     "alarms": [{"benchmark": "search", "configuration": "bm25", "id": "3f2a", "open": true, "commit": "c0ffee"}],
/// });
/// let list = AlarmList::read(answer)?;
/// assert_eq!((list.standing, list.text(false).as_str()), (1, "ALARM 3f2a: search, bm25 at c0ffee\n"));
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Deserialize)]
pub struct AlarmList {
    /// How many stand at the last commit that was measured.
    pub standing: usize,
    alarms: Vec<Alarm>,
    /// What alarms were looked for in.
    #[serde(default)]
    histories: Vec<LookedAt>,
    /// Whether the requested commit is among them.
    #[serde(default)]
    pub covers_commit: Option<bool>,
}

/// A configuration's history, and how far it reaches.
#[derive(Debug, Deserialize)]
struct LookedAt {
    benchmark: String,
    configuration: String,
    commits: usize,
    last: AlarmCommit,
    head: Option<Newest>,
    /// The commit at which the ranking changed together with the inputs, so that a loss there cannot be detected.
    #[serde(default)]
    untold: Option<String>,
    /// What gates stand on and alarms do not watch.
    #[serde(default)]
    unwatched: Vec<String>,
}

/// The newest commit of the branch.
#[derive(Debug, Deserialize)]
struct Newest {
    name: String,
    #[serde(flatten)]
    at: AlarmCommit,
    measured: bool,
    behind: usize,
    #[serde(default)]
    gates: Option<Verdicts>,
}

#[derive(Debug, Deserialize)]
struct Alarm {
    benchmark: String,
    configuration: String,
    #[serde(default)]
    id: Option<String>,
    /// Whether it stands; what rankings that vary are watched by does not say it.
    #[serde(default)]
    open: Option<bool>,
    #[serde(default)]
    acknowledged: bool,
    #[serde(flatten)]
    at: AlarmCommit,
    /// The commit and the metric of an alarm on rankings that vary.
    #[serde(default)]
    alarm: Option<AlarmCommit>,
    #[serde(default)]
    metric: Option<String>,
    #[serde(default)]
    against: Vec<ReferenceComparison>,
    #[serde(default)]
    suspects: Vec<AlarmCommit>,
    /// What the loss is made up of, largest first.
    #[serde(default)]
    steps: Vec<Step>,
    /// The commit that blessed the loss.
    #[serde(default)]
    blessed: Option<AlarmCommit>,
    #[serde(default)]
    note: Option<String>,
}

/// A step on the way to a loss.
#[derive(Debug, Deserialize)]
struct Step {
    #[serde(flatten)]
    at: AlarmCommit,
    difference: f64,
}

#[derive(Debug, Default, Deserialize)]
struct AlarmCommit {
    #[serde(default)]
    commit: String,
    #[serde(default)]
    subject: String,
}

#[derive(Debug, Deserialize)]
struct ReferenceComparison {
    reference: String,
    #[serde(default)]
    release: Option<String>,
    metric: String,
    before: f64,
    now: f64,
    p: f64,
}

impl AlarmList {
    /// Reads what a server answered.
    ///
    /// # Errors
    /// A form that this version does not know.
    pub fn read(json: serde_json::Value) -> Result<Self, String> {
        serde_json::from_value(json)
            .map_err(|error| format!("the server tells alarms in a form that is not known here: {error}"))
    }

    /// Whether the newest commit of the branch was measured, and each loss up to it can be detected, in all these histories.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        let measured = |one: &LookedAt| one.head.as_ref().is_none_or(|head| head.measured);
        self.histories.iter().all(|one| measured(one) && one.untold.is_none())
    }

    /// What was looked at, a line for each configuration.
    #[must_use]
    pub fn looked_at(&self) -> String {
        self.histories.iter().map(|one| plain(&one.text())).collect()
    }

    /// Those that stand, or all of them, as lines.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let shown = self.alarms.iter().filter(|alarm| all || alarm.stands());
        shown.map(|alarm| plain(&alarm.text())).collect()
    }
}

impl LookedAt {
    fn text(&self) -> String {
        let untold = |id: &String| {
            let id: String = id.chars().take(ID).collect();
            format!(
                "  at {id} the ranking changed together with its inputs: whether that lost quality is unknown\n"
            )
        };
        let unwatched = match self.unwatched.is_empty() {
            true => String::new(),
            false => format!("  not watched by alarms: {}\n", self.unwatched.join(", ")),
        };
        self.reach() + &self.untold.iter().map(untold).collect::<String>() + &unwatched
    }

    /// How far it reaches.
    fn reach(&self) -> String {
        let number = match self.commits {
            1 => "1 commit".to_owned(),
            more => format!("{more} commits"),
        };
        let of = format!("{}, {}: {number} measured", self.benchmark, self.configuration);
        let Some(head) = &self.head else { return format!("{of}, the last {}\n", self.last.text()) };
        let gates = head.gates.as_ref().map_or(String::new(), |gates| {
            let counts = counts(gates);
            if counts.is_empty() {
                "; its report decides no gate".to_owned()
            } else {
                format!("; its gates: {counts}")
            }
        });
        let Newest { name, at, behind, .. } = head;
        if head.measured {
            return format!("{of}, the last {}, the newest of {name}{gates}\n", at.text());
        }
        let later =
            if *behind == 1 { "1 commit later".to_owned() } else { format!("{behind} commits later") };
        format!(
            "{of}, the last {}\n  {name} is {later} at {}, which was not measured{gates}\n",
            self.last.text(),
            at.text()
        )
    }
}

impl Alarm {
    fn stands(&self) -> bool {
        self.open.unwrap_or(!self.acknowledged)
    }

    fn text(&self) -> String {
        let word = AlarmState::new(self.stands(), self.acknowledged).word();
        let at = self.alarm.as_ref().unwrap_or(&self.at);
        let id = self.id.as_deref().unwrap_or("-");
        let mut text = format!("{word} {id}: {}, {} at {}\n", self.benchmark, self.configuration, at.text());
        for held in &self.against {
            let release = held.release.as_ref().map_or(String::new(), |name| format!(" {name}"));
            text += &format!(
                "  {} {:.4} -> {:.4} against {}{release}, p = {}\n",
                held.metric,
                held.before,
                held.now,
                reference(&held.reference),
                p(held.p)
            );
        }
        if let Some(metric) = self.metric.as_ref().filter(|_| self.against.is_empty()) {
            text += &format!("  {metric} is lower than at first; rankings vary\n");
        }
        if let Some((last, before)) = self.suspects.split_last().filter(|_| self.stands()) {
            // A loss among noise crosses its limit later than it came.
            match self.steps.first().filter(|step| step.at.commit != last.commit) {
                Some(step) => {
                    text += &format!(
                        "  suspect: {}, the largest step, {:+.4}\n",
                        step.at.text(),
                        step.difference
                    );
                    text += &format!("       or: {}, where the limit was crossed\n", last.text());
                }
                None => text += &format!("  suspect: {}\n", last.text()),
            }
            before
                .iter()
                .rev()
                .take(SUSPECTS - 1)
                .for_each(|one| text += &format!("       or: {}\n", one.text()));
            if let more @ 1.. = self.suspects.len().saturating_sub(SUSPECTS) {
                text += &format!("       or one of {more} before\n");
            }
        }
        if let Some(blessed) = self.blessed.as_ref().filter(|_| self.stands()) {
            text += &format!("  blessed: {}, which did not accept the loss\n", blessed.text());
        }
        if let Some(note) = self.note.as_ref().filter(|note| !note.is_empty()) {
            text += &format!("  note: {}\n", note.replace('\n', " "));
        }
        text
    }
}

impl AlarmCommit {
    fn text(&self) -> String {
        let id: String = self.commit.chars().take(ID).collect();
        let subject: String = self.subject.chars().take(SUBJECT).collect();
        format!("{id} {subject}").trim_end().to_owned()
    }
}

/// A reference in words.
fn reference(kind: &str) -> &str {
    match kind {
        "first" => "the first",
        "release" => "the release",
        "best" => "the best so far",
        "before" => "the ranking before",
        other => other,
    }
}

/// A p-value with two digits that say something.
fn p(p: f64) -> String {
    if p >= 0.0001 { format!("{p:.4}") } else { format!("{p:.1e}") }
}
