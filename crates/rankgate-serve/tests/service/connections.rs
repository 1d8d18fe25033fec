//! Heads that never end, connections without number, and a server that is to stop beside them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::client::send;
use crate::faults::start;
use crate::running::Running;

const HALF: &[u8] = b"GET /health HTTP/1.1\r\nHost: localhost\r\n";

/// A connection from an address of this machine.
pub(crate) fn from(to: SocketAddr, from: &str) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let connected = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(format!("{from}:0").parse().unwrap()).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    connected.set_nonblocking(false).unwrap();
    connected.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    connected
}

/// Half of a head.
fn half(to: SocketAddr, of: &str) -> TcpStream {
    let mut stream = from(to, of);
    // One that was refused may be closed already.
    drop(stream.write_all(HALF));
    stream
}

/// What comes until the other side closes; an error where it does not within 30 seconds.
fn rest(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => Err(error),
        _ => Ok(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

#[test]
fn a_half_sent_head_has_its_time_and_no_more() {
    let server = Running::with(|mut settings| {
        settings.limits.head = Duration::from_millis(200);
        settings
    });
    let mut stream = half(server.address, "127.0.0.1");
    assert!(!rest(&mut stream).expect("it is kept open").contains("200 OK"));
    server.get("/health").expect(200);
}

#[test]
fn an_address_that_holds_its_connections_leaves_room_for_others() {
    let server = Running::with(|mut settings| {
        (settings.limits.connections, settings.limits.connections_of_address) = (30, 20);
        settings
    });
    let held: Vec<TcpStream> = (0..100).map(|_| half(server.address, "127.0.0.2")).collect();
    // Another address is answered; the same one is told why it is not.
    server.get("/health").expect(200);
    let mut refused = half(server.address, "127.0.0.2");
    assert!(rest(&mut refused).unwrap().contains("503 Service Unavailable"));
    // All of them together have a limit too, which whoever has fewer is not held to.
    let further: Vec<TcpStream> = (3..9)
        .flat_map(|of| (0..20).map(move |_| (of, ())))
        .map(|(of, ())| half(server.address, &format!("127.0.0.{of}")))
        .collect();
    server.get("/health").expect(200);
    drop((held, further));
    let again = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        send(server.address, ("GET", "/health"), &[], b"").is_ok_and(|answer| answer.status == 200)
    });
    assert!(again, "places are not given back");
}

#[test]
fn half_a_body_leaves_room_for_others() {
    let server = Running::with(|mut settings| {
        (settings.limits.connections, settings.limits.connections_of_address) = (30, 20);
        settings
    });
    // Of somebody without a token, on the one page that takes a body from them.
    let half = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nproof=";
    let held: Vec<TcpStream> = (2..9)
        .flat_map(|of| (0..20).map(move |_| of))
        .map(|of| {
            let mut stream = from(server.address, &format!("127.0.0.{of}"));
            // One that was refused may be closed already.
            drop(stream.write_all(half));
            stream
        })
        .collect();
    for _ in 0..3 {
        server.get("/health").expect(200);
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(held);
}

/// Whether it ends within half a minute after it was told to.
fn ends(child: &mut Child) -> bool {
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(told.success());
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(30) {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(child.kill());
    drop(child.wait());
    false
}

#[test]
fn half_a_head_or_body_keeps_it_from_ending_no_longer_than_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, address) = start(folder.path(), &["--stop-seconds", "1"]);
    let head = half(address, "127.0.0.1");
    let mut body = half(address, "127.0.0.1");
    body.write_all(b"Content-Length: 100\r\n\r\nabc").unwrap();
    send(address, ("GET", "/health"), &[], b"").unwrap().expect(200);
    assert!(ends(&mut child), "it goes on beside what was half sent");
    drop((head, body));
}

#[test]
fn whoever_is_refused_while_they_send_hears_why() {
    let server = Running::with(|mut settings| {
        settings.limits.connections_of_address = 1;
        settings
    });
    let _held = TcpStream::connect(server.address).unwrap();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head =
        format!("POST /v1/evaluate HTTP/1.1\r\nHost: {}\r\nContent-Length: 300000\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(50));
        stream.write_all(&[b' '; 100_000]).unwrap();
    }
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("too many connections"), "{answer}");
}
