//! The gates of a spec, one per test.

use std::collections::{HashMap, HashSet};

use super::configuration::Configuration;
use super::names::Names;
use crate::gate::{Gate, GateKind, Level, configuration_name};
use crate::mapping::{Field, FromNode, List, Reader, Spanned};
use crate::metric::Metric;
use crate::yaml::{Problem, Span};

impl Field<bool> {
    /// Whether it is, or was meant to be, `true`.
    pub(crate) fn is_on(&self) -> bool {
        matches!(self, Self::Broken) || self.value() == Some(&true)
    }
}

impl<T> Field<List<T>> {
    /// Whether it has, or was meant to have, items.
    pub(crate) fn has_items(&self) -> bool {
        matches!(self, Self::Broken) || self.value().is_some_and(|list| list.written > 0)
    }

    /// Takes the items out, and keeps what they become where nothing had to be reported of them.
    pub(crate) fn sound_items<U>(
        &mut self,
        reader: &mut Reader<'_>,
        mut check: impl FnMut(T, Span, &mut Reader<'_>) -> Option<U>,
    ) -> Vec<Spanned<U>> {
        let items = self.take().map(|list| list.items).unwrap_or_default();
        let mut sound = Vec::with_capacity(items.len());
        for item in items {
            let before = reader.found.len();
            let value = check(item.value, item.at, reader);
            if item.sound && reader.found.len() == before {
                sound.extend(value.map(|value| Spanned { at: item.at, value }));
            }
        }
        sound
    }
}

/// An entry of a key that asks for gates, as it is written. A kind of gate that has a key says here what its entries are.
pub(crate) trait RawEntry: FromNode {
    /// What it becomes.
    type Checked: GateEntry;

    /// What it becomes, once for each configuration that it names as a candidate; `None` where it cannot be decided, which
    /// has been reported.
    fn check(
        self,
        at: Span,
        context: &GateContext<'_>,
        reader: &mut Reader<'_>,
    ) -> Option<Vec<Self::Checked>>;
}

/// An entry that was checked.
pub(crate) trait GateEntry {
    /// The metrics that it names, in their order.
    fn metrics(&self) -> &[Metric] {
        &[]
    }

    /// Takes the place of the entry that it was written in, among the sound ones of its key.
    fn set_entry(&mut self, _: usize) {}

    /// Adds its gates; `index` is its place among the checked ones of its key.
    fn expand(&self, index: usize, at: Span, benchmark: &str, gates: &mut Gates<'_, '_>);
}

/// What entries of gates may name.
pub(crate) struct GateContext<'a> {
    pub(crate) names: &'a Names<'a>,
    /// The configurations, as far as all of them are sound.
    pub(crate) configurations: Option<&'a [Configuration]>,
}

/// Takes the entries of a key out and checks them. Problems are reported.
pub(crate) fn checked_entries<R: RawEntry>(
    key: &mut Field<List<R>>,
    context: &GateContext<'_>,
    reader: &mut Reader<'_>,
) -> Vec<Spanned<R::Checked>> {
    with_entry_numbers(key.sound_items(reader, |raw, at, reader| raw.check(at, context, reader)))
}

/// What entries became, each with the place of its entry.
pub(crate) fn with_entry_numbers<G: GateEntry>(entries: Vec<Spanned<Vec<G>>>) -> Vec<Spanned<G>> {
    let of_entry = |(entry, Spanned { at, value }): (usize, Spanned<Vec<G>>)| {
        value.into_iter().map(move |mut value| {
            value.set_entry(entry);
            Spanned { at, value }
        })
    };
    entries.into_iter().enumerate().flat_map(of_entry).collect()
}

/// Gates with their places; two of one name are reported.
pub(crate) struct Gates<'a, 'r> {
    reader: &'a mut Reader<'r>,
    list: Vec<Gate>,
    places: HashMap<String, Span>,
    /// Pairs of places whose gates share a name: one report says it for all of them.
    reported: HashSet<(Span, Span)>,
}

impl<'a, 'r> Gates<'a, 'r> {
    pub(crate) fn new(reader: &'a mut Reader<'r>) -> Self {
        Self { reader, list: Vec::new(), places: HashMap::new(), reported: HashSet::new() }
    }

    pub(crate) fn into_list(self) -> Vec<Gate> {
        self.list
    }

    /// One gate for each of the configurations, as a key of the spec asks.
    pub(crate) fn of_all<'c>(
        &mut self,
        benchmark: &str,
        configurations: impl Iterator<Item = &'c Configuration>,
        (what, kind): (&str, GateKind),
        at: Span,
    ) {
        for configuration in configurations {
            let name = configuration_name(benchmark, &configuration.name, what);
            self.add(name, &configuration.name, Level::Blocking, kind.clone(), at);
        }
    }

    pub(crate) fn add(&mut self, name: String, configuration: &str, level: Level, kind: GateKind, at: Span) {
        if let Some(&first) = self.places.get(&name) {
            if self.reported.insert((first, at)) {
                let problem = Problem::new(at, format!("two gates are called `{name}`"));
                let problem = problem.related(first, "the first");
                self.reader
                    .report(problem.help("give one of them a `name`, which becomes part of the test's name"));
            }
            return;
        }
        let (line, column) = self.reader.source.position(at);
        self.places.insert(name.clone(), at);
        self.list.push(Gate { name, configuration: configuration.to_owned(), level, kind, line, column });
    }
}
