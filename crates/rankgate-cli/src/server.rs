//! The server that keeps reports: its address and token, and requests for alarms.

use std::path::Path;

use clap::Args;
use rankgate::BoxError;
use rankgate::service::{Server, Unanswered, in_address};
use serde_json::Value as Json;

use crate::env;
use crate::git::Repository;
use crate::shell::quoted;

/// Which project of a server.
#[derive(Args)]
pub(crate) struct Project {
    /// The project on the server [default: the variable RANKGATE_PROJECT]; it is never guessed
    #[arg(long, value_name = "NAME")]
    project: Option<String>,

    /// The repository whose commits reports are of [default: that of this folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) repository: Option<std::path::PathBuf>,
}

impl Project {
    pub(crate) fn repository(&self) -> Result<Repository, BoxError> {
        Repository::containing(self.repository.as_deref().unwrap_or(Path::new(".")))
            .map_err(|error| format!("{error}; --repository names it").into())
    }

    pub(crate) fn name(&self) -> Result<String, BoxError> {
        if let Some(name) = self.project.clone().or_else(env::project) {
            return Ok(name);
        }
        // What a repository is called may be somebody else's project, or make a new one.
        let called = self.repository().ok().and_then(|repository| quoted(&repository.name()));
        let called = called.map_or(String::new(), |name| {
            format!("; this repository is called {name}, so `--project {name}` may be meant")
        });
        let variable = env::PROJECT;
        Err(format!("no project is named: `--project NAME` names it, or the variable {variable}{called}")
            .into())
    }
}

/// What users of `push` and `alarms` can do about a refusal of a project's server.
fn advice(status: u16, server: &Server, project: &str) -> Option<String> {
    let given = env::token();
    let token = given.as_ref().map_or("RANKGATE_TOKEN", |(name, _)| *name);
    let add =
        |right: &str| format!("`rankgate-serve --data DIR token add --project {project} --right {right}`");
    Some(match status {
        401 if given.is_none() => {
            format!("set the variable {token} to a token of the project; {} makes one on the server", add("push"))
        }
        401 => format!(
            "the token in {token} is not taken: it may be mistyped, expired or revoked; {} makes another on the server",
            add("push")
        ),
        403 => format!(
            "the token in {token} may not do this; {} makes one that pushes, and `acknowledge` in its place one that \
             acknowledges",
            add("push")
        ),
        404 => format!(
            "is {} a rankgate-serve, and {project} the project that the token in {token} is of? --to and --project say \
             them",
            server.address()
        ),
        409 => {
            "one ranking has one score: compare what both reports rest on; `rankgate-serve check` names the reports that \
             contradict each other"
                .to_owned()
        }
        413 => "`rankgate-serve --max-body MIB` allows more".to_owned(),
        400 | 422 => {
            "nothing was done; where rankgate and rankgate-serve are of different versions, bring both to the newer"
                .to_owned()
        }
        429 => "`rankgate-serve --rate N` allows more".to_owned(),
        500.. => "the log of rankgate-serve says why; push again when that is mended".to_owned(),
        _ => return None,
    })
}

/// Why a server did not do something, and what helps.
pub(crate) fn explained(error: &Unanswered, server: &Server, project: &str) -> BoxError {
    let status = match error {
        Unanswered::Away(_) => None,
        Unanswered::Failed { status, .. } => Some(*status),
        Unanswered::Refused { status, .. } => *status,
    };
    match status.and_then(|status| advice(status, server, project)) {
        Some(advice) => format!("{error}; {advice}").into(),
        None => error.to_string().into(),
    }
}

/// The server at an address, with the token of the environment: one that was made there, else one of this run of CI.
pub(crate) fn server(url: &str) -> Result<Server, BoxError> {
    let server = Server::new(url, None)?;
    let token = match (env::token(), env::issuer()) {
        (Some(token), _) => Some(token),
        (None, Some(issuer)) => Some(("ACTIONS_ID_TOKEN", issued(issuer, server.address())?)),
        (None, None) => None,
    };
    match token {
        Some((name, token)) => Ok(Server::new(url, Some((name, &token)))?),
        None => Ok(server),
    }
}

/// A token of this run of CI for a server, which its issuer signs.
fn issued((address, secret): (String, String), audience: &str) -> Result<String, BoxError> {
    let failed = |why: String| -> BoxError {
        format!(
            "no token of this run of CI (ACTIONS_ID_TOKEN_REQUEST_URL): {why}; RANKGATE_TOKEN would need none"
        )
        .into()
    };
    // Its address has a query already, which the audience is added to.
    let path = address.find("://").and_then(|scheme| Some(scheme + 3 + address[scheme + 3..].find('/')?));
    let (host, path) = address.split_at(path.unwrap_or(address.len()));
    let mark = if path.contains('?') { '&' } else { '?' };
    let path = format!("{path}{mark}audience={}", in_address(audience));
    let issuer =
        Server::new(host, Some((env::ISSUER_TOKEN, &secret))).map_err(|why| failed(why.to_string()))?;
    let answer = issuer.get(&path).map_err(|why| failed(why.to_string()))?;
    let token = answer.get("value").and_then(Json::as_str);
    Ok(token.ok_or_else(|| failed("the answer has none (`value`)".to_owned()))?.to_owned())
}

/// A request for alarms.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlarmQuery {
    pub(crate) benchmark: Option<String>,
    pub(crate) configuration: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) base: Option<String>,
    /// A commit: the answer says whether alarms cover it.
    pub(crate) commit: Option<String>,
}

impl AlarmQuery {
    pub(crate) fn path(&self, project: &str) -> String {
        let fields = [
            ("benchmark", &self.benchmark),
            ("configuration", &self.configuration),
            ("branch", &self.branch),
            ("base", &self.base),
            ("commit", &self.commit),
        ];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let query: Vec<String> = given.map(|(name, value)| format!("{name}={}", in_address(value))).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        format!("/v1/projects/{}/alarms{query}", in_address(project))
    }
}
