//! When the next request may go out: all wait together for a server that is busy.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rand::TryRng;

use crate::stats::Stream;

/// The wait before the first repetition; each next one is twice as long.
const FIRST: Duration = Duration::from_millis(if cfg!(test) { 10 } else { 200 });
/// The longest wait where a server does not name one.
const LONGEST: Duration = Duration::from_secs(30);
/// How often somebody who waits looks whether it is still worth it.
const LOOK: Duration = Duration::from_millis(50);

/// The time before which nothing is sent.
#[derive(Debug)]
pub(super) struct Pace(Mutex<Instant>);

impl Pace {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// Waits until something may be sent; `false` where it is not worth it any more.
    pub(super) fn wait(&self, jitter: &Stream, given_up: impl Fn() -> bool) -> bool {
        let mut waited = Duration::ZERO;
        loop {
            if given_up() {
                return false;
            }
            let until = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let nap = left.min(LOOK);
            thread::sleep(nap);
            waited += nap;
        }
        // Not all at the same moment.
        thread::sleep(waited.min(LONGEST).mul_f64(share(jitter) / 4.0));
        true
    }

    /// Nobody sends anything for as long as a server wishes after so many tries, 1 or more, or for twice as long as
    /// after the try before. A wish to be asked at once is heeded after the first try alone: a busy server that has it every
    /// time would be asked in a loop.
    pub(super) fn back_off(&self, tries: u32, wish: Option<Duration>, jitter: &Stream) {
        let own = (FIRST * 2_u32.saturating_pow(tries.saturating_sub(1).min(10))).min(LONGEST);
        let wait = wish.filter(|wish| *wish >= FIRST || tries == 1).unwrap_or(own);
        let until = Instant::now() + wait.mul_f64(1.0 + share(jitter) / 4.0);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *open = (*open).max(until);
    }
}

/// From 0 to 1, the same for the same stream.
fn share(jitter: &Stream) -> f64 {
    let Ok(number) = jitter.rng(0).try_next_u64();
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_backs_off_holds_all_back() {
        let pace = Pace::new();
        let jitter = Stream::new(1);
        let start = Instant::now();
        assert!(pace.wait(&jitter, || false));
        pace.back_off(1, None, &jitter);
        // A shorter wish of another does not shorten it.
        pace.back_off(1, Some(Duration::ZERO), &jitter.for_name("other"));
        assert!(!pace.wait(&jitter, || true));
        assert!(pace.wait(&jitter, || false));
        assert!(start.elapsed() >= FIRST);
    }

    #[test]
    fn a_wish_to_be_asked_at_once_is_no_reason_to_ask_in_a_loop() {
        let (jitter, zero) = (Stream::new(1), Some(Duration::ZERO));
        let after = |tries, wish| {
            let (pace, start) = (Pace::new(), Instant::now());
            pace.back_off(tries, wish, &jitter);
            let until = *pace.0.lock().unwrap();
            until.duration_since(start)
        };
        assert!(after(1, zero) < FIRST);
        for tries in 2..6 {
            assert!(after(tries, zero) >= FIRST * 2_u32.pow(tries - 1), "{tries}");
            assert!(after(tries, Some(Duration::from_secs(9))) >= Duration::from_secs(9));
        }
    }
}
