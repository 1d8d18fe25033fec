//! When a request is worth repeating, and after how long.

use std::time::Duration;

/// How long a service is asked for an answer, and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For the answer, repetitions included.
    pub(crate) time: Duration,
    /// So often a request is made at most.
    pub(crate) tries: u32,
    /// Statuses that say the service is there but busy.
    pub(crate) busy: &'static [u16],
}

/// The wait before the first repetition; each next one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// How long to wait after so many tries, 1 or more: as long as the service wishes, or twice as long
/// as before.
pub(super) fn wait(tries: u32, wish: Option<Duration>) -> Duration {
    let own = FIRST_WAIT * 2_u32.saturating_pow(tries.saturating_sub(1).min(10));
    wish.map_or(own, |wish| wish.max(FIRST_WAIT))
}

/// The wish of a `Retry-After` header (RFC 9110, section 10.2.3). Of its two forms the number of
/// seconds is read; a date is not, since clocks differ.
pub(super) fn wish(header: &str) -> Option<Duration> {
    header.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_unless_the_service_wishes_otherwise() {
        let waits: Vec<u128> = (1..5).map(|tries| wait(tries, None).as_millis()).collect();
        assert_eq!(waits, [200, 400, 800, 1600]);
        assert_eq!(wait(1, wish(" 3 ")), Duration::from_secs(3));
        assert_eq!(wait(4, wish("0")), FIRST_WAIT);
        for header in ["", "-1", "1.5", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            assert_eq!(wish(header), None);
        }
    }
}
