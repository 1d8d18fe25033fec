//! Parts of a Parquet file, from an object store.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::{ParquetError, Result};
use datafusion::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use futures::future::BoxFuture;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

/// A file of a store.
#[derive(Clone, Debug)]
pub(super) struct Reader {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) object: ObjectMeta,
}

fn failed(error: object_store::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

impl AsyncFileReader for Reader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, Result<Bytes>> {
        Box::pin(async move { self.store.get_range(&self.object.location, range).await.map_err(failed) })
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, Result<Vec<Bytes>>> {
        Box::pin(async move { self.store.get_ranges(&self.object.location, &ranges).await.map_err(failed) })
    }

    fn get_metadata<'a>(
        &'a mut self,
        _: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, Result<Arc<ParquetMetaData>>> {
        Box::pin(async move {
            let size = self.object.size;
            ParquetMetaDataReader::new().load_and_finish(self, size).await.map(Arc::new)
        })
    }
}
