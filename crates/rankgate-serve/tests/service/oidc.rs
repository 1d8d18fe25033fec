//! Runs of CI that bring a token of their issuer, which is one of our own on this machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use rankgate_serve::{App, maintenance};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

use crate::running::{Running, settings};
use crate::sample::{base, report};

/// Made for these tests, and of no other use.
const KEY: &str = include_str!("issuer-key.txt");
const AUDIENCE: &str = "https://quality.example.org";
const REPORTS: &str = "/v1/projects/search/reports";

fn in_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number =
            three.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for digit in 0..=three.len() {
            text.push(char::from(DIGITS[(number >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

fn of_base64(text: &str) -> Vec<u8> {
    let digit = |byte: u8| {
        Some(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        })
    };
    let digits: Vec<u8> = text.bytes().filter_map(digit).collect();
    let four = |four: &[u8]| {
        let number =
            four.iter().fold(0, |number, digit| number << 6 | u32::from(*digit)) << (6 * (4 - four.len()));
        number.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(four).collect()
}

/// An issuer, the address of its keys, and how often they were asked for.
struct Issuer {
    url: String,
    asked: Arc<AtomicUsize>,
    keys: Arc<Mutex<Value>>,
    rsa: RsaKeyPair,
    ec: EcdsaKeyPair,
}

impl Issuer {
    fn start() -> Self {
        let rsa = RsaKeyPair::from_pkcs8(&of_base64(KEY)).unwrap();
        let random = SystemRandom::new();
        let of = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let ec = EcdsaKeyPair::from_pkcs8(
            of,
            EcdsaKeyPair::generate_pkcs8(of, &random).unwrap().as_ref(),
            &random,
        );
        let ec = ec.unwrap();
        let public = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(rsa.public_key());
        let point = ec.public_key().as_ref();
        let keys = json!({"keys": [
            {"kty": "RSA", "kid": "rsa", "use": "sig", "alg": "RS256", "n": in_base64(&public.n), "e": in_base64(&public.e)},
            {"kty": "EC", "kid": "ec", "use": "sig", "alg": "ES256", "crv": "P-256", "x": in_base64(&point[1..33]),
             "y": in_base64(&point[33..])},
            {"kty": "new", "kid": "of a kind that nobody knows"},
        ]});
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (asked, keys) = (Arc::<AtomicUsize>::default(), Arc::new(Mutex::new(keys)));
        let (count, answers) = (Arc::clone(&asked), Arc::clone(&keys));
        // It ends with the test.
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                    head.push(byte[0]);
                }
                assert!(head.starts_with(b"GET /keys "), "{}", String::from_utf8_lossy(&head));
                count.fetch_add(1, Ordering::SeqCst);
                let body = answers.lock().unwrap().to_string();
                let head =
                    format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                drop(stream.write_all((head + &body).as_bytes()));
            }
        });
        Self { url, asked, keys, rsa, ec }
    }

    fn signed(&self, header: &Value, claims: &Value) -> String {
        let text = format!(
            "{}.{}",
            in_base64(header.to_string().as_bytes()),
            in_base64(claims.to_string().as_bytes())
        );
        let random = SystemRandom::new();
        let signature = if header["kid"] == "ec" {
            self.ec.sign(&random, text.as_bytes()).unwrap().as_ref().to_vec()
        } else {
            let mut signature = vec![0; self.rsa.public().modulus_len()];
            self.rsa.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).unwrap();
            signature
        };
        format!("{text}.{}", in_base64(&signature))
    }

    /// The claims of a run on the main branch.
    fn claims(&self) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        json!({"iss": self.url, "aud": AUDIENCE, "iat": now, "nbf": now - 10, "exp": now + 300, "sub": "repo:acme/search",
               "repository": "acme/search", "ref": "refs/heads/main", "event_name": "push"})
    }

    fn token(&self, change: impl FnOnce(&mut Value)) -> String {
        let mut claims = self.claims();
        change(&mut claims);
        self.signed(&json!({"alg": "RS256", "typ": "JWT", "kid": "rsa"}), &claims)
    }

    /// A server that believes it.
    fn server(&self) -> Running {
        let config = tempfile::NamedTempFile::new().unwrap();
        let grants = json!([
            {"project": "search", "repository": "acme/search", "branches": ["main", "release/*"], "claims": {"event_name": "push"}},
            {"project": "other", "repository": "acme/search", "rights": "read"},
        ]);
        let issuer = json!({"provider": "github", "issuer": self.url, "jwks": format!("{}/keys", self.url), "audience": AUDIENCE,
            "grants": grants});
        std::fs::write(config.path(), json!({"issuers": [issuer]}).to_string()).unwrap();
        Running::with(|mut settings| {
            settings.open = false;
            settings.oidc = Some(config.path().to_owned());
            settings
        })
    }
}

#[test]
fn a_run_of_ci_pushes_without_a_token_of_ours() {
    let issuer = Issuer::start();
    let server = issuer.server();
    let body = report("helpdesk", 1, &base(), &base()).to_string();
    let token = issuer.token(|_| {});
    server.with_token(&token, ("POST", REPORTS), body.as_bytes()).expect(201);
    server.with_token(&token, ("GET", REPORTS), b"").expect(200);
    let ec = issuer.signed(&json!({"alg": "ES256", "kid": "ec"}), &issuer.claims());
    server.with_token(&ec, ("GET", REPORTS), b"").expect(200);
    // It has the rights that were granted, in the projects that were granted.
    let accept = "/v1/projects/search/alarms/a/acknowledge";
    let refused = server.with_token(&token, ("POST", accept), b"{}").expect(403);
    assert!(refused.text().contains("needs the right `acknowledge`"), "{}", refused.text());
    server.with_token(&token, ("POST", "/v1/projects/other/reports"), body.as_bytes()).expect(403);
    server.with_token(&token, ("POST", "/v1/projects/third/reports"), body.as_bytes()).expect(404);
    let release = issuer.token(|claims| claims["ref"] = json!("refs/heads/release/2"));
    server.with_token(&release, ("POST", REPORTS), body.as_bytes()).expect(200);
    // The audit names the run; the keys were asked for once.
    let audited = maintenance::audited(server.app.store()).unwrap();
    assert_eq!(audited[0].who.as_deref(), Some("acme/search at refs/heads/main"));
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 1);
}

#[test]
fn what_an_issuer_did_not_say_is_not_believed() {
    let issuer = Issuer::start();
    let server = issuer.server();
    let body = report("helpdesk", 1, &base(), &base()).to_string();
    let push = |token: &str| server.with_token(token, ("POST", REPORTS), body.as_bytes());
    let now = issuer.claims()["iat"].as_u64().unwrap();
    let with = |key: &str, value: Value| issuer.token(|claims| claims[key] = value);
    let without = |key: &str| {
        issuer.token(|claims| {
            claims.as_object_mut().unwrap().remove(key);
        })
    };
    let good = issuer.token(|_| {});
    let parts: Vec<&str> = good.split('.').collect();
    let forged = {
        let mut claims = issuer.claims();
        claims["ref"] = json!("refs/heads/main");
        claims["repository"] = json!("acme/search");
        claims["sub"] = json!("somebody else");
        format!("{}.{}.{}", parts[0], in_base64(claims.to_string().as_bytes()), parts[2])
    };
    let unsigned = |header: Value| {
        format!(
            "{}.{}.",
            in_base64(header.to_string().as_bytes()),
            in_base64(issuer.claims().to_string().as_bytes())
        )
    };
    // What everybody knows of the issuer's key, taken for a secret that both sides share.
    let by_public_key = |secret: &[u8]| {
        let text = parts[1].to_owned();
        let text =
            format!("{}.{text}", in_base64(json!({"alg": "HS256", "kid": "rsa"}).to_string().as_bytes()));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, secret);
        format!("{text}.{}", in_base64(ring::hmac::sign(&key, text.as_bytes()).as_ref()))
    };
    let jwks = issuer.keys.lock().unwrap().clone();
    let modulus = jwks["keys"][0]["n"].as_str().unwrap();
    let own = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let own = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, own.as_ref(), &SystemRandom::new())
        .unwrap();
    let point = own.public_key().as_ref();
    // A key that the token brings along, by name of one that the issuer has.
    let brought = {
        let key = json!({"kty": "EC", "kid": "ec", "crv": "P-256", "x": in_base64(&point[1..33]), "y": in_base64(&point[33..])});
        let header = json!({"alg": "ES256", "kid": "ec", "jwk": key, "jku": format!("{}/own", issuer.url)});
        let text = format!("{}.{}", in_base64(header.to_string().as_bytes()), parts[1]);
        let signature = own.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        format!("{text}.{}", in_base64(signature.as_ref()))
    };
    let cases: Vec<(String, &str)> = vec![
        (by_public_key(modulus.as_bytes()), "other than RS256 and ES256"),
        (
            by_public_key(&of_base64(&modulus.replace('-', "+").replace('_', "/"))),
            "other than RS256 and ES256",
        ),
        (brought, "InvalidSignature"),
        (issuer.signed(&json!({"alg": "RS256", "kid": "ec"}), &issuer.claims()), "not believed"),
        (unsigned(json!({"alg": "ES256", "kid": "ec"})), "InvalidSignature"),
        (unsigned(json!({"alg": "None", "kid": "rsa"})), "not believed"),
        (unsigned(json!({"alg": "RS512", "kid": "rsa"})), "other than RS256 and ES256"),
        (unsigned(json!({"alg": "RS256", "kid": "../../etc/passwd"})), "has no key"),
        (with("nbf", json!("soon")), "not believed"),
        (with("exp", json!(-1)), "not believed"),
        (with("aud", json!([])), "for the audience"),
        (with("iss", json!(format!("{}/", issuer.url))), "believes no issuer"),
        (with("repository", json!(["acme/search"])), "it says no repository"),
        (with("repository", json!("ACME/search")), "nothing is granted to ACME/search"),
        (with("exp", json!(now - 600)), "ExpiredSignature"),
        (with("nbf", json!(now + 600)), "ImmatureSignature"),
        (with("exp", json!("never")), "exp"),
        (without("exp"), "exp"),
        (with("aud", json!("https://elsewhere.example")), "for the audience"),
        (with("aud", json!(["https://elsewhere.example"])), "for the audience"),
        (without("aud"), "for the audience"),
        (with("iss", json!("https://issuer.example")), "believes no issuer"),
        (with("iss", json!([issuer.url])), "not what an issuer signs"),
        (with("repository", json!("acme/search-2")), "nothing is granted to acme/search-2"),
        (without("repository"), "it says no repository"),
        (forged, "InvalidSignature"),
        (unsigned(json!({"alg": "none", "kid": "rsa"})), "not believed"),
        (unsigned(json!({"alg": "HS256", "kid": "rsa"})), "other than RS256 and ES256"),
        (unsigned(json!({"alg": "RS256", "kid": "rsa"})), "InvalidSignature"),
        (unsigned(json!({"alg": "ES256", "kid": "rsa"})), "not believed"),
        (unsigned(json!({"alg": "RS256"})), "names no key"),
        (
            issuer.signed(&json!({"alg": "RS256", "kid": "unknown"}), &issuer.claims()),
            "has no key \"unknown\"",
        ),
        ("a.b.c".to_owned(), "not what an issuer signs"),
    ];
    for (token, why) in &cases {
        let answer = push(token);
        assert_eq!(answer.status, 401, "{why}: {}", answer.text());
        assert!(answer.json()["detail"].as_str().unwrap().contains(why), "{why}: {}", answer.text());
    }
    // What is larger than any head is refused before it is looked at, and the server goes on.
    for long in ["x".repeat(1 << 20), format!("{}.{}.{}", parts[0], "e".repeat(200_000), parts[2])] {
        let status = push(&long).status;
        assert!(matches!(status, 400 | 401 | 431), "{status}");
    }
    // A tag, a pull request and another event may read what the second grant says, and push nothing.
    for (key, value) in
        [("ref", "refs/tags/main"), ("ref", "refs/pull/7/merge"), ("event_name", "pull_request_target")]
    {
        let token = with(key, json!(value));
        push(&token).expect(404);
        server.with_token(&token, ("GET", "/v1/projects"), b"").expect(200);
    }
    // Names of keys that nobody has ask the issuer for nothing.
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 1);
    push(&good).expect(201);
    // A server that was told of no issuer believes none.
    let none = Running::on_sqlite();
    assert!(none.with_token(&good, ("GET", REPORTS), b"").expect(401).text().contains("believes no issuer"));
}

#[test]
fn keys_in_a_file_and_what_is_wrong_with_files_is_told_at_the_start() {
    let issuer = Issuer::start();
    let folder = tempfile::tempdir().unwrap();
    let (config, jwks) = (folder.path().join("oidc.json"), folder.path().join("jwks.json"));
    let written = json!({"issuers": [{"provider": "gitlab", "issuer": issuer.url, "jwks": jwks, "audience": AUDIENCE,
        "grants": [{"project": "search", "repository": "acme/search", "branches": ["main"]}]}]});
    std::fs::write(&config, written.to_string()).unwrap();
    let open = |folder: &tempfile::TempDir| {
        App::open(rankgate_serve::Settings { oidc: Some(config.clone()), ..settings(folder) })
    };
    let data = tempfile::tempdir().unwrap();
    let error = open(&data).err().unwrap().message;
    assert!(error.contains("oidc.json: ") && error.contains("jwks.json: "), "{error}");
    std::fs::write(&jwks, "{}").unwrap();
    assert!(open(&data).err().unwrap().message.contains("no set of keys"));
    std::fs::write(&jwks, issuer.keys.lock().unwrap().to_string()).unwrap();
    let server = Running::with(|mut settings| {
        settings.open = false;
        settings.oidc = Some(config.clone());
        settings
    });
    let body = report("helpdesk", 1, &base(), &base()).to_string();
    let of_gitlab = |kind: &str| {
        issuer.token(|claims| {
            (claims["project_path"], claims["ref"], claims["ref_type"]) =
                (json!("acme/search"), json!("main"), json!(kind));
        })
    };
    server.with_token(&of_gitlab("branch"), ("POST", REPORTS), body.as_bytes()).expect(201);
    server.with_token(&of_gitlab("tag"), ("POST", REPORTS), body.as_bytes()).expect(401);
    assert_eq!(issuer.asked.load(Ordering::SeqCst), 0);
    std::fs::write(&config, "{\"issuers\": [{}]}").unwrap();
    let error = open(&data).err().unwrap().message;
    assert!(error.contains("missing field `provider` at line 1"), "{error}");
}
