//! A history, as data.

use crate::json::record;
use crate::model::{Mover, Verdicts};
use crate::stats::Guarantee;
use crate::words::keywords;

use crate::commit::{Commit, CommitName};
use crate::measured::Changed;
use crate::spending::{ReferenceKind, of_kind};
use crate::varying::Varying;

record! {
    /// Histories of configurations, as they are written as JSON.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Histories {
        /// The version of the JSON form.
        pub schema: u32,
        /// One for each configuration of each benchmark.
        pub histories: Vec<ConfigurationTimeline>,
        /// What was found and is in none of them.
        pub refused: Vec<Refused>,
    }
}

impl Histories {
    /// The histories.
    #[must_use]
    pub fn new(histories: Vec<ConfigurationTimeline>, refused: Vec<Refused>) -> Self {
        Self { schema: SCHEMA, histories, refused }
    }

    /// Whether any alarm stands at the last commit.
    #[must_use]
    pub fn alarmed(&self) -> bool {
        self.histories.iter().any(|one| one.timeline.standing() > 0)
    }
}

/// The version of the JSON form.
pub const SCHEMA: u32 = 1;

record! {
    /// The history of one configuration of one benchmark.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ConfigurationTimeline {
        /// The benchmark.
        pub benchmark: String,
        /// The configuration.
        pub configuration: String,
        /// Its source.
        pub source: SourceKind,
        /// The newest commit of the line, measured or not; `None` where no source names it.
        pub head?: Option<Head>,
        /// What happened.
        pub timeline..: Timeline,
        /// What could not be read of it.
        pub refused?: Vec<Refused>,
    }
}

record! {
    /// The newest commit of the line. Alarms are those of the last measured one, which may be earlier.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Head {
        /// What it is called: `HEAD`, or the branch whose newest commit it is.
        pub name: String,
        /// The commit.
        pub commit..: CommitName,
        /// Whether its ranking is among those that were looked at. A golden run is what somebody accepted: it is that of this
        /// commit where this commit changed it.
        pub measured: bool,
        /// Commits of the line after the last one that was looked at.
        pub behind: usize,
        /// Verdicts of its own report, where one is known.
        pub gates?: Option<Verdicts>,
    }
}

impl Head {
    /// The last commit of a line, held against those that were looked at; `None` of an empty line.
    #[must_use]
    pub fn new(
        name: &str,
        line: &[Commit],
        looked_at: impl Fn(&str) -> bool,
        gates: Option<Verdicts>,
    ) -> Option<Self> {
        let last = line.last()?;
        let behind = line.iter().rev().take_while(|commit| !looked_at(&commit.id)).count();
        let commit = last.to_name();
        Some(Self { name: name.to_owned(), commit, measured: behind == 0, behind, gates })
    }
}

keywords! {
    /// The source of a history.
    pub enum SourceKind {
        /// Golden runs as commits had them, scored under today's judgments.
        Golden = "golden-runs" => "golden runs under today's judgments",
        /// Reports, with the scores of their day.
        Reports = "reports" => "reports, with the scores of their day",
        /// Runs beside reports, scored under today's judgments.
        Runs = "runs" => "runs beside reports, under today's judgments",
    }
}

record! {
    /// Something that is in no history.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Refused {
        /// A file, or a commit.
        pub what: String,
        /// Why.
        pub why: String,
    }
}

record! {
    /// What happened to one configuration of one benchmark.
    #[derive(Clone, Debug, PartialEq)]
    #[non_exhaustive]
    pub struct Timeline {
        /// Metrics that were measured at the last commit.
        pub metrics: Vec<String>,
        /// Those of them that gates stand on at the last commit; alarms and notices are about no others.
        pub gated: Vec<String>,
        /// Metrics that gates stand on at the last commit and alarms do not watch: less of them is better, or nothing says what
        /// is, or a report has no score of them for each query.
        pub unwatched?: Vec<String>,
        /// The chance of any false alarm on the line, one-sided; a fourth of it for each kind of reference.
        pub alpha: f64,
        /// The one-sided level of notices.
        pub notice: f64,
        /// The level at which one more query must not undo the loss of the first ranking against a reference, or of a step; of
        /// the k-th it is a k-th of this. Nothing in what earlier versions wrote, whose alarms did not ask.
        pub unseen?: Option<f64>,
        /// How alarms ask for that query: at the level `unseen`, at their own level where that is smaller (`bounded`), or not
        /// at all (`none`).
        pub guarantee?: Option<Guarantee>,
        /// The level of step alarms: the chance of a false one for each new ranking, held against the one before.
        pub step?: Option<f64>,
        /// Losses that are smaller are neither alarms nor notices.
        pub smallest_loss?: Option<f64>,
        /// Stretches of commits with the same inputs.
        pub epochs: Vec<Epoch>,
        /// Distinct rankings, in the order in which the line first has them.
        pub states: Vec<State>,
        /// One for each commit that was measured, oldest first.
        pub commits: Vec<Entry>,
        /// What states were held against, in the order in which each came to stand.
        pub references: Vec<ReferenceReport>,
        /// Losses that the stated error allows to be spoken of.
        pub alarms: Vec<Alarm>,
        /// Losses that are worth a look, and may be chance.
        pub notices: Vec<Notice>,
        /// Tests that were made, of one metric of one state against one reference.
        pub tests: usize,
        /// How many notices so many tests give by chance, at most.
        pub notices_by_chance: f64,
        /// How often a golden ranking was replaced by another.
        pub blessings: usize,
        /// Those of them in the 90 days before the last commit.
        pub blessings_lately: usize,
        /// Releases whose commit was not measured: nothing is held against them.
        pub unmeasured_releases?: Vec<String>,
        /// The report in place of states and alarms where a second pass gives another ranking.
        pub varying?: Option<Varying>,
    }
}

impl Timeline {
    /// Alarms that stand at the last commit, those of rankings that vary among them.
    #[must_use]
    pub fn standing(&self) -> usize {
        let detected = self.varying.iter().flat_map(|varying| &varying.detected);
        self.alarms.iter().filter(|alarm| alarm.open).count() + detected.filter(|one| one.stands()).count()
    }

    /// Whether alarms watch any metric that a gate stands on.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.gated.iter().any(|metric| !self.unwatched.contains(metric))
    }

    /// Whether there was an alarm at a commit, on a metric or on any.
    pub(crate) fn alarmed_at(&self, commit: &str, metric: Option<&str>) -> bool {
        let is_of = |other: &String| metric.is_none_or(|metric| metric == other);
        let detected = self.varying.iter().flat_map(|varying| &varying.detected);
        let mut watched = detected.filter(|one| is_of(&one.metric)).filter_map(|one| one.alarm.as_ref());
        watched.any(|alarm| alarm.commit == commit)
            || self.alarms.iter().any(|alarm| {
                alarm.opened.commit == commit && alarm.against.iter().any(|held| is_of(&held.metric))
            })
    }

    /// The current epoch, where it began with a new ranking that cannot be compared with any before it.
    #[must_use]
    pub fn untold(&self) -> Option<&Epoch> {
        self.epochs.iter().rfind(|epoch| epoch.anew).filter(|epoch| epoch.untold)
    }

    /// The chance of any false alarm against the references of one kind, one-sided, over the whole line.
    #[must_use]
    pub fn alpha_of_kind(&self) -> f64 {
        of_kind(self.alpha)
    }
}

record! {
    /// Commits with the same inputs.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Epoch {
        /// Its first measured commit.
        pub from: String,
        /// What changed there; nothing for the first.
        pub changed: Vec<Changed>,
        /// Whether references end here, because scores of before cannot be held against those of after. A golden run that
        /// is scored under the new inputs goes on.
        pub anew: bool,
        /// Whether the ranking changed at the same commit, and no scores of both sides under the same inputs are known. Then
        /// the effect on quality cannot be determined.
        pub untold?: bool,
    }
}

record! {
    /// A distinct ranking, under inputs under which its scores can be compared.
    #[derive(Clone, Debug, PartialEq)]
    pub struct State {
        /// From 1.
        pub number: usize,
        /// Fingerprint of the ranking.
        pub ranking: String,
        /// The first commit that has it.
        pub from: String,
        /// How many measured commits have it.
        pub commits: usize,
        /// One for each metric.
        pub values: Vec<Value>,
    }
}

record! {
    /// A metric of a state.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Value {
        /// Canonical name.
        pub metric: String,
        /// The mean over queries.
        pub mean: f64,
        /// The 95% interval of its difference from the first state that it can be compared with, added to that one's
        /// mean; paired t.
        pub interval?: Option<[f64; 2]>,
    }
}

keywords! {
    /// What a commit did to the ranking.
    pub enum Move {
        /// The first that can be compared.
        First = "first",
        /// Nothing: it has the ranking of the commit measured before.
        Same = "same",
        /// It has a ranking that was not there before.
        New = "new",
        /// It went back to a ranking that was there before.
        Return = "return",
    }
}

record! {
    /// A commit that was measured.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Entry {
        /// The commit.
        pub commit..: CommitName,
        /// Names of the releases made of it.
        pub releases?: Vec<String>,
        /// Number of its state.
        pub state: usize,
        /// What it did to the ranking.
        pub moved: Move,
        /// What it did to each metric, where the ranking moved and can be compared.
        pub differences?: Vec<(String, f64)>,
        /// Whether its ranking is the golden one from here on.
        pub blessed?: bool,
    }
}

record! {
    /// A ranking that states were held against.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReferenceReport {
        /// What it is.
        pub kind: ReferenceKind,
        /// The release's name.
        pub release?: Option<String>,
        /// Fingerprint of the ranking; of the best so far the one at its start.
        pub ranking: String,
        /// The commit from which it stands.
        pub from: String,
        /// The commit at which another took its place.
        pub until?: Option<String>,
        /// Which of its kind it is on the line, from 1.
        pub number: usize,
        /// The chance of any false alarm against it, one-sided: its share of what its kind may spend.
        pub budget: f64,
        /// Rankings that were held against it.
        pub rankings: usize,
        /// The share of its budget that these used.
        pub used: f64,
    }
}

record! {
    /// A loss against one or more references. It is shown with at most the stated chance of being false.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Alarm {
        /// The beginning of the ranking's fingerprint: the id to acknowledge.
        pub id: String,
        /// The first commit that has the ranking.
        pub opened..: CommitName,
        /// Number of the state.
        pub state: usize,
        /// Whether somebody has acknowledged it.
        pub acknowledged: bool,
        /// Whether it stands at the last commit.
        pub open: bool,
        /// The commit that blessed its ranking, or another with its loss, as golden. That accepted the ranking for its gate,
        /// and not the loss.
        pub blessed?: Option<CommitName>,
        /// Against what, and how large the loss is.
        pub against: Vec<ReferenceComparison>,
        /// The last commit that was measured with the ranking before.
        pub after?: Option<CommitName>,
        /// The commits that may have done it, oldest first: those behind `after`, up to `opened`.
        pub suspects: Vec<CommitName>,
        /// The steps that make up the largest loss, largest first: where rankings vary from commit to commit, the first of them
        /// is the likelier cause.
        pub steps: Vec<Lost>,
        /// Queries that lost most against the reference of the largest loss, on its metric.
        pub queries: Vec<Mover>,
    }
}

impl Alarm {
    /// The largest of its losses.
    #[must_use]
    pub fn largest(&self) -> Option<&ReferenceComparison> {
        self.against.iter().min_by(|a, b| (a.now - a.before).total_cmp(&(b.now - b.before)))
    }

    /// The largest step, where it is at another commit than the one at which the loss crossed its limit.
    #[must_use]
    pub fn earlier_step(&self) -> Option<&Lost> {
        self.steps.first().filter(|step| step.commit != self.opened)
    }
}

record! {
    /// A state held against a reference.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ReferenceComparison {
        /// What it is.
        pub reference: ReferenceKind,
        /// The release's name.
        pub release?: Option<String>,
        /// The commit from which it stands.
        pub from: String,
        /// Fingerprint of the ranking that it is.
        pub against: String,
        /// The metric.
        pub metric: String,
        /// The reference's mean.
        pub before: f64,
        /// The state's.
        pub now: f64,
        /// The one-sided p-value, adjusted over the metrics by Holm's procedure.
        pub p: f64,
        /// What it was held against.
        pub threshold: f64,
        /// How often one more query, which gains what others lack, undoes the loss; at most `unseen` / `ranking`.
        pub p_unseen?: Option<f64>,
        /// How many rankings had been held against the reference by then, this one among them.
        pub ranking: usize,
        /// Numbers of later states that the open alarm took in.
        pub absorbed?: Vec<usize>,
        /// Where and how it ended.
        pub ended?: Option<Ended>,
    }
}

record! {
    /// The end of an alarm against one reference.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Ended {
        /// The commit.
        pub commit: String,
        /// How.
        pub how: End,
    }
}

keywords! {
    /// How an alarm against a reference ends.
    pub enum End {
        /// The line went back to a ranking that is not worse.
        Returned = "returned" => "the ranking went back",
        /// A new ranking is not shown to be worse.
        Recovered = "recovered" => "no loss is shown any more",
        /// The reference was replaced: a bless, a release. Only in what earlier versions wrote.
        Replaced = "replaced" => "the reference was replaced",
        /// Somebody acknowledged it: from here on its ranking is the reference.
        Acknowledged = "acknowledged" => "acknowledged",
        /// Inputs changed such that nothing can be compared.
        Epoch = "epoch" => "the inputs changed",
    }
}

record! {
    /// A step of the line on the way to a loss.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Lost {
        /// The commit.
        pub commit..: CommitName,
        /// Its state.
        pub state: usize,
        /// By how much the metric's mean moved there.
        pub difference: f64,
        /// The commits that may have done it, oldest first: those behind the last with the ranking before, up to `commit`.
        pub suspects: Vec<CommitName>,
    }
}

record! {
    /// A loss at the unadjusted level.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Notice {
        /// The first commit that has the ranking.
        pub commit..: CommitName,
        /// Number of the state.
        pub state: usize,
        /// What it was held against.
        pub reference: ReferenceKind,
        /// The metric.
        pub metric: String,
        /// The mean difference.
        pub difference: f64,
        /// The one-sided p-value, unadjusted.
        pub p: f64,
    }
}
