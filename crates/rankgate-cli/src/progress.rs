//! Work as bars on a terminal, or as a few lines elsewhere.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rankgate::progress::{Event, Lines, Observer, Work};

use crate::terminal::Terminal;

/// The observer: none with --quiet.
pub(crate) fn observer(terminal: &Terminal) -> Option<Arc<dyn Observer>> {
    let lines = Lines::written_by(terminal.progress());
    watching(terminal, if terminal.is_read_by_program() { lines } else { lines.with_starts() })
}

/// The same, for long work only.
pub(crate) fn of_long_work(terminal: &Terminal) -> Option<Arc<dyn Observer>> {
    watching(terminal, Lines::written_by(terminal.progress()))
}

fn watching(terminal: &Terminal, lines: Lines) -> Option<Arc<dyn Observer>> {
    if terminal.is_quiet() {
        None
    } else if terminal.draws_progress() {
        Some(Arc::new(Bars::default()))
    } else {
        Some(Arc::new(lines))
    }
}

/// A bar for each piece of work that is under way, gone when it is done.
#[derive(Default)]
struct Bars {
    screen: MultiProgress,
    bars: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Observer for Bars {
    fn observe(&self, work: Work<'_>, event: Event) {
        let name = name_of(work);
        let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started(units) => {
                let bar = match units {
                    Some(units) => ProgressBar::new(units as u64).with_style(counted(work)),
                    None => ProgressBar::new_spinner().with_style(style("{spinner} {prefix} {elapsed}")),
                };
                let bar = self.screen.add(bar.with_prefix(name.clone()));
                bar.enable_steady_tick(Duration::from_millis(100));
                bars.insert(name, bar);
            }
            Event::Advanced(units) => {
                if let Some(bar) = bars.get(&name) {
                    bar.inc(units as u64);
                }
            }
            Event::Ended => {
                if let Some(bar) = bars.remove(&name) {
                    bar.finish_and_clear();
                    self.screen.remove(&bar);
                }
            }
            _ => {}
        }
    }
}

fn counted(work: Work<'_>) -> ProgressStyle {
    match work {
        // Gates wait for the retrievers that they need, so that a rate of them would say nothing.
        Work::Deciding { .. } => style("{prefix:32!} {wide_bar} {pos}/{len} gates"),
        _ => style("{prefix:32!} {wide_bar} {pos}/{len} {per_sec}, {eta} left"),
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

fn name_of(work: Work<'_>) -> String {
    match work {
        Work::Deciding { benchmark } => benchmark.to_owned(),
        Work::Loading { benchmark } => format!("{benchmark}: reading queries and judgments"),
        Work::Reading { benchmark } => format!("{benchmark}: reading documents"),
        Work::Building { configuration, .. } => format!("  building {configuration}"),
        Work::Starting { program, limit } => {
            format!("  waiting for {program} to say hello, {} s at most", limit.as_secs())
        }
        Work::Asking { configuration, .. } => format!("  asking {configuration}"),
        Work::Timing { configuration, .. } => format!("  timing {configuration}"),
        Work::Comparing { comparisons, .. } => format!("  resampling, comparisons: {comparisons}"),
        _ => String::new(),
    }
}
