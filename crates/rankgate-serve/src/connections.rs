//! Connections: how many there may be, of one address and in all, how long a head may take, and how they end.
//!
//! The builder of axum's own `serve` is out of reach: it waits for heads for ever, and for whoever sent half of one when
//! it is to stop.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower_service::Service;

use crate::limits::Limits;

/// After this time a connection takes no further request: whoever never reads an answer does not keep one.
const LIFE: Duration = Duration::from_secs(600);
/// Bytes of a head.
const HEAD: usize = 64 << 10;
/// The wait after the system refused a connection, as it does when it has no more of them.
const REFUSED: Duration = Duration::from_millis(200);

/// How many connections there are.
#[derive(Default)]
struct Count {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A connection's place among all.
struct Place {
    count: Arc<Mutex<Count>>,
    of: IpAddr,
}

impl Place {
    /// None where the address, or the server, has as many as there may be.
    fn take(count: &Arc<Mutex<Count>>, limits: &Limits, of: IpAddr) -> Option<Self> {
        let mut all = count.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.by_address.get(&of).copied().unwrap_or(0);
        if all.all >= limits.connections || own >= limits.connections_of_address {
            return None;
        }
        all.all += 1;
        all.by_address.insert(of, own + 1);
        Some(Self { count: Arc::clone(count), of })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut all = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        all.all -= 1;
        if let Some(own) = all.by_address.get_mut(&self.of) {
            *own -= 1;
            if *own == 0 {
                all.by_address.remove(&self.of);
            }
        }
    }
}

/// Whom an address belongs to: of IPv6 somebody has a whole network of 64 bits.
pub(crate) fn owner(of: IpAddr) -> IpAddr {
    match of.to_canonical() {
        IpAddr::V6(six) => {
            let [a, b, c, d, ..] = six.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        four => four,
    }
}

/// Serves until `stop` ends; then requests that were begun have some seconds, and what is left is cut off.
pub(crate) async fn serve(
    router: Router,
    listener: TcpListener,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let count = Arc::<Mutex<Count>>::default();
    let (stopped, stopping) = watch::channel(());
    let (mut tasks, mut stop) = (JoinSet::new(), pin!(stop));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        while tasks.try_join_next().is_some() {}
        let Ok((stream, peer)) = accepted else {
            sleep(REFUSED).await;
            continue;
        };
        match Place::take(&count, &limits, owner(peer.ip())) {
            Some(place) => {
                let (router, stopping) = (router.clone(), stopping.clone());
                tasks.spawn(async move {
                    connection(router, (stream, peer), limits, stopping).await;
                    drop(place);
                });
            }
            None => refuse(&stream),
        }
    }
    drop((listener, stopping));
    // Nobody may be listening.
    let _ = stopped.send(());
    while tasks.join_next().await.is_some() {}
}

/// Answers the requests of a connection.
async fn connection(
    router: Router,
    (stream, peer): (TcpStream, SocketAddr),
    limits: Limits,
    mut stopping: watch::Receiver<()>,
) {
    // What is answered is small, and waited for.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = router.clone().call(request);
        async move { answer.await.map_err(|never: Infallible| never) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(HEAD);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        _ = connection.as_mut() => return,
        () = sleep(LIFE) => {}
        _ = stopping.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(timeout(limits.stop, connection).await);
}

/// Says that there is no place, to whoever listens.
fn refuse(stream: &TcpStream) {
    let body = r#"{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"too many connections"}"#;
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    drop(stream.try_write(answer.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_places_and_gives_them_back() {
        let (count, limits) =
            (Arc::default(), Limits { connections: 3, connections_of_address: 2, ..Limits::default() });
        let [one, two] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse::<IpAddr>().unwrap());
        let first = Place::take(&count, &limits, one);
        let second = Place::take(&count, &limits, one);
        assert!(first.is_some() && second.is_some() && Place::take(&count, &limits, one).is_none());
        let third = Place::take(&count, &limits, two);
        assert!(third.is_some() && Place::take(&count, &limits, two).is_none());
        drop(first);
        let again = Place::take(&count, &limits, two);
        assert!(again.is_some());
        drop((second, third, again));
        assert!(count.lock().unwrap().by_address.is_empty());
    }

    #[test]
    fn a_network_of_ipv6_is_one_owner() {
        let of = |text: &str| owner(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!((of("::ffff:10.0.0.1"), of("10.0.0.1")), ("10.0.0.1".into(), "10.0.0.1".into()));
    }
}
