//! Tokens of a run of CI (OpenID Connect), in place of those that somebody made: who may do what by the repository and the
//! branch that the issuer names for a run.
//!
//! | file | holds |
//! |---|---|
//! | `config.rs` | the file that names issuers and what their runs may do |
//! | `keys.rs` | an issuer's keys, read from an address or a file |
//! | `ring.rs` | signatures, by the library that TLS uses |

mod config;
mod keys;
mod ring;

use std::path::Path;

use axum::http::StatusCode;
use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::problem::{Answer, Problem};
use crate::records::Rights;
use crate::store::{StoreError, Stored};
use config::{Grant, Provider};
use keys::Keys;

/// Signatures that are checked: what issuers of CI sign with. None of them is by a secret that both sides know.
const ALGORITHMS: [Algorithm; 2] = [Algorithm::RS256, Algorithm::ES256];

/// Issuers that are believed.
#[derive(Default)]
pub(crate) struct Issuers(Vec<Issuer>);

/// One of them.
struct Issuer {
    name: String,
    provider: Provider,
    audience: String,
    keys: Keys,
    grants: Vec<Grant>,
}

/// A run of CI that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Its repository and ref.
    pub(crate) name: String,
    pub(crate) projects: Vec<(String, Rights)>,
}

#[derive(Deserialize)]
struct IssuerClaim {
    iss: String,
}

/// Whether a token has the form of one that an issuer signed.
pub(crate) fn is_signed(token: &str) -> bool {
    token.bytes().filter(|byte| *byte == b'.').count() == 2
}

fn refused(why: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, format!("this token of a run of CI is not believed: {why}"))
}

impl Issuers {
    /// Reads the file that names them.
    ///
    /// # Errors
    /// A file that cannot be read, or says what cannot be; keys in a file that are none.
    pub(crate) fn open(file: Option<&Path>) -> Stored<Self> {
        let Some(file) = file else { return Ok(Self::default()) };
        ring::install();
        let named = |why: String| StoreError::new(format!("{}: {why}", file.display()));
        let issuers = config::read(file).map_err(named)?;
        let issuer = |one: config::Issuer| {
            let keys = Keys::new(&one.jwks).map_err(named)?;
            Ok(Issuer {
                name: one.issuer,
                provider: one.provider,
                audience: one.audience,
                keys,
                grants: one.grants,
            })
        };
        issuers.into_iter().map(issuer).collect::<Stored<_>>().map(Self)
    }

    /// The run of a token, and its rights; blocks where keys are to be read.
    pub(crate) fn run(&self, token: &str) -> Answer<Run> {
        let claimed: IssuerClaim =
            insecure_decode_claims(token).map_err(|_| refused("it is not what an issuer signs"))?;
        let own = self.0.iter().find(|own| own.name == claimed.iss);
        let own = own.ok_or_else(|| {
            refused(&format!("this server believes no issuer {:?} (`--oidc`)", claimed.iss))
        })?;
        own.run(token)
    }
}

impl Issuer {
    fn run(&self, token: &str) -> Answer<Run> {
        let header = decode_header(token).map_err(|error| refused(&error.to_string()))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(refused("it is signed by an algorithm other than RS256 and ES256"));
        }
        let kid = header.kid.ok_or_else(|| refused("it names no key (`kid`)"))?;
        let key = self.keys.find(&kid).map_err(|why| Problem::new(StatusCode::SERVICE_UNAVAILABLE, why))?;
        let key = key.ok_or_else(|| refused(&format!("the issuer has no key {kid:?}")))?;
        let key = DecodingKey::from_jwk(&key).map_err(|error| refused(&error.to_string()))?;
        let mut validation = Validation::new(header.alg);
        validation.set_audience(&[&self.audience]);
        validation.set_issuer(&[&self.name]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        validation.validate_nbf = true;
        let claims = decode::<Map<String, Value>>(token, &key, &validation);
        let claims = claims.map_err(|error| {
            refused(&format!("{error}; it has to be for the audience {:?}", self.audience))
        })?;
        self.grants_of(&claims.claims)
    }

    fn grants_of(&self, claims: &Map<String, Value>) -> Answer<Run> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        let repository = text(self.provider.repository());
        let repository = repository.ok_or_else(|| refused("it says no repository"))?;
        let branch = self.provider.branch(claims);
        let mut projects: Vec<(String, Rights)> = Vec::new();
        for grant in self.grants.iter().filter(|grant| grant.holds(repository, branch, claims)) {
            match projects.iter_mut().find(|(project, _)| *project == grant.project) {
                Some((_, rights)) => *rights = rights.and(grant.rights),
                None => projects.push((grant.project.clone(), grant.rights)),
            }
        }
        let at = text("ref").unwrap_or("no ref");
        if projects.is_empty() {
            return Err(refused(&format!("nothing is granted to {repository} at {at}")));
        }
        Ok(Run { name: format!("{repository} at {at}"), projects })
    }
}
