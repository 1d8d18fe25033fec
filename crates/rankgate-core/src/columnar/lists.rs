//! Neighbours as lists in the columns of Parquet files, one row a query.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Schema};

use super::ids::{IdBytes, Ids};
use super::numbers;
use super::scan::{Opened, Stopped};
use crate::error::Quoted;
use crate::input::{Role, Source, Table};
use crate::{Error, Result};

/// What lists of neighbours are called: `neighbors_id` by VectorDBBench and the data sets of open-vdb.
const NEIGHBOURS: [&str; 6] =
    ["neighbors_id", "neighbours_id", "neighbors", "neighbours", "neighbor_ids", "neighbour_ids"];
/// What lists of their distances are called.
const DISTANCES: [&str; 4] = ["neighbors_distance", "neighbours_distance", "distances", "distance"];
/// What queries are called beside the usual names.
const QUERIES: [&str; 3] = ["id", "_id", "idx"];

/// A table of which each row has the neighbours of a query, nearest first.
pub struct NeighbourLists {
    files: Vec<(Opened, Columns)>,
}

/// Where the columns stand.
#[derive(Clone, Copy)]
struct Columns {
    /// Missing where row 7 is of query 7.
    query: Option<usize>,
    neighbours: usize,
    distances: Option<usize>,
}

/// The neighbours of one query.
#[derive(Debug, PartialEq)]
pub struct NeighbourList {
    pub query: String,
    /// Ids, nearest first, with what the file says of their distances.
    pub neighbours: Vec<(String, Option<f64>)>,
}

impl NeighbourLists {
    /// Opens a table; `None` where no column has lists of neighbours.
    pub fn open(source: &Source<'_>, table: Table<'_>) -> Result<Option<Self>> {
        let mut files = Vec::new();
        for file in Opened::all(source, table)? {
            let Some(columns) = Columns::find(file.schema()) else { return Ok(None) };
            files.push((file, columns));
        }
        Ok(Some(Self { files }))
    }

    /// Goes through all rows; what `each` refuses is an error with file and row.
    pub fn rows(&self, mut each: impl FnMut(NeighbourList) -> Result<(), String>) -> Result<()> {
        let mut files_before = 0;
        for (file, columns) in &self.files {
            let (mut id_bytes, mut rows) = (IdBytes::default(), 0);
            file.records(&columns.places(), &mut |record, first| {
                let columns = columns.within();
                let queries = columns.query.map(|at| Ids::from_column(record.column(at)));
                let queries = queries.transpose().map_err(|said| {
                    Error::in_file(file.path(), format!("the column of the queries: {said}"))
                })?;
                for row in 0..record.num_rows() {
                    let at_row = |said: String| {
                        Error::in_file(file.path(), format!("row {}: {said}", first + row as u64 + 1))
                    };
                    let query = match (&queries, columns.query) {
                        (Some(ids), Some(at)) if record.column(at).is_valid(row) => ids.get(row).to_owned(),
                        (None, None) => (files_before + first + row as u64).to_string(),
                        _ => return Err(at_row("the query is null".to_owned())),
                    };
                    let of_query = |said: String| at_row(format!("query {}: {said}", Quoted(&query)));
                    let neighbours = list(record.column(columns.neighbours), row, "neighbours")
                        .and_then(|list| ids(&list, &mut id_bytes))
                        .map_err(of_query)?;
                    let distances = columns.distances.map(|at| {
                        let list = list(record.column(at), row, "distances")?;
                        distances(&list, neighbours.len())
                    });
                    let distances = distances.transpose().map_err(of_query)?;
                    let distance = |place: usize| distances.as_ref().map(|distances| distances[place]);
                    let neighbours =
                        neighbours.into_iter().enumerate().map(|(place, id)| (id, distance(place)));
                    let neighbours = neighbours.collect();
                    each(NeighbourList { query, neighbours }).map_err(at_row)?;
                    rows += 1;
                }
                Ok(Stopped::No)
            })?;
            files_before += rows;
        }
        Ok(())
    }
}

impl Columns {
    fn find(schema: &Schema) -> Option<Self> {
        let is_list = |at: usize| {
            let kind = schema.field(at).data_type();
            matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
        };
        let named = |names: &[&str]| {
            let is_named = |name: &str| names.contains(&name.to_lowercase().as_str());
            schema.fields().iter().position(|field| is_named(field.name()))
        };
        let query = named(Role::Query.usual_names()).or_else(|| named(&QUERIES));
        let distances = named(&DISTANCES).filter(|at| is_list(*at));
        Some(Self { query, neighbours: named(&NEIGHBOURS).filter(|at| is_list(*at))?, distances })
    }

    /// Their places, ascending.
    fn places(&self) -> Vec<usize> {
        let mut places: Vec<usize> =
            [Some(self.neighbours), self.query, self.distances].into_iter().flatten().collect();
        places.sort_unstable();
        places
    }

    /// The same where no other columns are read.
    fn within(self) -> Self {
        let places = self.places();
        let among = |at: usize| places.iter().position(|place| *place == at).unwrap_or(at);
        Self {
            query: self.query.map(among),
            neighbours: among(self.neighbours),
            distances: self.distances.map(among),
        }
    }
}

/// The values of a row's list.
fn list(column: &ArrayRef, row: usize, what: &str) -> Result<ArrayRef, String> {
    if column.is_null(row) {
        return Err(format!("its list of {what} is null"));
    }
    let values = match column.data_type() {
        DataType::LargeList(_) => column.as_list::<i64>().value(row),
        DataType::FixedSizeList(..) => column.as_fixed_size_list().value(row),
        _ => column.as_list::<i32>().value(row),
    };
    let nulls = values.logical_nulls();
    match (0..values.len()).find(|&at| nulls.as_ref().is_some_and(|nulls| nulls.is_null(at))) {
        Some(at) => Err(format!("number {} of its {what} is null", at + 1)),
        None => Ok(values),
    }
}

fn ids(list: &ArrayRef, id_bytes: &mut IdBytes) -> Result<Vec<String>, String> {
    let is_number = list.data_type().is_integer();
    let ids = Ids::from_column(list)?;
    id_bytes.add(list.len(), &[&ids]).map_err(|(_, said)| said)?;
    let id = |place: usize| {
        let id = ids.get(place);
        match id {
            "" => Err(format!("neighbour {} is an empty id", place + 1)),
            "-1" if is_number => {
                Err(format!("neighbour {} is -1: that is padding and no document", place + 1))
            }
            _ if is_number && id.starts_with('-') => {
                Err(format!("neighbour {} is {id}, and numbers of documents are 0 or more", place + 1))
            }
            _ => Ok(id.to_owned()),
        }
    };
    (0..list.len()).map(id).collect()
}

fn distances(list: &ArrayRef, neighbours: usize) -> Result<Vec<f64>, String> {
    let distances = numbers::scores(list, "distance").map_err(|(place, said)| match place {
        Some(place) => format!("neighbour {}: {said}", place + 1),
        None => said,
    })?;
    match distances.len() == neighbours {
        true => Ok(distances),
        false => Err(format!("{neighbours} neighbours have {} distances", distances.len())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::{Float32Type, Int64Type};
    use arrow_array::{Int64Array, ListArray, RecordBatch, StringArray};

    use super::*;

    type Row<'a> = Option<&'a [Option<i64>]>;

    fn integers(rows: &[Row<'_>]) -> ArrayRef {
        let rows = rows.iter().map(|row| row.map(|row| row.to_vec()));
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(rows))
    }

    fn floats(rows: &[&[f32]]) -> ArrayRef {
        let rows = rows.iter().map(|row| Some(row.iter().copied().map(Some).collect::<Vec<_>>()));
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(rows))
    }

    fn read(columns: Vec<(&str, ArrayRef)>) -> Result<Vec<NeighbourList>, String> {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut bytes = Vec::new();
        let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let source = Source::bytes("gt.parquet", &bytes);
        let table = source.table().unwrap().unwrap();
        let lists = NeighbourLists::open(&source, table).map_err(|error| error.to_string())?;
        let mut rows = Vec::new();
        let each = |row| {
            rows.push(row);
            Ok(())
        };
        lists.ok_or("no lists")?.rows(each).map_err(|error| error.to_string())?;
        Ok(rows)
    }

    fn row(query: &str, neighbours: &[(&str, Option<f64>)]) -> NeighbourList {
        let neighbours = neighbours.iter().map(|(id, distance)| ((*id).to_owned(), *distance)).collect();
        NeighbourList { query: query.to_owned(), neighbours }
    }

    #[test]
    fn lists_are_read_as_benchmarks_write_them() {
        // VectorDBBench: id and neighbors_id
        let ids = || -> ArrayRef { Arc::new(Int64Array::from(vec![5, 3])) };
        let lists = || integers(&[Some(&[Some(7), Some(2)]), Some(&[Some(2)])]);
        let expected = [row("5", &[("7", None), ("2", None)]), row("3", &[("2", None)])];
        assert_eq!(read(vec![("id", ids()), ("neighbors_id", lists())]).unwrap(), expected);
        // open-vdb: idx, neighbors_id, neighbors_distance and others
        let far = floats(&[&[0.5, 1.5], &[0.25]]);
        let metric: ArrayRef = Arc::new(StringArray::from(vec!["L2", "L2"]));
        let columns =
            vec![("metric", metric), ("neighbors_distance", far), ("idx", ids()), ("neighbors_id", lists())];
        let expected = [row("5", &[("7", Some(0.5)), ("2", Some(1.5))]), row("3", &[("2", Some(0.25))])];
        assert_eq!(read(columns).unwrap(), expected);
        // Without ids row 1 is of query 1.
        let unnamed = read(vec![("neighbours", lists())]).unwrap();
        assert_eq!(unnamed.iter().map(|row| row.query.as_str()).collect::<Vec<_>>(), ["0", "1"]);
        // Documents in rows of their own are a run.
        assert_eq!(read(vec![("query", ids()), ("document", ids())]).unwrap_err(), "no lists");
    }

    #[test]
    fn what_is_no_list_of_neighbours_is_an_error_with_its_row() {
        let ids = || -> ArrayRef { Arc::new(Int64Array::from(vec![Some(5), None])) };
        let one = integers(&[Some(&[Some(7)]), Some(&[Some(2)])]);
        let of_neighbours = |list: Row<'_>| read(vec![("neighbors", integers(&[Some(&[Some(7)]), list]))]);
        let of_distances = |distances: &[f32]| {
            read(vec![("neighbors", one.clone()), ("distances", floats(&[&[0.5], distances]))])
        };
        for (read, expected) in [
            (
                of_neighbours(Some(&[Some(4), Some(-1)])),
                "row 2: query `1`: neighbour 2 is -1: that is padding and no document",
            ),
            (
                of_neighbours(Some(&[Some(-9)])),
                "row 2: query `1`: neighbour 1 is -9, and numbers of documents are 0 or more",
            ),
            (of_neighbours(Some(&[None])), "row 2: query `1`: number 1 of its neighbours is null"),
            (of_neighbours(None), "row 2: query `1`: its list of neighbours is null"),
            (of_distances(&[0.5, 0.7]), "row 2: query `1`: 1 neighbours have 2 distances"),
            (of_distances(&[f32::NAN]), "row 2: query `1`: neighbour 1: the distance is NaN"),
            (read(vec![("id", ids()), ("neighbors", one.clone())]), "row 2: the query is null"),
        ] {
            assert_eq!(read.unwrap_err(), format!("gt.parquet: {expected}"));
        }
        let floating = read(vec![("neighbors", floats(&[&[0.5]]))]).unwrap_err();
        assert_eq!(
            floating,
            "gt.parquet: row 1: query `0`: its type is Float32; ids are text or whole numbers"
        );
    }
}
