//! The keys of an issuer, from an address or a file; read again where a token names one that is not known.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{Jwk, JwkSet};
use rankgate::service::Server;

/// The wait before keys are read again: tokens that name unknown keys ask the issuer for nothing more often.
const AGAIN: Duration = Duration::from_secs(30);
/// After this time keys are read again, so that those which an issuer took back are not believed for ever.
const OLD: Duration = Duration::from_secs(3_600);

/// Where keys lie.
enum Source {
    /// A server, and the path on it.
    Address(Server, String),
    File(PathBuf),
}

pub(super) struct Keys {
    source: Source,
    known: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: Option<Arc<JwkSet>>,
    /// When they were requested, with any result.
    asked: Option<Instant>,
}

impl Keys {
    /// Of an address of `https` (on this machine also `http`), or of a file, which is read now.
    pub(super) fn new(jwks: &str) -> Result<Self, String> {
        let source = match jwks.split_once("://") {
            None => Source::File(jwks.into()),
            Some((scheme, rest)) => {
                let (host, path) = rest
                    .split_once('/')
                    .map_or((rest, String::new()), |(host, path)| (host, format!("/{path}")));
                let is_here = ["127.0.0.1", "localhost", "[::1]"].iter().any(|own| {
                    host == *own || host.strip_prefix(own).is_some_and(|port| port.starts_with(':'))
                });
                if scheme != "https" && !(scheme == "http" && is_here) {
                    return Err(format!("jwks: {jwks}: keys come by https"));
                }
                let server =
                    Server::new(&format!("{scheme}://{host}"), None).map_err(|error| error.to_string())?;
                Source::Address(server, path)
            }
        };
        let keys = Self { source, known: Mutex::default() };
        if matches!(keys.source, Source::File(_)) {
            keys.read()?;
        }
        Ok(keys)
    }

    /// The key of a name; none where the issuer has none of it.
    pub(super) fn find(&self, kid: &str) -> Result<Option<Jwk>, String> {
        let (found, is_due) = {
            let mut known = self.lock();
            let found = known.keys.as_ref().and_then(|keys| keys.find(kid).cloned());
            let wait = if found.is_some() { OLD } else { AGAIN };
            let is_due = known.asked.is_none_or(|asked| asked.elapsed() >= wait);
            if is_due {
                // Others go by what is known meanwhile.
                known.asked = Some(Instant::now());
            }
            (found, is_due)
        };
        if is_due {
            match self.read() {
                Ok(keys) => return Ok(keys.find(kid).cloned()),
                // An issuer that is away for a while took nothing back.
                Err(why) => complain(&format!("the keys of an issuer were not read: {why}")),
            }
        }
        if found.is_none() && self.lock().keys.is_none() {
            return Err("the keys of the issuer could not be read; try again later".to_owned());
        }
        Ok(found)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> Result<Arc<JwkSet>, String> {
        let keys: JwkSet = match &self.source {
            Source::Address(server, path) => {
                let json = server.get(path).map_err(|why| why.to_string())?;
                serde_json::from_value(json)
                    .map_err(|error| format!("{}{path}: no set of keys: {error}", server.address()))?
            }
            Source::File(file) => {
                let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
                serde_json::from_slice(&text)
                    .map_err(|error| format!("{}: no set of keys: {error}", file.display()))?
            }
        };
        let keys = Arc::new(keys);
        self.lock().keys = Some(Arc::clone(&keys));
        Ok(keys)
    }
}

#[expect(clippy::print_stderr, reason = "this is the server's log")]
fn complain(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_an_issuer_changes_are_read_again_and_not_more_often_than_that() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let write = |kid: &str| {
            let key = serde_json::json!({"kty": "RSA", "kid": kid, "n": "AQAB", "e": "AQAB"});
            std::fs::write(file.path(), serde_json::json!({"keys": [key]}).to_string()).unwrap();
        };
        write("first");
        let keys = Keys::new(file.path().to_str().unwrap()).unwrap();
        let has = |kid: &str| keys.find(kid).unwrap().is_some();
        let later = |time: Duration| keys.lock().asked = Instant::now().checked_sub(time);
        assert!(has("first"));
        write("second");
        assert!(!has("second") && has("first"));
        later(AGAIN);
        assert!(has("second") && !has("first"));
        // One that was taken back is believed for an hour at most.
        write("third");
        later(AGAIN);
        assert!(has("second"));
        later(OLD);
        assert!(!has("second") && has("third"));
        // An issuer that is away took nothing back.
        std::fs::write(file.path(), "").unwrap();
        later(OLD);
        assert!(has("third"));
    }

    #[test]
    fn keys_of_kinds_that_are_not_known_take_no_other_with_them() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let known = serde_json::json!({"kty": "RSA", "kid": "known", "n": "AQAB", "e": "AQAB", "use": "sig"});
        for other in [
            serde_json::json!({"kty": "AKP", "kid": "other", "alg": "ML-DSA-65", "pub": "AQAB"}),
            serde_json::json!({"kty": "EC", "crv": "P-777", "kid": "other", "x": "AQAB", "y": "AQAB"}),
            serde_json::json!({"kty": "RSA", "kid": "other"}),
            serde_json::json!({"kty": "RSA", "kid": "other", "n": "AQAB", "e": "AQAB", "use": "later", "alg": "RS777"}),
            serde_json::json!({"kid": "other"}),
        ] {
            let set = serde_json::json!({"keys": [other, known]});
            std::fs::write(file.path(), set.to_string()).unwrap();
            let keys = Keys::new(file.path().to_str().unwrap());
            let found = keys.and_then(|keys| keys.find("known"));
            assert!(found.as_ref().is_ok_and(Option::is_some), "{other}: {found:?}");
        }
    }

    #[test]
    fn keys_come_by_https_or_from_this_machine() {
        for address in
            ["http://issuer.example/keys", "ftp://issuer.example/keys", "http://localhost.example/keys"]
        {
            assert!(Keys::new(address).err().unwrap().contains("keys come by https"), "{address}");
        }
        for address in [
            "https://issuer.example/keys",
            "http://127.0.0.1:8/keys",
            "http://localhost/keys",
            "http://[::1]:8/keys",
        ] {
            assert!(Keys::new(address).is_ok(), "{address}");
        }
        assert!(Keys::new("no/such/file.json").err().unwrap().contains("no/such/file.json"));
    }
}
