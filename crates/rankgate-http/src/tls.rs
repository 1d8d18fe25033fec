//! What went wrong under TLS, in words.

use rustls::{CertificateError, Error};

use super::roots;

/// A phrase that follows the URL.
pub fn reason(error: &Error) -> String {
    let what = match error {
        Error::InvalidCertificate(why) => match why {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired".to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "its certificate is for another host".to_owned()
            }
            // An authority's own certificate, as self-signed ones are, is one of the others.
            CertificateError::UnknownIssuer | CertificateError::BadSignature | CertificateError::Other(_) => {
                let list = roots::list();
                format!("its certificate is self-signed, or signed by an authority that is not {list}")
            }
            other => format!("its certificate is not valid: {other}"),
        },
        Error::InvalidMessage(_) => {
            "what it answers is not TLS; perhaps it is an `http://` address".to_owned()
        }
        other => format!("no TLS connection: {other}"),
    };
    format!("cannot be asked: {what}")
}
