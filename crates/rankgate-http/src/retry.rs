//! When a request is worth repeating, and after how long.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a service is asked for an answer, and how often.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For the answer, repetitions included.
    pub time: Duration,
    /// So often a request is made at most.
    pub tries: u32,
    /// Statuses that say the service is there but busy.
    pub busy: &'static [u16],
    /// Whether many ask in the same moment: then each waits for a time of its own, and none less than the service wishes.
    pub crowded: bool,
    /// Whether a request that may have arrived is not repeated: what it adds would be there twice.
    pub once: bool,
}

/// The wait before the first repetition; each next one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// Nobody of a crowd waits for so much longer than others.
const LONGEST_SPREAD: Duration = Duration::from_secs(10);

/// How long to wait after so many tries, 1 or more: as long as the service wishes, or twice as long
/// as before. A busy service that wishes to be asked at once would be asked in a loop: that is no wish.
pub(super) fn wait(tries: u32, wish: Option<Duration>) -> Duration {
    let own = FIRST_WAIT * 2_u32.saturating_pow(tries.saturating_sub(1).min(10));
    wish.filter(|wish| *wish >= FIRST_WAIT).unwrap_or(own)
}

/// The same of one among many, who would all come again in one moment: at least as long as the service wishes and as it
/// is after so many tries, and up to twice as long.
pub(super) fn wait_in_crowd(tries: u32, wish: Option<Duration>) -> Duration {
    let least = wait(tries, None).max(wish.unwrap_or_default());
    // Each of these hashes otherwise.
    let drawn = RandomState::new().build_hasher().finish() >> 32;
    least.saturating_add(least.min(LONGEST_SPREAD).mul_f64(drawn as f64 / f64::from(u32::MAX)))
}

/// The wish of a `Retry-After` header (RFC 9110, section 10.2.3): a number of seconds. A moment that no clock shows is no wish.
pub(super) fn wish(header: &str) -> Option<Duration> {
    let wish = Duration::from_secs(header.trim().parse().ok()?);
    SystemTime::now().checked_add(wish).map(|_| wish)
}

/// The wish of a forge whose limit of requests ends at a moment, in seconds since 1970 (`X-RateLimit-Reset`).
pub(super) fn wish_at(header: &str) -> Option<Duration> {
    let moment = UNIX_EPOCH.checked_add(Duration::from_secs(header.trim().parse().ok()?))?;
    Some(moment.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_unless_the_service_wishes_otherwise() {
        let waits: Vec<u128> = (1..5).map(|tries| wait(tries, None).as_millis()).collect();
        assert_eq!(waits, [200, 400, 800, 1600]);
        assert_eq!(wait(1, wish(" 3 ")), Duration::from_secs(3));
        assert_eq!(wait(4, wish("0")), wait(4, None));
        for (tries, wish, least) in
            [(1, None, 200), (4, None, 1_600), (1, Some(3), 3_000), (6, Some(1), 6_400)]
        {
            let waits: Vec<u128> =
                (0..50).map(|_| wait_in_crowd(tries, wish.map(Duration::from_secs)).as_millis()).collect();
            assert!(waits.iter().all(|wait| (least..=2 * least).contains(wait)), "{waits:?}");
            assert!(waits.iter().max() > waits.iter().min(), "{waits:?}");
        }
        for header in ["", "-1", "1.5", "soon"] {
            assert_eq!(wish(header), None);
        }
        assert!(wish_at(" 253402300799 ").unwrap() > Duration::from_secs(365 * 86_400));
        assert_eq!((wish_at("1"), wish_at("soon")), (Some(Duration::ZERO), None));
    }

    /// A service may write any number. Seconds of a clock are an `i64` at most: 2^63 and more are none on any system.
    #[test]
    fn a_moment_that_no_clock_shows_is_no_wish() {
        for impossible in [u64::MAX, u64::MAX - 1, 1 << 63] {
            let header = impossible.to_string();
            assert_eq!((wish(&header), wish_at(&header)), (None, None), "{header}");
        }
        assert_eq!((wish("18446744073709551616"), wish_at("18446744073709551616")), (None, None));
        for far in [u64::MAX, 1 << 62, 253_402_300_799] {
            let wish = Duration::from_secs(far);
            assert!(wait_in_crowd(1, Some(wish)) >= wish && wait(1, Some(wish)) == wish, "{far}");
        }
        for header in [u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 62].map(|number| number.to_string()) {
            for wish in [wish(&header), wish_at(&header)] {
                assert!(wait_in_crowd(u32::MAX, wish) >= FIRST_WAIT, "{header}");
            }
        }
    }
}
