//! Whose signatures under certificates count.

use std::env;
use std::fs;
use std::path::PathBuf;

use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::failure::Unusable;

/// The variable that names a file of authorities, as OpenSSL, curl and others read it.
const VARIABLE: &str = "SSL_CERT_FILE";

fn file() -> Option<PathBuf> {
    env::var_os(VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// TLS with the authorities of the file that the environment names, else with those on Mozilla's list.
///
/// # Errors
/// A file that cannot be read or holds no certificate.
pub fn roots() -> Result<TlsConfig, Unusable> {
    let Some(path) = file() else { return Ok(TlsConfig::default()) };
    let refused = |why: String| Unusable::Authorities { variable: VARIABLE, path: path.clone(), why };
    let text = fs::read(&path).map_err(|error| refused(format!("cannot be read: {error}")))?;
    let mut authorities = Vec::new();
    for item in parse_pem(&text) {
        match item {
            Ok(PemItem::Certificate(authority)) => authorities.push(authority),
            Ok(_) => {}
            Err(error) => return Err(refused(format!("is no PEM: {error}"))),
        }
    }
    if authorities.is_empty() {
        return Err(refused("holds no certificate in PEM".to_owned()));
    }
    Ok(TlsConfig::builder().root_certs(RootCerts::new_with_certs(&authorities)).build())
}

/// Where those authorities are listed, as a phrase after "an authority that is not".
pub(super) fn list() -> String {
    match file() {
        Some(path) => format!("in {}, which the variable `{VARIABLE}` names", path.display()),
        None => {
            format!("on Mozilla's list, which is built in (the variable `{VARIABLE}` names a file of others)")
        }
    }
}
