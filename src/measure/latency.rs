//! How long configurations take to answer: two of them are asked in turns, and nothing else is asked meanwhile.

use std::fs;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rand::TryRng;

use crate::collection::Query;
use crate::gate::LatencyGate;
use crate::json::as_json;
use crate::model::MachineReport;
use crate::order::SmallMap;
use crate::progress::{Watched, Work};
use crate::retriever::{Failure, FailureCause, Likeness, Sketch, Took, Turn, Turns, batch_size};
use crate::spec::Configuration;
use crate::stats::Stream;
use crate::{Error, Result};

use super::Cache;
use super::ask::Built;
use super::connect::Purpose;

/// More answers would take days, and their times more memory than there is.
const MOST: usize = 10_000_000;

/// Times of a configuration, and of what it is compared with, in nanoseconds: block by block, one for each query or batch.
#[derive(Debug, PartialEq)]
pub(crate) struct Timed {
    pub(crate) candidate: Vec<Vec<u64>>,
    /// The baseline beside it, and then twice beside itself.
    pub(crate) baseline: Option<[Vec<Vec<u64>>; 3]>,
    /// Results in all counted blocks of the candidate beside the baseline, and of that.
    pub(crate) results: [usize; 2],
    /// How all their answers in these blocks stand to those that are scored.
    pub(crate) likeness: [Likeness; 2],
    /// How many queries are asked at once.
    pub(crate) batch: usize,
    /// How many queries there are.
    pub(crate) queries: usize,
    pub(crate) machine: MachineReport,
}

as_json!(struct Timed { candidate, baseline, results, likeness, batch, queries, machine });

/// What was timed in this process.
pub(super) type AllTimed = Mutex<SmallMap<String, Result<Arc<Timed>>>>;

impl Cache {
    /// The times that a gate on this configuration is about, taken once in this test run.
    ///
    /// # Errors
    /// A configuration that cannot be built or does not answer: none of its times is a time then.
    pub(crate) fn timed(&self, gate: &LatencyGate, configuration: &Configuration) -> Result<Arc<Timed>> {
        let baseline = gate.limit.baseline().map(|name| self.configuration(name)).transpose()?;
        // Read while others may ask: what was blessed before a retriever can write there, and the documents, of which two of
        // one id make no index.
        self.read_golden_files();
        self.corpus()?;
        let against = baseline.map_or(String::new(), |baseline| format!("+{}", baseline.name));
        let of_blocks = format!("{against}+{}-{}", gate.blocks, gate.warm_up);
        let key = self.key_of("times", configuration) + &of_blocks;
        let mut known = self.timed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(timed) = known.get(&key) {
            return timed.clone();
        }
        let take = || self.take_times(gate, configuration, baseline);
        let timed = self.share_once(&key, take).map(Arc::new);
        known.insert(key, timed.clone());
        timed
    }

    /// By query, the answer of a configuration that is scored, as far as this run has asked it.
    fn scored_answers(&self, configuration: &Configuration, queries: &[Query]) -> Vec<Option<Sketch>> {
        let known = self.slot(configuration).sketches.get();
        queries.iter().map(|query| known?.get(&query.id).copied()).collect()
    }

    fn take_times(
        &self,
        gate: &LatencyGate,
        configuration: &Configuration,
        baseline: Option<&Configuration>,
    ) -> Result<Timed> {
        let _alone = self.alone()?;
        let collection = self.collection()?;
        let sides: Vec<&Configuration> = std::iter::once(configuration).chain(baseline).collect();
        let of_side =
            |who: usize| move |failure: Failure| in_side(sides_name(configuration, baseline, who), failure);
        let observer = self.context.observer();
        let mut built: Vec<Built> = Vec::with_capacity(sides.len());
        for (who, side) in sides.iter().enumerate() {
            let one = self.build(&self.spec, side, collection, Purpose::Times);
            built.push(one.map_err(|cause| of_side(who)(Failure::of_all(cause, 0)))?);
        }
        let queries: Arc<[Query]> = collection.queries().into();
        let mut batch = 1;
        for (who, (retriever, _)) in built.iter().enumerate() {
            let size = batch_size(retriever.as_ref());
            batch = size.map_err(|cause| of_side(who)(Failure::of_all(cause, queries.len())))?.max(batch);
        }
        let plan = Plan {
            batches: queries.len().div_ceil(batch),
            blocks: gate.warm_up + gate.blocks,
            is_pair: baseline.is_some(),
        };
        let asked = plan.batches.saturating_mul(plan.blocks).saturating_mul(if plan.is_pair { 4 } else { 1 });
        if asked > MOST {
            let message =
                format!("{asked} answers would be timed, and {MOST} are the most: ask for fewer `blocks`");
            return Err(Error::invalid(message));
        }
        let stream = Stream::new(self.spec.statistics.seed).for_name(self.name()).for_name("latency");
        let stream = sides.iter().fold(stream, |stream, side| stream.for_name(&side.name));
        let steps = plan.steps(&stream);
        let of_batch =
            |number: usize| -> Range<usize> { number * batch..((number + 1) * batch).min(queries.len()) };
        let turn = |step: &Step| Turn { who: step.place.who(), queries: of_batch(step.batch) };
        let turns = Turns {
            retrievers: built
                .iter()
                .zip(&sides)
                .map(|((retriever, _), side)| (Arc::clone(retriever), self.pace(side).1))
                .collect(),
            scored: sides.iter().map(|side| self.scored_answers(side, &queries)).collect(),
            queries: Arc::clone(&queries),
            depth: self.spec.asked_depth(),
            turns: steps.iter().map(turn).collect(),
        };
        let before = load();
        let (name, against) = (&configuration.name, baseline.map(|baseline| baseline.name.as_str()));
        let work = Work::Timing { benchmark: self.name(), configuration: name, baseline: against };
        let watched = Watched::start(observer, work, Some(steps.len()));
        let took = turns.ask(&|| watched.advance(1)).map_err(|(who, mut failure)| {
            let line = sides.get(who).and_then(|side| side.timeout_line);
            failure.late.iter_mut().for_each(|late| late.line = line);
            of_side(who)(*failure)
        });
        drop(watched);
        let clock_ns = clock();
        let machine = MachineReport {
            clock_ns,
            processors: thread::available_parallelism().map_or(1, NonZeroUsize::get),
            load: before.zip(load()).map(|(before, after)| [before, after]),
        };
        let mut programs = Vec::with_capacity(built.len());
        let mut released = Ok(());
        for (who, (retriever, program)) in built.into_iter().enumerate() {
            let dropped = self.release(sides[who], retriever);
            released = released.and(dropped.map_err(|cause| of_side(who)(Failure::of_all(cause, 0))));
            programs.push(program);
        }
        let took = took?;
        released?;
        for (who, program) in programs.into_iter().enumerate() {
            // The end of a program is part of what it says.
            let finished = program.map_or(Ok(()), |program| program.finish());
            finished.map_err(|message| of_side(who)(Failure::of_all(FailureCause::Error(message), 0)))?;
        }
        Ok(sorted(&steps, &took, gate, &plan, (batch, queries.len()), machine))
    }
}

fn in_side(name: &str, failure: Failure) -> Error {
    let message = format!("{name}: {failure}");
    Error::with_kind(Error::from(failure).kind(), message)
}

fn sides_name<'a>(
    configuration: &'a Configuration,
    baseline: Option<&'a Configuration>,
    who: usize,
) -> &'a str {
    &baseline.filter(|_| who > 0).unwrap_or(configuration).name
}

/// Where a time belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Candidate,
    /// Beside the candidate.
    Baseline,
    /// Beside itself: the first of the two, or the second. The two are the same retriever.
    Itself(usize),
}

impl Place {
    fn who(self) -> usize {
        match self {
            Self::Candidate => 0,
            Self::Baseline | Self::Itself(_) => 1,
        }
    }
}

/// One thing to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    block: usize,
    batch: usize,
    place: Place,
}

/// How much is asked.
struct Plan {
    batches: usize,
    blocks: usize,
    is_pair: bool,
}

impl Plan {
    /// All that is asked, in its order. In each block every query is asked of both sides, one right after the other, and
    /// in a part of its own twice of the baseline: beside the candidate a third question would find the baseline's caches
    /// warm. Which part, which query and which side comes first is drawn by lot; each pair has the opposite order in the
    /// next block, so that coming second favours neither side.
    fn steps(&self, stream: &Stream) -> Vec<Step> {
        let parts: &[[Place; 2]] =
            &[[Place::Candidate, Place::Baseline], [Place::Itself(0), Place::Itself(1)]];
        let mut steps = Vec::new();
        for block in 0..self.blocks {
            let mut order = Lots(stream.for_name("order").rng(block as u64));
            let turned = order.below(2);
            let parts: Vec<&[Place]> = match self.is_pair {
                true => (0..2).map(|part| parts[part ^ turned].as_slice()).collect(),
                false => vec![&parts[0][..1]],
            };
            for part in parts {
                // One lot for two blocks, from the part's own name.
                let name = if part[0] == Place::Candidate { "pairs" } else { "itself" };
                let mut first = Lots(stream.for_name(name).rng(block as u64 / 2));
                let first: Vec<usize> = (0..self.batches).map(|_| first.below(2) ^ (block % 2)).collect();
                for batch in order.shuffled(self.batches) {
                    let places =
                        (0..part.len()).map(|at| part[if part.len() == 2 { at ^ first[batch] } else { at }]);
                    steps.extend(places.map(|place| Step { block, batch, place }));
                }
            }
        }
        steps
    }
}

/// Random numbers below some number.
struct Lots<R>(R);

impl<R: TryRng<Error = std::convert::Infallible>> Lots<R> {
    fn below(&mut self, count: usize) -> usize {
        let Ok(bits) = self.0.try_next_u64();
        // The high half of the product: as good as even for such numbers.
        ((u128::from(bits) * count as u128) >> 64) as usize
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            all.swap(last, self.below(last + 1));
        }
        all
    }
}

/// The times of the blocks that count, by side, block and query.
fn sorted(
    steps: &[Step],
    took: &[Took],
    gate: &LatencyGate,
    plan: &Plan,
    (batch, queries): (usize, usize),
    machine: MachineReport,
) -> Timed {
    let empty = || vec![vec![0; plan.batches]; gate.blocks];
    let mut times = [empty(), empty(), empty(), empty()];
    let mut results = [0; 2];
    let mut likeness = [Likeness::default(); 2];
    for (step, took) in steps.iter().zip(took) {
        let Some(block) = step.block.checked_sub(gate.warm_up) else { continue };
        let which = match step.place {
            Place::Candidate => 0,
            Place::Baseline => 1,
            Place::Itself(which) => 2 + which,
        };
        // No answer takes no time: one that is shorter than a tick of the clock takes up to one.
        let time = u64::try_from(took.time.as_nanos()).unwrap_or(u64::MAX);
        times[which][block][step.batch] = time.max(machine.clock_ns).max(1);
        likeness[step.place.who()] += took.likeness;
        if which < 2 {
            results[which] += took.results;
        }
    }
    let [candidate, baseline, first, second] = times;
    let baseline = plan.is_pair.then_some([baseline, first, second]);
    Timed { candidate, baseline, results, likeness, batch, queries, machine }
}

/// The shortest time that the clock tells from none, in nanoseconds.
fn clock() -> u64 {
    let tick = || {
        let start = Instant::now();
        (0..1_000_000).map(|_| start.elapsed()).find(|time| *time > Duration::ZERO)
    };
    let shortest = (0..100).filter_map(|_| tick()).min();
    shortest.map_or(1, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// How many programs wanted to run in the last minute, where the system tells.
fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(is_pair: bool) -> Vec<Step> {
        Plan { batches: 7, blocks: 4, is_pair }.steps(&Stream::new(1))
    }

    #[test]
    fn every_block_asks_every_query_of_both_sides_right_after_each_other() {
        let all = steps(true);
        assert_eq!(all.len(), 4 * 7 * 4);
        for pair in all.chunks(2) {
            assert_eq!((pair[0].block, pair[0].batch), (pair[1].block, pair[1].batch));
            let of_itself = |step: &Step| matches!(step.place, Place::Itself(_));
            assert_eq!(of_itself(&pair[0]), of_itself(&pair[1]));
            assert_ne!(pair[0].place, pair[1].place);
        }
        for block in 0..4 {
            for batch in 0..7 {
                for place in [Place::Candidate, Place::Baseline, Place::Itself(0), Place::Itself(1)] {
                    assert_eq!(all.iter().filter(|step| **step == Step { block, batch, place }).count(), 1);
                }
            }
        }
        // The four questions of one query are two pairs, with the other queries of a part between them.
        assert!(all.windows(4).any(|four| four[0].batch != four[2].batch));
    }

    #[test]
    fn who_is_first_is_drawn_and_turned_round_in_the_next_block() {
        let all = steps(true);
        let first = |block: usize, batch: usize, of: [Place; 2]| {
            let found = all
                .iter()
                .find(|step| step.block == block && step.batch == batch && of.contains(&step.place));
            found.unwrap().place
        };
        for of in [[Place::Candidate, Place::Baseline], [Place::Itself(0), Place::Itself(1)]] {
            let drawn: Vec<bool> = (0..7).map(|batch| first(0, batch, of) == of[0]).collect();
            assert!(drawn.contains(&true) && drawn.contains(&false), "{drawn:?}");
            for batch in 0..7 {
                assert_ne!(first(0, batch, of), first(1, batch, of));
                assert_ne!(first(2, batch, of), first(3, batch, of));
            }
        }
        assert_eq!(all, steps(true), "the same lots every time");
        let other = Plan { batches: 7, blocks: 4, is_pair: true }.steps(&Stream::new(2));
        assert_ne!(all, other);
    }

    #[test]
    fn one_side_alone_is_asked_every_query_once_a_block() {
        let all = steps(false);
        assert_eq!(all.len(), 4 * 7);
        assert!(all.iter().all(|step| step.place == Place::Candidate));
    }

    #[test]
    fn the_clock_ticks() {
        assert!((1..1_000_000_000).contains(&clock()));
    }
}
