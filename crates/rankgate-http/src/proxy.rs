//! The proxy that the environment names.

use ureq::http::Uri;
use ureq::{Proxy, ProxyProtocol};

use super::failure::Unusable;
use crate::url;

/// The variable that names the proxy that requests to `url` will take, which is checked: the client leaves out one that it
/// does not understand, and asks without. An address without a scheme is one of `http`, as most programs take it.
pub fn check(url: &Uri) -> Result<Option<&'static str>, Unusable> {
    let names = ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];
    let given = |name: &'static str| std::env::var_os(name).filter(|value| !value.is_empty());
    let Some((variable, value)) = names.into_iter().find_map(|name| Some((name, given(name)?))) else {
        return Ok(None);
    };
    let exempt = ["NO_PROXY", "no_proxy"].into_iter().find_map(given).unwrap_or_default();
    let exempt = exempt.to_string_lossy();
    let any = exempt.split(',').fold(Proxy::builder(ProxyProtocol::Http), |proxy, host| proxy.no_proxy(host));
    if any.build().is_ok_and(|any| any.is_no_proxy(url)) {
        return Ok(None);
    }
    let refused = |why| Unusable::Proxy { variable, why };
    let value = value.to_str().ok_or_else(|| refused("it is not UTF-8"))?;
    let with_scheme = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    let parts = url::parse(&with_scheme).map_err(refused)?;
    if !matches!(parts.path, "" | "/") || Proxy::new(value).is_err() {
        return Err(refused("it is `http://host:port`, perhaps with `user:password@` before the host"));
    }
    Ok(Some(variable))
}
