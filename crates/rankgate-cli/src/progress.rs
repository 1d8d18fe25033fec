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
    fn observe(&self, work: &Work, event: Event) {
        let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started => {
                let bar = match work.units {
                    Some((units, _)) => {
                        let counted = style("{prefix:32!} {wide_bar} {pos}/{len} {per_sec}, {eta} left");
                        ProgressBar::new(units as u64).with_style(counted)
                    }
                    None => ProgressBar::new_spinner().with_style(style("{spinner} {prefix} {elapsed}")),
                };
                let limit = work.limit.map(|limit| format!(", {} s at most", limit.as_secs()));
                let bar = bar.with_prefix(work.what.clone() + &limit.unwrap_or_default());
                let bar = self.screen.add(bar);
                bar.enable_steady_tick(Duration::from_millis(100));
                bars.insert(work.what.clone(), bar);
            }
            Event::Advanced(units) => {
                if let Some(bar) = bars.get(&work.what) {
                    bar.inc(units as u64);
                }
            }
            Event::Ended => {
                if let Some(bar) = bars.remove(&work.what) {
                    bar.finish_and_clear();
                    self.screen.remove(&bar);
                }
            }
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}
