//! The file that names issuers: whose keys, for which audience, and what a run of which repository and branch may do.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::names::checked_name;
use crate::records::{Right, Rights};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    issuers: Vec<IssuerFile>,
}

/// An issuer as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IssuerFile {
    provider: Provider,
    issuer: Option<String>,
    jwks: Option<String>,
    audience: String,
    grants: Vec<GrantFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantFile {
    project: String,
    repository: String,
    branches: Option<Vec<String>>,
    rights: Option<String>,
    #[serde(default)]
    claims: Map<String, Value>,
}

/// Whose claims they are: each names repository and branch in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Provider {
    Github,
    Gitlab,
}

/// An issuer.
pub(super) struct Issuer {
    pub(super) provider: Provider,
    pub(super) issuer: String,
    pub(super) jwks: String,
    pub(super) audience: String,
    pub(super) grants: Vec<Grant>,
}

/// What a run of a repository may do in a project.
#[derive(Clone, Debug)]
pub(super) struct Grant {
    pub(super) project: String,
    pub(super) rights: Rights,
    repository: String,
    /// Any, tags and pull requests too, where there are none.
    branches: Option<Vec<String>>,
    claims: Vec<(String, String)>,
}

impl Provider {
    /// The claim that has the repository.
    pub(super) fn repository(self) -> &'static str {
        match self {
            Self::Github => "repository",
            Self::Gitlab => "project_path",
        }
    }

    /// The branch of a run; none of a tag or a pull request.
    pub(super) fn branch(self, claims: &Map<String, Value>) -> Option<&str> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        match self {
            Self::Github => text("ref")?.strip_prefix("refs/heads/"),
            Self::Gitlab if text("ref_type") == Some("branch") => text("ref"),
            Self::Gitlab => None,
        }
    }

    fn issuer(self) -> &'static str {
        match self {
            Self::Github => "https://token.actions.githubusercontent.com",
            Self::Gitlab => "https://gitlab.com",
        }
    }

    /// Where an issuer has its keys.
    fn jwks(self, issuer: &str) -> String {
        let path = match self {
            Self::Github => "/.well-known/jwks",
            Self::Gitlab => "/oauth/discovery/keys",
        };
        format!("{}{path}", issuer.trim_end_matches('/'))
    }
}

impl Grant {
    /// Whether it belongs to this run.
    pub(super) fn holds(&self, repository: &str, branch: Option<&str>, claims: &Map<String, Value>) -> bool {
        let is_of = |pattern: &String| branch.is_some_and(|branch| matches(pattern, branch));
        let says = |(name, expected): &(String, String)| {
            claims.get(name).is_some_and(|value| plain(value).as_deref() == Some(expected.as_str()))
        };
        self.repository == repository
            && self.branches.as_ref().is_none_or(|branches| branches.iter().any(is_of))
            && self.claims.iter().all(says)
    }
}

/// Whether a branch is the one that is named, or begins as it where that ends in `*`.
fn matches(pattern: &str, branch: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == branch, |begin| branch.starts_with(begin))
}

/// A claim as text.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Reads it.
pub(super) fn read(file: &Path) -> Result<Vec<Issuer>, String> {
    let text = std::fs::read(file).map_err(|error| format!("cannot be read: {error}"))?;
    parse(&text)
}

fn parse(text: &[u8]) -> Result<Vec<Issuer>, String> {
    let File { issuers } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let issuers: Vec<Issuer> = issuers
        .into_iter()
        .enumerate()
        .map(|(place, one)| issuer(one).map_err(|why| format!("/issuers/{place}{why}")))
        .collect::<Result<_, _>>()?;
    for (place, one) in issuers.iter().enumerate() {
        if issuers[..place].iter().any(|other| other.issuer == one.issuer) {
            return Err(format!("/issuers/{place}: the issuer {:?} is there twice", one.issuer));
        }
    }
    Ok(issuers)
}

fn issuer(written: IssuerFile) -> Result<Issuer, String> {
    let IssuerFile { provider, issuer, jwks, audience, grants } = written;
    if audience.is_empty() {
        return Err("/audience: it is empty: tokens for anyone else would be taken".to_owned());
    }
    if grants.is_empty() {
        return Err("/grants: there is none, so that no run may do anything".to_owned());
    }
    let issuer = issuer.unwrap_or_else(|| provider.issuer().to_owned());
    let jwks = jwks.unwrap_or_else(|| provider.jwks(&issuer));
    let grants = grants.into_iter().enumerate().map(|(place, one)| {
        let at = |key: &str, why: &str| format!("/grants/{place}/{key}: {why}");
        grant(one).map_err(|(key, why)| at(key, &why))
    });
    Ok(Issuer { provider, issuer, jwks, audience, grants: grants.collect::<Result<_, _>>()? })
}

fn grant(written: GrantFile) -> Result<Grant, (&'static str, String)> {
    let GrantFile { project, repository, branches, rights, claims } = written;
    checked_name("project", &project).map_err(|problem| ("project", problem.detail().to_owned()))?;
    if !repository.contains('/') || repository.contains('*') {
        return Err((
            "repository",
            format!("{repository:?} is no repository: `owner/name`, without a pattern"),
        ));
    }
    if branches.as_ref().is_some_and(|all| all.iter().any(|one| one.is_empty() || one == "*")) {
        return Err(("branches", "leave them out where any branch will do".to_owned()));
    }
    let rights: Rights = rights.as_deref().unwrap_or("push").parse().map_err(|why| ("rights", why))?;
    if rights.allow(Right::Grade) {
        return Err(("rights", "grades are of people, and a run of CI is none".to_owned()));
    }
    let claim = |(name, value): (String, Value)| match plain(&value) {
        Some(text) => Ok((name, text)),
        None => Err(("claims", format!("{name} is a text, a number, true or false"))),
    };
    let claims = claims.into_iter().map(claim).collect::<Result<_, _>>()?;
    Ok(Grant { project, rights, repository, branches, claims })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_file_is_checked_with_the_place_of_what_is_wrong() {
        let whole = json!({"issuers": [{"provider": "github", "audience": "a",
            "grants": [{"project": "search", "repository": "acme/search"}]}]});
        let read = parse(whole.to_string().as_bytes()).unwrap();
        assert_eq!(read[0].issuer, "https://token.actions.githubusercontent.com");
        assert_eq!(read[0].jwks, "https://token.actions.githubusercontent.com/.well-known/jwks");
        assert_eq!(read[0].grants[0].rights, Right::Push.into());
        for (pointer, value, expected) in [
            ("/issuers/0/audience", json!(""), "/issuers/0/audience: it is empty"),
            ("/issuers/0/provider", json!("jenkins"), "unknown variant `jenkins`"),
            ("/issuers/0/grants", json!([]), "/issuers/0/grants: there is none"),
            (
                "/issuers/0/grants/0/repository",
                json!("acme/*"),
                "/issuers/0/grants/0/repository: \"acme/*\" is no",
            ),
            ("/issuers/0/grants/0/project", json!("a b"), "/issuers/0/grants/0/project: "),
        ] {
            let mut wrong = whole.clone();
            *wrong.pointer_mut(pointer).unwrap() = value;
            let error = parse(wrong.to_string().as_bytes()).err().unwrap();
            assert!(error.contains(expected), "{error}");
        }
        for (key, value, expected) in [
            ("rights", json!("write"), "grades are of people"),
            ("rights", json!("admin"), "`admin` is no right"),
            ("branches", json!(["*"]), "leave them out"),
            ("branch", json!("main"), "unknown field `branch`"),
            ("claims", json!({"a": [1]}), "a is a text"),
        ] {
            let mut wrong = whole.clone();
            wrong["issuers"][0]["grants"][0][key] = value;
            let error = parse(wrong.to_string().as_bytes()).err().unwrap();
            assert!(error.contains(expected), "{error}");
        }
        let twice = json!({"issuers": [whole["issuers"][0], whole["issuers"][0]]});
        assert!(parse(twice.to_string().as_bytes()).err().unwrap().contains("is there twice"));
    }

    #[test]
    fn a_branch_is_a_branch_and_nothing_that_is_named_like_one() {
        let grant = Grant {
            project: "search".into(),
            rights: Rights::READ,
            repository: "acme/search".into(),
            branches: Some(vec!["main".into(), "release/*".into()]),
            claims: vec![("event_name".into(), "push".into())],
        };
        let holds = |provider: Provider, value: Value| {
            let claims = claims(value);
            let repository = claims.get(provider.repository()).and_then(Value::as_str).unwrap_or_default();
            grant.holds(repository, provider.branch(&claims), &claims)
        };
        let github = |git: &str, repository: &str, event: &str| {
            holds(Provider::Github, json!({"repository": repository, "ref": git, "event_name": event}))
        };
        assert!(github("refs/heads/main", "acme/search", "push"));
        assert!(github("refs/heads/release/1", "acme/search", "push"));
        for (git, repository, event) in [
            ("refs/tags/main", "acme/search", "push"),
            ("refs/pull/1/merge", "acme/search", "push"),
            ("main", "acme/search", "push"),
            ("refs/heads/main2", "acme/search", "push"),
            ("refs/heads/main", "acme/search2", "push"),
            ("refs/heads/main", "other/search", "push"),
            ("refs/heads/main", "acme/search", "pull_request_target"),
        ] {
            assert!(!github(git, repository, event), "{git} {repository} {event}");
        }
        let gitlab = |kind: &str| {
            holds(
                Provider::Gitlab,
                json!({"project_path": "acme/search", "ref": "main", "ref_type": kind, "event_name": "push"}),
            )
        };
        assert!(gitlab("branch") && !gitlab("tag"));
    }
}
