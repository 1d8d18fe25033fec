//! Progress of a judge: a bar on a terminal, lines elsewhere.

use std::sync::Mutex;
use std::time::Duration;

use crate::terminal::Terminal;
use indicatif::{ProgressBar, ProgressStyle};
use rankgate_judge::Progress;

use super::plan::grouped;
use super::tally::about;

/// Progress as a bar on a terminal, as a line now and then elsewhere.
pub(super) struct Watched {
    bar: Option<ProgressBar>,
    /// In lines: how many tenths have been reported.
    told: Option<Mutex<usize>>,
    write: fn(&str),
}

impl Watched {
    pub(super) fn new(terminal: &Terminal) -> Self {
        let bar = terminal.draws_progress().then(|| {
            let style = ProgressStyle::with_template("judging {wide_bar} {pos}/{len} {msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
            ProgressBar::new(0).with_style(style)
        });
        let lines = !terminal.is_quiet() && bar.is_none();
        Self { bar, told: lines.then(|| Mutex::new(0)), write: terminal.progress() }
    }

    pub(super) fn see(&self, progress: Progress) {
        let Progress { done, pairs, .. } = progress;
        if let Some(bar) = &self.bar {
            bar.set_length(pairs as u64);
            bar.set_position(done as u64);
            bar.set_message(so_far(progress));
        }
        if let Some(told) = &self.told {
            let mut told = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let tenths = 10 * done / pairs.max(1);
            if tenths > *told {
                *told = tenths;
                (self.write)(&format!("judged {done} of {pairs}: {}", so_far(progress)));
            }
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

pub(super) fn so_far(progress: Progress) -> String {
    let Progress { requests, tokens, cost, uncounted, .. } = progress;
    let about = about(uncounted);
    let cost = cost.map_or_else(String::new, |cost| format!(", {about}{cost:.2} spent"));
    let left = progress
        .left()
        .filter(|left| !left.is_zero())
        .map_or_else(String::new, |left| format!(", {} left", time(left)));
    let tokens = match tokens[0].saturating_add(tokens[1]) {
        0 => String::new(),
        tokens => format!(", {about}{} tokens", grouped(tokens)),
    };
    format!("{} requests{tokens}{cost}{left}", grouped(requests))
}

pub(super) fn time(time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ ..3600 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
