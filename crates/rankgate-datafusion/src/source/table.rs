//! A table: its files and the columns of it that matter.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::logical_expr::{LogicalPlanBuilder, cast, ident};
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{ObjectMeta, ObjectStore};
use rankgate_core::run::Order;
use rankgate_tables::ColumnNames;

use super::names::{self, Columns, listed};
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

impl File {
    fn value_type(&self) -> &DataType {
        self.footer.schema().field(self.columns[2]).data_type()
    }

    fn has_decimals(&self) -> bool {
        self.value_type().is_decimal()
    }
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
        names: &ColumnNames,
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
        let (columns, order) = names::find(names, side, order, &first.name, first.footer.schema())?;
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
        self.files.iter().any(|file| matches!(file.value_type(), DataType::Float16 | DataType::Float32))
    }

    /// The same files as an engine reads them: ids as text, scores in 64 bits, grades in 32, whatever the type that a
    /// file has. Decimals become the nearest floats.
    ///
    /// # Errors
    ///
    /// A path that is no URL.
    pub fn provider(&self) -> Result<Arc<dyn TableProvider>> {
        let value = match self.side {
            Side::Run => DataType::Float64,
            Side::Judgments => DataType::Int32,
        };
        let (decimals, others): (Vec<_>, Vec<_>) = self.files.iter().partition(|file| file.has_decimals());
        if decimals.is_empty() {
            return Ok(Arc::new(self.listing(&others, value)?));
        }
        // To divide digits by a power of ten would round twice; text is read as the nearest float.
        let decimals = self.listing(&decimals, DataType::Utf8)?;
        let Columns { query, document, value: name } = &self.columns;
        let scan =
            |listing| LogicalPlanBuilder::scan(self.side.name(), provider_as_source(Arc::new(listing)), None);
        let of_text = cast(ident(name), value.clone()).alias(name);
        let plan = scan(decimals)?.project([ident(query), ident(document), of_text])?;
        let plan = match others.is_empty() {
            true => plan,
            false => plan.union(scan(self.listing(&others, value)?)?.build()?)?,
        };
        Ok(Arc::new(ViewTable::new(plan.build()?, None)))
    }

    /// Some of the files, and of which type an engine takes scores or grades.
    fn listing(&self, files: &[&File], value: DataType) -> Result<ListingTable> {
        let url = |file: &File| {
            let mut url = self.place.store.clone();
            // What is no letter is encoded, but for the sign that encoding is done with.
            url.set_path(&file.object.location.as_ref().replace('%', "%25"));
            ListingTableUrl::try_new(url, None)
        };
        let urls = files.iter().copied().map(url).collect::<Result<Vec<_>>>()?;
        let options = ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension("");
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(options)
            .with_schema(self.schema(value));
        ListingTable::try_new(config)
    }

    fn schema(&self, value_type: DataType) -> SchemaRef {
        let Columns { query, document, value } = &self.columns;
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
        Side::Run => data_type.is_integer() || data_type.is_floating() || data_type.is_decimal(),
        Side::Judgments => data_type.is_integer() || *data_type == DataType::Boolean,
    };
    if !fits {
        let wanted = match side {
            Side::Run => "scores are floats, whole numbers or decimals",
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
