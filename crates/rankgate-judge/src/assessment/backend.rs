//! Who is asked in the name of a spec's judge: a program or a server.

use super::{Assessment, server};
use crate::Result;
use crate::ask::{Asking, Budget, OwnProgram, Prices, Progress, Tally};
use crate::spec::JudgePlan;
use rankgate::internal::program::Limit;
use rankgate::judge::{Description, Item, Pair};

/// How a judge is asked.
#[derive(Clone, Copy, Debug)]
pub struct AskOptions {
    /// So many questions at once.
    pub concurrency: usize,
}

impl Assessment<'_> {
    /// Asks a judge about these pairs, and keeps nothing.
    pub(super) fn items_of(
        &self,
        judge: &Description,
        pairs: &[Pair],
        how: AskOptions,
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<(Vec<Item>, Tally)> {
        let items = std::sync::Mutex::new(Vec::new());
        let keep = |item: Item| {
            items.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(item);
            Ok(())
        };
        let tally = self.ask_of(judge, pairs, how, &keep, watch)?;
        Ok((items.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner), tally))
    }

    pub(super) fn ask_of(
        &self,
        judge: &Description,
        pairs: &[Pair],
        how: AskOptions,
        keep: &(dyn Fn(Item) -> Result<()> + Sync),
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<Tally> {
        let plan = self.judge()?;
        let earlier = self.earlier;
        let asking =
            Asking { judge, budget: budget(plan), earlier, concurrency: how.concurrency, keep, watch };
        if let Some((command, folder)) = &plan.command {
            let program = self.inspection.program(command, folder)?;
            let limit = limit(plan);
            let start = || OwnProgram::start(&program, judge, limit);
            let own = self.inspection.starting(&program, OwnProgram::patience(limit), start)?;
            let tally = asking.run(&own, pairs)?;
            // The end of a program is part of what it says; why one stopped before is in the tally.
            if tally.is_complete() {
                own.finish()?;
            }
            return Ok(tally);
        }
        let server = server::open(plan, judge)?;
        asking.run(&server, pairs)
    }
}

pub(super) fn budget(plan: &JudgePlan) -> Budget {
    let given = plan.budget;
    Budget {
        requests: given.and_then(|budget| budget.requests).map(|most| most as u64),
        cost: given.and_then(|budget| budget.cost),
        prices: given.and_then(|budget| budget.prices).map(|[read, written]| Prices { read, written }),
    }
}

/// Time for an answer.
pub(super) fn limit(plan: &JudgePlan) -> Limit {
    Limit { time: plan.timeout, queries: 1, line: plan.timeout_line }
}
