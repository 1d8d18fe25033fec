//! A table: its files and the columns of it that matter.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectMeta, ObjectStore};
use rankgate::Order;

use super::names::{Columns, Names, listed};
use super::reader::Reader;
use super::{Place, Stores};

/// Footers that are read at once.
const AT_ONCE: usize = 16;

/// Whose rows a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Documents that were retrieved, with scores or ranks.
    Run,
    /// Judged documents, with grades.
    Judgments,
}

impl Side {
    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Judgments => "judgments",
        }
    }

    /// What messages call the third column.
    pub(super) fn value(self) -> &'static str {
        match self {
            Self::Run => "score",
            Self::Judgments => "grade",
        }
    }
}

/// A file of a table.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) object: ObjectMeta,
    pub(super) footer: ArrowReaderMetadata,
    /// Where query, document and value stand in it.
    pub(super) columns: [usize; 3],
}

/// Parquet files with a query, a document and a value.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) side: Side,
    pub(super) place: Place,
    pub(super) columns: Columns,
    order: Order,
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) files: Vec<File>,
}

impl Table {
    /// Lists the files and reads their footers.
    ///
    /// # Errors
    ///
    /// No file; one that is no Parquet; one without the columns, or with a column of a type that cannot be meant.
    pub async fn open(
        side: Side,
        place: Place,
        names: &Names,
        order: Option<Order>,
        stores: &Stores,
    ) -> Result<Self> {
        let store = stores.get_store(&place.store)?;
        let objects = place.files(stores).await?;
        let open = |object: ObjectMeta| {
            let (store, name) = (Arc::clone(&store), place.shown(&object.location));
            async move {
                let mut reader = Reader { store, object: object.clone() };
                let footer = ArrowReaderMetadata::load_async(&mut reader, ArrowReaderOptions::new()).await;
                let footer = footer.map_err(|error| exec_datafusion_err!("{name}: {error}"))?;
                Ok::<_, DataFusionError>(File { name, object, footer, columns: [0; 3] })
            }
        };
        let mut files: Vec<File> = stream::iter(objects).map(open).buffered(AT_ONCE).try_collect().await?;
        let Some(first) = files.first() else { return exec_err!("{}: there is no file", place.name) };
        let (columns, order) = names.find(side, order, &first.name, first.footer.schema())?;
        for file in &mut files {
            file.columns = check(side, &file.name, file.footer.schema(), &columns)?;
        }
        Ok(Self { side, place, columns, order, store, files })
    }

    /// Whose rows they are.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Whether the third column of a run holds scores or ranks.
    pub fn order(&self) -> Order {
        self.order
    }

    /// What the columns are called.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// As it was written.
    pub fn name(&self) -> &str {
        &self.place.name
    }

    /// Whether scores are 32-bit floats somewhere: ties are then between those.
    pub fn has_short_floats(&self) -> bool {
        let short = |file: &File| {
            let field = file.footer.schema().field(file.columns[2]);
            matches!(field.data_type(), DataType::Float16 | DataType::Float32)
        };
        self.files.iter().any(short)
    }

    /// The same files as an engine reads them: ids as text, scores in 64 bits, grades in 32, whatever the type that a
    /// file has.
    ///
    /// # Errors
    ///
    /// A path that is no URL.
    pub fn provider(&self) -> Result<ListingTable> {
        let url = |file: &File| {
            let mut url = self.place.store.clone();
            // What is no letter is encoded, but for the sign that encoding is done with.
            url.set_path(&file.object.location.as_ref().replace('%', "%25"));
            ListingTableUrl::try_new(url, None)
        };
        let urls = self.files.iter().map(url).collect::<Result<Vec<_>>>()?;
        let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(options)
            .with_schema(self.schema());
        ListingTable::try_new(config)
    }

    fn schema(&self) -> SchemaRef {
        let Columns { query, document, value } = &self.columns;
        let value_type = match self.side {
            Side::Run => DataType::Float64,
            Side::Judgments => DataType::Int32,
        };
        Arc::new(Schema::new(vec![
            Field::new(query, DataType::Utf8View, true),
            Field::new(document, DataType::Utf8View, true),
            Field::new(value, value_type, true),
        ]))
    }
}

/// Where the three columns stand; their types are those of ids and numbers.
fn check(side: Side, file: &str, schema: &Schema, columns: &Columns) -> Result<[usize; 3]> {
    let Columns { query, document, value } = columns;
    let find = |name: &str| match schema.index_of(name) {
        Ok(index) => Ok(index),
        Err(_) => exec_err!("{file}: there is no column `{name}`; there are {}", listed(schema)),
    };
    let found = [find(query)?, find(document)?, find(value)?];
    for (index, name) in [(found[0], query), (found[1], document)] {
        let data_type = schema.field(index).data_type();
        if !is_id(data_type) {
            return exec_err!(
                "{file}: column `{name}` is of type {data_type}: ids are text or whole numbers"
            );
        }
    }
    let data_type = schema.field(found[2]).data_type();
    let fits = match side {
        Side::Run => data_type.is_integer() || data_type.is_floating(),
        Side::Judgments => data_type.is_integer() || *data_type == DataType::Boolean,
    };
    if !fits {
        let wanted = match side {
            Side::Run => "scores are floats or whole numbers",
            Side::Judgments => "grades are whole numbers or booleans",
        };
        return exec_err!("{file}: column `{value}` is of type {data_type}: {wanted}");
    }
    Ok(found)
}

fn is_id(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => is_id(value),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        other => other.is_integer(),
    }
}
