//! Object stores by the URL of a file: made when they are first asked for, by the environment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::{Result, exec_datafusion_err, exec_err};
use datafusion::execution::object_store::ObjectStoreRegistry;
use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use url::Url;

/// The schemes that there are stores of.
const SCHEMES: &str = "s3://, gs://, az://, file://";

/// Stores by scheme and bucket. Client, scheduler and executors each have one, with the environment of their process.
#[derive(Debug, Default)]
pub struct Stores {
    made: Mutex<HashMap<String, Arc<dyn ObjectStore>>>,
}

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(key(url), store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = made.get(&key(url)) {
            return Ok(Arc::clone(store));
        }
        let store = make(url)?;
        made.insert(key(url), Arc::clone(&store));
        Ok(store)
    }
}

fn key(url: &Url) -> String {
    format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default())
}

fn make(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    let failed = |error: object_store::Error| exec_datafusion_err!("{url}: {error}");
    Ok(match url.scheme() {
        "file" => Arc::new(LocalFileSystem::new()),
        "s3" | "s3a" => Arc::new(AmazonS3Builder::from_env().with_url(url.as_str()).build().map_err(failed)?),
        "gs" => {
            Arc::new(GoogleCloudStorageBuilder::from_env().with_url(url.as_str()).build().map_err(failed)?)
        }
        "az" | "azure" | "abfs" | "abfss" => {
            Arc::new(MicrosoftAzureBuilder::from_env().with_url(url.as_str()).build().map_err(failed)?)
        }
        other => return exec_err!("{url}: `{other}://` is none of {SCHEMES}"),
    })
}
