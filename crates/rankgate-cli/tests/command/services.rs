//! What stands between the command and a service: proxies, certificates.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where its surroundings are not as they should be")]

use crate::loopback::request;
use crate::surroundings;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const VARIABLES: [&str; 8] = [
    "ALL_PROXY",
    "all_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// Measures the service with these variables set; gives the exit code and all that was said, on one line.
fn run(url: &str, variables: &[(&str, &str)]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let spec = format!(
        "version: 1\nbenchmark: toy\ncollection: {{inline: {{queries: [{{id: q1, text: one, relevant: [d1]}}]}}}}\n\
         configurations:\n  mine: {{timeout: 20s, http: {{url: '{url}', headers: {{Authorization: 'Bearer ${{KEY}}'}}, \
         body: {{q: '{{text}}'}}, hits: /hits, id: ''}}}}\nthresholds: [{{metric: R@10, min: 0.5}}]\n"
    );
    fs::write(folder.path().join("toy.yaml"), spec).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
    surroundings::leave(&mut command).args(["run", "toy.yaml"]).current_dir(folder.path());
    for name in VARIABLES {
        command.env_remove(name);
    }
    let output = command.env("KEY", "hunter2hunter2").envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!said.contains("hunter2") && !said.contains("panicked"), "{said}");
    (output.status.code().unwrap(), said.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A service that counts who comes.
fn serve() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // It ends with the test.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            drop(request(&stream));
            let body = r#"{"hits": ["d1"]}"#;
            let head =
                format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            // The other side may go at any time.
            drop(stream.write_all((head + body).as_bytes()));
        }
    });
    (address, asked)
}

#[test]
fn a_proxy_that_is_none_is_an_error_and_nothing_is_asked_without_it() {
    let (address, asked) = serve();
    let url = format!("http://{address}/");
    for (name, value, expected) in [
        ("HTTP_PROXY", "http://127.0.0.1:99999", "its port is not a number from 1 to 65535"),
        ("http_proxy", "http://hunter2@:8080", "its host is neither a name nor an address"),
        ("HTTPS_PROXY", "127.0.0.1:x", "its port is not a number from 1 to 65535"),
        ("ALL_PROXY", "socks5://127.0.0.1:1080", "a URL starts with `http://` or `https://`"),
        ("HTTP_PROXY", "http://127.0.0.1:8080/hunter2", "it is `http://host:port`"),
        ("HTTP_PROXY", "not a proxy", "a URL has no white space"),
    ] {
        let (code, said) = run(&url, &[(name, value)]);
        let expected = format!(
            "could not be set up: the variable `{name}` has no address of a proxy that can be used: {expected}"
        );
        assert!(code == 2 && said.contains(&expected), "{value}: {code}: {said}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    for variables in [
        &[][..],
        &[("HTTP_PROXY", "")],
        &[("ALL_PROXY", "socks5://x"), ("NO_PROXY", "example.org,127.0.0.1")],
    ] {
        let (code, said) = run(&url, variables);
        assert_eq!(code, 0, "{variables:?}: {said}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

/// A host without a port has that of `http`, and nothing listens at port 1.
#[test]
fn a_proxy_that_cannot_be_reached_is_named_by_its_variable() {
    let (address, asked) = serve();
    let url = format!("http://{address}/");
    for value in ["http://hunter2:hunter2@127.0.0.1:1", "127.0.0.1:1"] {
        let (code, said) = run(&url, &[("HTTP_PROXY", value)]);
        let expected = "cannot be reached through the proxy that `HTTP_PROXY` names";
        assert!(code == 2 && said.contains(expected), "{value}: {code}: {said}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

#[test]
fn an_impossible_port_in_a_variable_is_an_error_and_port_80_is_not_asked() {
    for (url, port) in [
        ("http://127.0.0.1:${PORT}/", "99999"),
        ("http://me:you@127.0.0.1${PORT}/", ":0"),
        ("http://127.0.0.1:${PORT}/", ""),
    ] {
        let (code, said) = run(url, &[("PORT", port)]);
        assert!(
            code == 2
                && said.contains("is not the address of a service: its port is not a number from 1 to 65535"),
            "{said}"
        );
    }
}

/// A server with a certificate that it signed itself.
struct Tls(Child, u16);

impl Tls {
    fn new(folder: &Path, authority: bool) -> Self {
        let made = Command::new("openssl")
            .args(
                "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost"
                    .split(' '),
            )
            .args(["-addext", "subjectAltName=DNS:localhost", "-addext"])
            .arg(format!("basicConstraints=critical,CA:{}", if authority { "TRUE" } else { "FALSE" }))
            .current_dir(folder)
            .output();
        assert!(made.is_ok_and(|made| made.status.success()), "this test needs `openssl`");
        let mut server = Command::new("python3")
            .args(["-c", SERVER])
            .current_dir(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self(server, port.trim().parse().unwrap())
    }
}

impl Drop for Tls {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

const SERVER: &str = "
import socket, ssl
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('cert.pem', 'key.pem')
server = socket.create_server(('127.0.0.1', 0))
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    try:
        tls = context.wrap_socket(connection, server_side=True)
        # What is left unread when a connection is closed resets it.
        asked = more = tls.recv(65536)
        while more and asked.startswith(b'POST') and not asked.rstrip().endswith(b'}'):
            more = tls.recv(65536)
            asked += more
        body = b'{\"hits\": [\"d1\"]}'
        tls.sendall(b'HTTP/1.1 200 OK\\r\\nConnection: close\\r\\nContent-Length: %d\\r\\n\\r\\n' % len(body) + body)
        tls.close()
    except (ssl.SSLError, OSError):
        pass
";

#[test]
fn what_is_wrong_with_a_certificate_is_said_in_words() {
    for authority in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let server = Tls::new(folder.path(), authority);
        let (code, said) = run(&format!("https://localhost:{}/", server.1), &[]);
        let expected = "cannot be asked: its certificate is self-signed, or signed by an authority that is not on Mozilla's list";
        assert!(code == 2 && said.contains(expected) && !said.contains("Other"), "{said}");
    }
    let (address, _) = serve();
    let (code, said) = run(&format!("https://{address}/"), &[]);
    assert!(code == 2 && said.contains("cannot be asked: what it answers is not TLS"), "{said}");
}

#[test]
fn authorities_are_those_of_the_file_that_the_environment_names() {
    let folder = tempfile::tempdir().unwrap();
    let server = Tls::new(folder.path(), false);
    let url = format!("https://localhost:{}/", server.1);
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (code, said) = run(&url, &[("SSL_CERT_FILE", &file("cert.pem"))]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = run(&url, &[("SSL_CERT_FILE", &file("none.pem"))]);
    assert!(code == 2 && said.contains("the variable `SSL_CERT_FILE` names "), "{said}");
    assert!(said.contains("none.pem, which cannot be read"), "{said}");
    let (code, said) = run(&url, &[("SSL_CERT_FILE", &file("key.pem"))]);
    assert!(code == 2 && said.contains("key.pem, which holds no certificate in PEM"), "{said}");
    // Those alone.
    let other = tempfile::tempdir().unwrap();
    let second = Tls::new(other.path(), false);
    let (code, said) =
        run(&format!("https://localhost:{}/", second.1), &[("SSL_CERT_FILE", &file("cert.pem"))]);
    assert!(code == 2 && said.contains("signed by an authority that is not in "), "{said}");
    assert!(said.contains("cert.pem, which the variable `SSL_CERT_FILE` names"), "{said}");
}

#[test]
fn benchmarks_are_fetched_from_servers_whose_authority_the_environment_names() {
    let folder = tempfile::tempdir().unwrap();
    let server = Tls::new(folder.path(), false);
    let entry = format!(
        "ours/tiny: {{about: a, documents: 1, queries: 1, licence: l, home: h, files: [{{url: \
         'https://localhost:{}/tiny.zip', folder: tiny}}]}}\n",
        server.1
    );
    fs::write(folder.path().join("catalogue.yaml"), entry).unwrap();
    // What it serves is no archive: what matters is how far the command comes.
    for (file, expected) in [("", "its certificate is self-signed"), ("cert.pem", "it cannot be unpacked")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankgate"));
        surroundings::leave(&mut command).args(["fetch", "ours/tiny", "--accept-licence"]);
        command.current_dir(folder.path()).env("SSL_CERT_FILE", file);
        command.env("RANKGATE_DATA", "data").env("RANKGATE_CATALOGUE", "catalogue.yaml");
        for name in VARIABLES {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(expected), "{said}");
    }
}
