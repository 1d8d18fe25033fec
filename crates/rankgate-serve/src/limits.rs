//! How much is taken from anyone.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Limits of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a body, before and after it is decompressed.
    pub body: usize,
    /// Seconds in which a body has to arrive.
    pub seconds: u64,
    /// Requests a second of one address, and of one token, on average; 0 is any number.
    pub requests: u32,
    /// For which a sign-in stands, at most.
    pub session: Duration,
    /// Requests that are computed at the same time; others wait.
    pub at_once: usize,
    /// In which an evaluation or comparison has to be computed.
    pub compute: Duration,
    /// For which a request waits until others are computed.
    pub queue: Duration,
    /// Evaluations and comparisons of one caller that wait.
    pub waiting: usize,
    /// Scores of one request: its queries by its metrics by its runs.
    pub scores: usize,
    /// Bytes of memory for all that is computed at the same time, and as many for the scores of histories.
    pub memory: usize,
    /// Bytes of all bodies that are held at the same time; of one caller half of it.
    pub bodies: usize,
    /// In which a head has to arrive, and the next request of a connection.
    pub head: Duration,
    /// Connections at the same time.
    pub connections: usize,
    /// The same of one address; of IPv6, of one network of 64 bits.
    pub connections_of_address: usize,
    /// In which requests that were begun have to end when the server is to stop.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 64 << 20,
            seconds: 60,
            // Eight clients that push what is known already reach 800: no honest CI meets it.
            requests: 1_000,
            session: Duration::from_secs(12 * 60 * 60),
            at_once: 4,
            compute: Duration::from_secs(60),
            queue: Duration::from_secs(30),
            waiting: 8,
            scores: 10_000_000,
            memory: 1 << 30,
            bodies: 256 << 20,
            head: Duration::from_secs(30),
            connections: 512,
            connections_of_address: 128,
            stop: Duration::from_secs(10),
        }
    }
}

impl Limits {
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// A bucket for each client: it holds as many requests as a second allows, twice.
#[derive(Default)]
pub(crate) struct Rates(Mutex<HashMap<String, (f64, Instant)>>);

/// Clients that are remembered.
const CLIENTS: usize = 10_000;

impl Rates {
    /// Whether one more request of a client is within the rate.
    pub(crate) fn allows(&self, client: &str, rate: u32, now: Instant) -> bool {
        if rate == 0 {
            return true;
        }
        let (rate, mut clients) = (f64::from(rate), self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if clients.len() >= CLIENTS {
            // Those whose buckets are full again are as good as new.
            clients.retain(|_, (_, last)| now.saturating_duration_since(*last) < Duration::from_secs(2));
        }
        let (left, last) = clients.entry(client.to_owned()).or_insert((2.0 * rate, now));
        *left = (*left + rate * now.saturating_duration_since(*last).as_secs_f64()).min(2.0 * rate);
        *last = now;
        if *left < 1.0 {
            return false;
        }
        *left -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_rate_lets_eight_pushing_clients_through_and_no_flood() {
        let (rates, start, rate) = (Rates::default(), Instant::now(), Limits::default().requests);
        let at = |request: u32, a_second: u32| start + Duration::from_secs(1) * request / a_second;
        assert!((0..8_000).all(|request| rates.allows("ci", rate, at(request, 800))));
        // Twice as many as in a second at once, and then as many a second.
        let flood = (0..50_000).filter(|&request| rates.allows("flood", rate, at(request, 10_000))).count();
        assert!((6_900..=7_001).contains(&flood), "{flood}");
    }

    #[test]
    fn a_client_has_a_rate_of_its_own() {
        let (rates, start) = (Rates::default(), Instant::now());
        let allowed = |client: &str, number: usize, at: u64| {
            let now = start + Duration::from_secs(at);
            (0..number).filter(|_| rates.allows(client, 5, now)).count()
        };
        assert_eq!((allowed("a", 20, 0), allowed("b", 3, 0)), (10, 3));
        assert_eq!((allowed("a", 20, 1), allowed("a", 20, 100)), (5, 10));
        assert!((0..1_000).all(|_| rates.allows("a", 0, start)));
    }
}
