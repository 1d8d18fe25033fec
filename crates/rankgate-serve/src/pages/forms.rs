//! Data of forms, and the proof that a page of ours sent it.

use std::net::SocketAddr;
use std::sync::OnceLock;

use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use rankgate_history::report::site::Field;

use crate::access::{Caller, address};
use crate::app::App;
use crate::body::receive_from;
use crate::hash::sha256;
use crate::problem::{Answer, Problem};

/// The field that proves where a form comes from.
const PROOF: &str = "proof";

/// Bytes of a form.
const LARGEST: usize = 64 << 10;

/// Drawn when the process starts.
static SECRET: OnceLock<[u8; 32]> = OnceLock::new();

/// What only pages of this process know, another for each caller. Nothing where there are no random numbers: then no
/// form is taken.
fn proof_of(caller: Option<&Caller>) -> Option<String> {
    let secret = match SECRET.get() {
        Some(secret) => secret,
        None => {
            let mut random = [0_u8; 32];
            crate::random::fill(&mut random).ok()?;
            SECRET.get_or_init(|| random)
        }
    };
    let who = match caller {
        None => "nobody".to_owned(),
        Some(caller) => format!("{} {}", caller.key(), caller.session().unwrap_or_default()),
    };
    Some(sha256(&[&secret[..], who.as_bytes(), &secret[..]].concat()))
}

/// The field that goes with every form of a caller, or of somebody who has no token yet.
pub(super) fn proof(caller: Option<&Caller>) -> Field {
    Field::Hidden(PROOF, proof_of(caller).unwrap_or_default())
}

/// By what the work of somebody is counted who has no token yet.
fn stranger(app: &App, request: &Request) -> String {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
    let address = address(request.headers(), peer, &app.settings.proxies);
    address.map_or_else(String::new, |address| format!("address {address}"))
}

/// The fields of a form.
pub(super) struct FormData(Vec<(String, String)>);

impl FormData {
    /// Waits for a form, and refuses one that no page of ours made for this caller.
    pub(super) async fn receive(request: Request, app: &App, caller: Option<&Caller>) -> Answer<Self> {
        let key = caller.map_or_else(|| stranger(app, &request), Caller::key);
        let limit = app.settings.limits.body.min(LARGEST);
        let body = receive_from(request, app, &key, limit).await?.into_decoded()?;
        let sent = Self::read(&body).ok_or_else(|| Problem::invalid("this is not what a form sends"))?;
        match (proof_of(caller), sent.get(PROOF)) {
            (Some(expected), Some(given)) if expected == given => Ok(sent),
            _ => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "this form is not of a page that is still open here: go back, load the page again, and send it once more",
            )),
        }
    }

    fn read(body: &[u8]) -> Option<Self> {
        let fields = body.split(|byte| *byte == b'&').filter(|field| !field.is_empty());
        let read = |field: &[u8]| {
            let end = field.iter().position(|byte| *byte == b'=')?;
            Some((decoded(&field[..end])?, decoded(&field[end + 1..])?))
        };
        fields.map(read).collect::<Option<Vec<_>>>().map(Self)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The same of one that may be left empty.
    pub(super) fn get_nonempty(&self, name: &str) -> Option<String> {
        self.get(name).filter(|value| !value.is_empty()).map(str::to_owned)
    }
}

fn decoded(text: &[u8]) -> Option<String> {
    let (mut bytes, mut at) = (Vec::with_capacity(text.len()), 0);
    while let Some(byte) = text.get(at) {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = text.get(at + 1..at + 3)?;
                bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
                at += 2;
            }
            other => bytes.push(*other),
        }
        at += 1;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use rankgate::service::in_address;

    use super::*;

    #[test]
    fn forms_are_read_as_browsers_write_them() {
        let odd = "a b&c=d+e/é%\n";
        let sent = FormData::read(format!("note={}&empty=&x=1+2", in_address(odd)).as_bytes()).unwrap();
        assert_eq!((sent.get("note"), sent.get("x")), (Some(odd), Some("1 2")));
        assert_eq!((sent.get("empty"), sent.get_nonempty("empty"), sent.get("none")), (Some(""), None, None));
        for broken in ["note", "a=%4", "a=%zz", "a=%ff"] {
            assert!(FormData::read(broken.as_bytes()).is_none(), "{broken}");
        }
    }
}
