//! Connections: how many there may be, of one address and in all, how long a head may take, and how they end.
//!
//! The builder of axum's own `serve` is out of reach: it waits for heads for ever, and for a client that sent half of one when
//! it is to stop.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::future::poll_fn;
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWrite;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tower_service::Service;

use crate::limits::Limits;

/// After this time a connection takes no further request: a client that never reads an answer does not keep one.
const LIFE: Duration = Duration::from_secs(600);
/// Bytes of a head.
const HEAD: usize = 64 << 10;
/// The wait after the system refused a connection, as it does when it has no more of them.
const REFUSED: Duration = Duration::from_millis(200);

/// Connections that are refused at the same time and heard out, so that they hear why; and for how long.
const REFUSALS: usize = 256;
const HEARD: Duration = Duration::from_secs(1);

/// The connections that there are.
#[derive(Default)]
struct Connections {
    next: u64,
    /// By their number, the oldest first.
    all: BTreeMap<u64, Open>,
    by_address: HashMap<IpAddr, usize>,
}

/// One of them.
struct Open {
    of: IpAddr,
    /// Whether a request is being answered, all of which is there.
    is_busy: Arc<AtomicBool>,
    task: Option<AbortHandle>,
}

/// A connection's place among all.
struct Place {
    connections: Arc<Mutex<Connections>>,
    number: u64,
    is_busy: Arc<AtomicBool>,
}

impl Connections {
    /// Gives a place back, once.
    fn leave(&mut self, number: u64) -> Option<Open> {
        let open = self.all.remove(&number)?;
        if let Some(own) = self.by_address.get_mut(&open.of) {
            *own -= 1;
            if *own == 0 {
                self.by_address.remove(&open.of);
            }
        }
        Some(open)
    }

    /// Ends the oldest connection that answers nothing of the address that has the most of them, if those are more than
    /// `own` and one.
    fn make_room(&mut self, own: usize) -> bool {
        let most = self.by_address.iter().max_by_key(|(of, number)| (**number, **of));
        let Some(of) = most.filter(|(_, number)| **number > own + 1).map(|(of, _)| *of) else { return false };
        let waits = |open: &Open| open.of == of && !open.is_busy.load(Ordering::Relaxed);
        let oldest = self.all.iter().find(|(_, open)| waits(open)).map(|(number, _)| *number);
        let Some(open) = oldest.and_then(|number| self.leave(number)) else { return false };
        if let Some(task) = open.task {
            task.abort();
        }
        true
    }
}

impl Place {
    /// None where the address has as many as there may be, or the server has and no other address has more of them.
    fn take(connections: &Arc<Mutex<Connections>>, limits: &Limits, of: IpAddr) -> Option<Self> {
        let mut all = connections.lock().unwrap_or_else(PoisonError::into_inner);
        let own = all.by_address.get(&of).copied().unwrap_or(0);
        if own >= limits.connections_of_address
            || (all.all.len() >= limits.connections && !all.make_room(own))
        {
            return None;
        }
        all.next += 1;
        let (number, is_busy) = (all.next, Arc::<AtomicBool>::default());
        all.all.insert(number, Open { of, is_busy: Arc::clone(&is_busy), task: None });
        all.by_address.insert(of, own + 1);
        Some(Self { connections: Arc::clone(connections), number, is_busy })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.connections.lock().unwrap_or_else(PoisonError::into_inner).leave(self.number));
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

/// Serves until `stop` ends; then requests that were begun have some seconds, and the rest is cut off.
pub(crate) async fn serve(
    router: Router,
    listener: TcpListener,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'static,
) {
    let connections = Arc::<Mutex<Connections>>::default();
    let refusals = Arc::new(Semaphore::new(REFUSALS));
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
        match Place::take(&connections, &limits, owner(peer.ip())) {
            Some(place) => {
                let (router, stopping, number) = (router.clone(), stopping.clone(), place.number);
                let task = tasks.spawn(async move {
                    connection(router, (stream, peer, &place), limits, stopping).await;
                });
                let mut all = connections.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(open) = all.all.get_mut(&number) {
                    open.task = Some(task);
                }
            }
            None => {
                if let Ok(place) = Arc::clone(&refusals).try_acquire_owned() {
                    tasks.spawn(async move {
                        refuse(stream).await;
                        drop(place);
                    });
                }
            }
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
    (stream, peer, place): (TcpStream, SocketAddr, &Place),
    limits: Limits,
    mut stopping: watch::Receiver<()>,
) {
    // What is answered is small, and waited for.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        // Whoever sends half of a body waits as whoever sends half of a head does.
        place.is_busy.store(request.body().is_end_stream(), Ordering::Relaxed);
        let request = request.map(|body| Arriving { body, is_busy: Arc::clone(&place.is_busy) });
        let answer = router.clone().call(request);
        async move {
            let answer = answer.await.map_err(|never: Infallible| never);
            place.is_busy.store(false, Ordering::Relaxed);
            answer
        }
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

/// The body of a request: when it is there, its connection is busy.
struct Arriving {
    body: Incoming,
    is_busy: Arc<AtomicBool>,
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.is_busy.store(true, Ordering::Relaxed);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Answers that there is no place, if the client listens.
async fn refuse(mut stream: TcpStream) {
    let body = r#"{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"too many connections"}"#;
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\nRetry-After: 1\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    drop(stream.try_write(answer.as_bytes()));
    drop(poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await);
    // Where a connection ends before all that was sent is read, whoever is still sending hears of that and of no answer.
    let heard = async {
        let mut bytes = vec![0; 16 << 10];
        while stream.readable().await.is_ok() {
            match stream.try_read(&mut bytes) {
                Ok(0) => break,
                Err(error) if error.kind() != ErrorKind::WouldBlock => break,
                _ => {}
            }
        }
    };
    drop(timeout(HEARD, heard).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_places_and_gives_them_back() {
        let connections = Arc::default();
        let limits = Limits { connections: 3, connections_of_address: 2, ..Limits::default() };
        let [one, two, three] =
            ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(|text| text.parse::<IpAddr>().unwrap());
        let take = |of| Place::take(&connections, &limits, of);
        let (first, second) = (take(one), take(one));
        assert!(first.is_some() && second.is_some() && take(one).is_none());
        let third = take(two);
        // Of two against one nobody has more than their share.
        assert!(third.is_some() && take(two).is_none());
        // Whoever has none takes the place of the oldest that answers nothing, of whoever has the most.
        first.as_ref().unwrap().is_busy.store(true, Ordering::Relaxed);
        let fourth = take(three).unwrap();
        let left = |place: &Option<Place>| {
            connections.lock().unwrap().all.contains_key(&place.as_ref().unwrap().number)
        };
        assert_eq!((left(&first), left(&second), left(&third)), (true, false, true));
        // Place by place, and no place twice.
        drop((second, fourth));
        assert_eq!(connections.lock().unwrap().by_address.len(), 2);
        drop((first, third));
        assert!(
            connections.lock().unwrap().all.is_empty() && connections.lock().unwrap().by_address.is_empty()
        );
    }

    #[test]
    fn a_network_of_ipv6_is_one_owner() {
        let of = |text: &str| owner(text.parse().unwrap()).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!((of("::ffff:10.0.0.1"), of("10.0.0.1")), ("10.0.0.1".into(), "10.0.0.1".into()));
    }
}
