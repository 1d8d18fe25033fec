//! The address of a PostgreSQL, and whether the connection is encrypted.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::session::{StoreError, Stored};

/// Where it is.
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) encryption: Encryption,
}

/// How the connection is protected.
pub(super) enum Encryption {
    /// It stays on this machine, or the operator allowed plain text.
    None,
    /// By TLS; the certificate is that of the host, signed by an authority that is known.
    Tls(MakeRustlsConnect),
}

const ENCRYPTED: [&str; 3] = ["require", "verify-ca", "verify-full"];

impl Address {
    /// Reads `postgres://...`, with `sslmode` and `sslrootcert` as every client of PostgreSQL has them, but that a
    /// certificate is always checked, and that nothing goes to another machine in the clear unless `sslmode=disable`
    /// says so.
    pub(super) fn parse(url: &str) -> Stored<Self> {
        let refused = |why: String| StoreError::new(format!("PostgreSQL: {why}"));
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut root) = (None, None);
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*key {
                "sslmode" => mode = Some(value),
                "sslrootcert" => root = Some(PathBuf::from(value.as_ref())),
                _ => {}
            }
        }
        // What is left is the client's to read.
        let is_own = |pair: &&str| !["sslmode=", "sslrootcert="].iter().any(|own| pair.starts_with(own));
        let rest: Vec<&str> = query.split('&').filter(is_own).collect();
        let plain = format!("{base}?{}", rest.join("&"));
        let mut config: Config = plain.parse().map_err(|error| refused(format!("its address: {error}")))?;
        let encrypted = match mode.as_deref() {
            Some("disable") => false,
            Some(mode) if ENCRYPTED.contains(&mode) => true,
            None if stays_here(&config) && root.is_none() => false,
            None => {
                let why = "it is on another machine, and its address does not say whether the way there is encrypted: \
                           `sslmode=verify-full` (with `sslrootcert=FILE` where its authority is your own), or \
                           `sslmode=disable` where the network is yours alone";
                return Err(refused(why.to_owned()));
            }
            Some(other) => {
                let why = format!("sslmode={other} is not known here: disable, {}", ENCRYPTED.join(", "));
                return Err(refused(why));
            }
        };
        if !encrypted {
            config.ssl_mode(SslMode::Disable);
            return Ok(Self { config, encryption: Encryption::None });
        }
        if config.get_hosts().iter().any(|host| !matches!(host, Host::Tcp(_))) {
            return Err(refused("a socket is not encrypted, and needs no sslmode".to_owned()));
        }
        config.ssl_mode(SslMode::Require);
        let mut roots = RootCertStore::empty();
        match root {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(file) => {
                let failed = |why: String| refused(format!("sslrootcert {}: {why}", file.display()));
                let all = CertificateDer::pem_file_iter(&file).map_err(|error| failed(error.to_string()))?;
                for one in all {
                    let one = one.map_err(|error| failed(error.to_string()))?;
                    roots.add(one).map_err(|error| failed(error.to_string()))?;
                }
                if roots.is_empty() {
                    return Err(failed("it holds no certificate".to_owned()));
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let tls = tls.map_err(|error| refused(error.to_string()))?;
        let tls = tls.with_root_certificates(roots).with_no_client_auth();
        Ok(Self { config, encryption: Encryption::Tls(MakeRustlsConnect::new(tls)) })
    }
}

/// Whether all of its hosts are this machine.
fn stays_here(config: &Config) -> bool {
    let names = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    names && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_goes_to_another_machine_in_the_clear_by_mistake() {
        let read = |url: &str| {
            Address::parse(url).map(|one| matches!(one.encryption, Encryption::Tls(_))).map_err(|e| e.message)
        };
        for (url, encrypted) in [
            ("postgres://u@localhost/d", false),
            ("postgres://u:p@127.0.0.1:5433/d?connect_timeout=5", false),
            ("postgres://u@%2Fvar%2Frun%2Fpostgresql/d", false),
            ("postgres://u@db.example.org/d?sslmode=disable", false),
            ("postgres://u@db.example.org/d?sslmode=require", true),
            ("postgres://u@localhost/d?sslmode=verify-full", true),
        ] {
            assert_eq!(read(url), Ok(encrypted), "{url}");
        }
        for (url, why) in [
            ("postgres://u:secret@db.example.org/d", "its address does not say"),
            ("postgres://u:secret@localhost,db.example.org/d", "does not say"),
            ("postgres://u:secret@db.example.org/d?sslmode=prefer", "sslmode=prefer is not known"),
            ("postgres://u:secret@%2Fvar%2Frun/d?sslmode=require", "a socket is not encrypted"),
            (
                "postgres://u:secret@x/d?sslmode=require&sslrootcert=%2Fnone%2Fca.pem",
                "sslrootcert /none/ca.pem",
            ),
        ] {
            let error = read(url).unwrap_err();
            assert!(error.contains(why) && !error.contains("secret"), "{url}: {error}");
        }
    }
}
