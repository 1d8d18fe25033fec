//! The server of a spec's judge.

use crate::ask::{Address, Server};
use crate::spec::{JudgePlan, Template};
use crate::{Error, ErrorKind, Result};
use rankgate::internal::Secrets;
use rankgate::judge::Description;

/// What must not be kept of what comes back: the values of the variables that the spec names, as far as they are set.
pub(super) fn secrets(plan: &JudgePlan) -> Secrets {
    let mut secrets = Secrets::default();
    for template in plan.endpoint.iter().chain(&plan.api_key) {
        let values = template.values().unwrap_or_default();
        values.into_iter().for_each(|(name, value)| secrets.add(name, &value));
    }
    secrets
}

/// The server of a spec's judge.
pub(super) fn open<'a>(plan: &JudgePlan, judge: &'a Description) -> Result<Server<'a>> {
    let none = || {
        Error::with_kind(
            ErrorKind::BadInput,
            "the spec's `judge:` has no `endpoint`, and can only be asked through files (`--requests`)",
        )
    };
    let endpoint = plan.endpoint.as_ref().ok_or_else(none)?;
    let mut secrets = Secrets::default();
    let mut resolved = |template: &Template| -> Result<[String; 2]> {
        template.values()?.into_iter().for_each(|(name, value)| secrets.add(name, &value));
        Ok([template.resolve()?, template.to_string()])
    };
    let endpoint = resolved(endpoint)?;
    let key = plan.api_key.as_ref().map(resolved).transpose()?;
    Server::new(Address { endpoint, key, secrets }, judge, super::backend::limit(plan))
}
