//! Answer times: two configurations are asked in turns, and nothing else is asked meanwhile.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use serde::{Deserialize, Serialize};

use crate::collection::Query;
use crate::gate::LatencyGate;
use crate::progress::Watched;
use crate::retriever::{Failure, FailureCause, Took, Turn, Turns, batch_size};
use crate::spec::Configuration;
use crate::{Error, Result};

use super::Measure;
use super::ask::{Built, build, pace, release};
use super::connect::Purpose;

/// More answers would take days, and their times more memory than there is.
const MOST: usize = 10_000_000;

/// Times of a configuration and, for a ratio, of its baseline.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Timed {
    pub(crate) sides: Vec<SideTimes>,
    /// Queries in a batch.
    pub(crate) batch: usize,
    pub(crate) queries: usize,
}

/// Times of one side in milliseconds: a list per block, with one for each query or batch.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct SideTimes {
    pub(crate) blocks: Vec<Vec<f64>>,
    /// Results in all counted blocks.
    pub(crate) results: usize,
}

impl SideTimes {
    /// All times, the shortest first.
    pub(crate) fn in_order(&self) -> Vec<f64> {
        let mut times = self.blocks.concat();
        times.sort_unstable_by(f64::total_cmp);
        times
    }
}

/// Times that were taken in this process.
pub(super) type AllTimed = Mutex<BTreeMap<String, Result<Arc<Timed>>>>;

/// The times that a gate on these sides needs, taken once per test run. A side whose answers cannot be scored has no
/// times.
///
/// # Errors
/// A configuration cannot be scored or built, or leaves a query without an answer.
pub(crate) fn timed(measure: &Measure, gate: &LatencyGate, sides: &[&Configuration]) -> Result<Arc<Timed>> {
    for side in sides {
        measure.measurement(side).map_err(|failure| in_side(&side.name, failure))?;
    }
    // Read before any retriever can write there; two documents of one id make no index.
    measure.read_golden_files();
    measure.corpus()?;
    let against = sides.get(1).map_or(String::new(), |baseline| format!("+{}", baseline.name));
    let blocks = gate.limit.blocks(measure.collection()?.queries().len(), measure.spec.statistics.confidence);
    let key = format!("{}{against}+{blocks}", measure.key_of("times", sides[0]));
    let mut known = measure.timed.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(timed) = known.get(&key) {
        return timed.clone();
    }
    let timed = measure.share_once(&key, || take_times(measure, blocks, sides)).map(Arc::new);
    known.insert(key, timed.clone());
    timed
}

fn take_times(measure: &Measure, blocks: usize, sides: &[&Configuration]) -> Result<Timed> {
    let _alone = alone(measure)?;
    let collection = measure.collection()?;
    let of_side = |who: usize| move |failure: Failure| in_side(&sides[who].name, failure);
    let mut built: Vec<Built> = Vec::with_capacity(sides.len());
    for (who, side) in sides.iter().enumerate() {
        let one = build(measure, &measure.spec, side, collection, Purpose::Times);
        built.push(one.map_err(|cause| of_side(who)(Failure::of_all(cause, 0)))?);
    }
    let queries: Arc<[Query]> = collection.queries().into();
    let mut batch = 1;
    for (who, (retriever, _)) in built.iter().enumerate() {
        let size = batch_size(retriever.as_ref());
        batch = size.map_err(|cause| of_side(who)(Failure::of_all(cause, queries.len())))?.max(batch);
    }
    let plan = Plan { queries: queries.len(), batch, blocks: blocks + 1, sides: sides.len() };
    let asked = plan.batches().saturating_mul(plan.blocks).saturating_mul(plan.sides);
    if asked > MOST {
        let message = format!("{asked} answers would be timed, and {MOST} are the most");
        return Err(Error::invalid(message));
    }
    let turns = Turns {
        retrievers: built
            .iter()
            .zip(sides)
            .map(|((retriever, _), side)| (Arc::clone(retriever), pace(measure, side).1))
            .collect(),
        queries: Arc::clone(&queries),
        depth: measure.spec.asked_depth(),
        turns: plan.turns(),
    };
    let names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
    let what = format!("{}: timing {}", measure.name(), names.join(" in turns with "));
    let watched = Watched::units(measure.context.observer(), what, asked, ["answer", "answers"]);
    let took = turns.ask(&|| watched.advance(1)).map_err(|(who, mut failure)| {
        failure.limited_in(sides.get(who).and_then(|side| side.timeout_line));
        of_side(who)(*failure)
    });
    drop(watched);
    let mut programs = Vec::with_capacity(built.len());
    let mut released = Ok(());
    for (who, (retriever, program)) in built.into_iter().enumerate() {
        let dropped = release(retriever);
        released = released.and(dropped.map_err(|cause| of_side(who)(Failure::of_all(cause, 0))));
        programs.push(program);
    }
    let took = took?;
    released?;
    for (who, program) in programs.into_iter().enumerate() {
        // A program may still fail when it ends.
        let finished = program.map_or(Ok(()), |program| program.finish());
        finished.map_err(|message| of_side(who)(Failure::of_all(FailureCause::Error(message), 0)))?;
    }
    Ok(Timed { sides: plan.sorted(&took), batch, queries: queries.len() })
}

/// Shared by all that ask retrievers; exclusive while times are taken.
static ASKING: RwLock<()> = RwLock::new(());
/// The same among the processes that share a folder for reports.
const FILE: &str = ".latency.lock";

/// A lock in this process, and one among processes.
pub(super) type Alone = (RwLockWriteGuard<'static, ()>, Option<File>);
pub(super) type AmongOthers = (RwLockReadGuard<'static, ()>, Option<File>);

/// Waits until no times are taken, in this process and, where the spec has latency gates, in the other ones.
pub(super) fn among_others(measure: &Measure) -> Result<AmongOthers> {
    let here = ASKING.read().unwrap_or_else(PoisonError::into_inner);
    let file = if measure.spec.latency.is_empty() { None } else { lock_file(measure, File::lock_shared)? };
    Ok((here, file))
}

/// Waits until no retriever runs.
pub(super) fn alone(measure: &Measure) -> Result<Alone> {
    let here = ASKING.write().unwrap_or_else(PoisonError::into_inner);
    Ok((here, lock_file(measure, File::lock)?))
}

/// `None` where nothing is written.
fn lock_file(measure: &Measure, lock: fn(&File) -> std::io::Result<()>) -> Result<Option<File>> {
    let folder = &measure.context.output;
    if folder.as_os_str().is_empty() {
        return Ok(None);
    }
    let path = folder.join(FILE);
    let io = |error| Error::output("cannot lock", &path, error);
    fs::create_dir_all(folder).map_err(io)?;
    let file = File::options().create(true).write(true).truncate(false).open(&path).map_err(io)?;
    lock(&file).map_err(io)?;
    Ok(Some(file))
}

fn in_side(name: &str, failure: Failure) -> Error {
    let message = format!("{name}: {failure}");
    Error::with_kind(Error::from(failure).kind(), message)
}

/// How much is asked, the untimed block included.
struct Plan {
    queries: usize,
    /// Queries in a batch.
    batch: usize,
    blocks: usize,
    sides: usize,
}

impl Plan {
    fn batches(&self) -> usize {
        self.queries.div_ceil(self.batch)
    }

    /// Block, batch and side of each turn in order. In each block both sides answer every query, one right after the other.
    /// The first side changes from query to query and from block to block, so that neither side profits.
    fn steps(&self) -> impl Iterator<Item = [usize; 3]> {
        let pairs = (0..self.blocks).flat_map(|block| (0..self.batches()).map(move |batch| (block, batch)));
        pairs.flat_map(move |(block, batch)| {
            (0..self.sides).map(move |at| [block, batch, (at + block + batch) % self.sides])
        })
    }

    fn turns(&self) -> Vec<Turn> {
        let turn = |[_, batch, who]: [usize; 3]| {
            let start = batch * self.batch;
            Turn { who, queries: start..(start + self.batch).min(self.queries) }
        };
        self.steps().map(turn).collect()
    }

    /// Times of the counted blocks, by side.
    fn sorted(&self, took: &[Took]) -> Vec<SideTimes> {
        let empty = SideTimes { blocks: vec![vec![0.0; self.batches()]; self.blocks - 1], results: 0 };
        let mut sides = vec![empty; self.sides];
        for ([block, batch, who], took) in self.steps().zip(took) {
            let Some(block) = block.checked_sub(1) else { continue };
            // Clocks have ticks, and the logarithm of 0 is not a number.
            sides[who].blocks[block][batch] = (took.time.as_secs_f64() * 1e3).max(1e-6);
            sides[who].results += took.results;
        }
        sides
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn plan(sides: usize) -> Plan {
        Plan { queries: 7, batch: 2, blocks: 3, sides }
    }

    #[test]
    fn both_sides_answer_every_query_one_right_after_the_other_and_begin_in_turns() {
        let turns = plan(2).turns();
        assert_eq!(turns.len(), 3 * 4 * 2);
        for (at, pair) in turns.chunks(2).enumerate() {
            let (block, batch) = (at / 4, at % 4);
            assert_eq!(pair[0].queries, batch * 2..(batch * 2 + 2).min(7));
            assert_eq!(pair[0].queries, pair[1].queries);
            let first = (block + batch) % 2;
            assert_eq!([pair[0].who, pair[1].who], [first, 1 - first]);
        }
    }

    #[test]
    fn the_first_block_does_not_count() {
        let took = |milliseconds| Took { time: Duration::from_millis(milliseconds), results: 1 };
        let sides = plan(1).sorted(&(0..12).map(took).collect::<Vec<_>>());
        let blocks = vec![vec![4.0, 5.0, 6.0, 7.0], vec![8.0, 9.0, 10.0, 11.0]];
        assert_eq!(sides, [SideTimes { blocks, results: 8 }]);
        let sides = plan(2).sorted(&(0..24).map(took).collect::<Vec<_>>());
        // The second side begins in the second block, and in the first of the others with the second query.
        assert_eq!(sides[0].blocks[0], [9.0, 10.0, 13.0, 14.0]);
        assert_eq!(sides[1].blocks[0], [8.0, 11.0, 12.0, 15.0]);
    }

    #[test]
    fn an_answer_takes_some_time() {
        let sides = plan(1).sorted(&[Took::default(); 12]);
        assert_eq!(sides[0].in_order(), [1e-6; 8]);
    }
}
