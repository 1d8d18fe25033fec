//! The data that decide gates, each read or asked once and shared by all threads: the collection and its
//! documents, what configurations answered, golden files.

mod ask;
mod columns;
pub(crate) mod connect;
mod context;
mod corpus;
mod golden;
mod golden_files;
mod hit_metadata;
mod latency;
mod measurement;
mod neighbours;
mod parents;
mod quiet;
mod record;
mod recorded;
mod registry;
mod scoring;
mod second_build;
#[cfg(feature = "http")]
mod services;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::analysis::{ForeignDocuments, Golden, MissingRelevant};
use crate::collection::Collection;
use crate::evaluation::Truth;
use crate::gate::Gate;
use crate::order;
use crate::progress::{Watched, Work};
use crate::retriever::Failure;
use crate::spec::{Configuration, Spec};
use crate::{Error, ErrorKind, Result};

use self::corpus::{CorpusFacts, Titles};
use self::golden::BeforeAsking;
use self::parents::View;
use self::recorded::Recording;

pub(crate) use self::columns::write_beside;
pub(crate) use self::context::{Accept, Context, normalize_path, report_file};
pub use self::context::{with_options, without_blessing};
pub(crate) use self::latency::{SideTimes, Timed};
pub(crate) use self::measurement::Measurement;
pub use self::recorded::Recorded;
pub use self::registry::Registry;
pub(crate) use self::second_build::{OneBuild, SecondBuild};

/// A spec with everything that was read and measured for it so far.
pub(crate) struct Cache {
    pub(crate) spec: Spec,
    pub(crate) context: Arc<Context>,
    pub(crate) registry: Registry,
    collection: OnceLock<Result<Collection>>,
    corpus: OnceLock<Result<Option<CorpusFacts>>>,
    missing_relevant: OnceLock<Result<MissingRelevant>>,
    /// Titles of documents, by id.
    titles: OnceLock<Titles>,
    slots: BTreeMap<String, Slot>,
    /// The configurations that have to answer twice, where it is known which gates will be decided.
    asked_twice: OnceLock<BTreeSet<String>>,
    timed: self::latency::AllTimed,
    /// The true neighbours of the queries, once they are known.
    truth: Truth,
}

/// The data on one configuration.
#[derive(Default)]
struct Slot {
    view: OnceLock<Result<Option<Arc<View>>>>,
    recording: OnceLock<Result<Option<Arc<Recording>>>>,
    measurement: OnceLock<Result<Arc<Measurement>, Failure>>,
    second_build: OnceLock<Result<SecondBuild>>,
    golden: Blessed,
    /// By what they are tagged with.
    tagged: BTreeMap<String, Blessed>,
}

/// The data on one of its blessed runs.
#[derive(Default)]
struct Blessed {
    before_asking: OnceLock<BeforeAsking>,
    judged: OnceLock<Result<Option<Arc<Golden>>>>,
    foreign_documents: OnceLock<Result<ForeignDocuments>>,
}

impl Cache {
    /// Nothing is read or asked before it is needed.
    pub(crate) fn new(spec: Spec, registry: Registry, context: Arc<Context>) -> Self {
        let slot = |one: &Configuration| {
            let tags = spec.tagged(&one.name).chain(context.bless.tag.as_deref());
            let tagged = order::map(tags.map(|tag| (tag.to_owned(), Blessed::default())));
            (one.name.clone(), Slot { tagged, ..Slot::default() })
        };
        Self {
            slots: order::map(spec.configurations.iter().map(slot)),
            spec,
            context,
            registry,
            collection: OnceLock::new(),
            corpus: OnceLock::new(),
            missing_relevant: OnceLock::new(),
            titles: OnceLock::new(),
            asked_twice: OnceLock::new(),
            timed: self::latency::AllTimed::default(),
            truth: Truth::default(),
        }
    }

    /// Takes notice of the only gates that will be decided, before the first is: nothing is asked for others. Processes that
    /// share answers ask for all gates.
    pub(crate) fn expect_gates<'a>(&self, gates: impl Iterator<Item = &'a Gate>) {
        if self.context.cache.is_none() {
            let asking_twice = gates.filter(|gate| gate.kind.kind().asks_twice());
            // Who decides gates without a word before has them all.
            drop(self.asked_twice.set(asking_twice.map(|gate| gate.configuration.clone()).collect()));
        }
    }

    /// The benchmark's name.
    pub(crate) fn name(&self) -> &str {
        &self.spec.benchmark
    }

    /// The configuration of this name; after the spec was checked there is one.
    pub(crate) fn configuration(&self, name: &str) -> Result<&Configuration> {
        let missing =
            || Error::with_kind(ErrorKind::Internal, format!("the spec has no configuration `{name}`"));
        self.spec.configuration(name).ok_or_else(missing)
    }

    /// The collection.
    pub(crate) fn collection(&self) -> Result<&Collection> {
        let load = || {
            let work = Work::Loading { benchmark: self.name() };
            let _watched = Watched::start(self.context.observer(), work, None);
            let collection = self.spec.collection.resolve()?.load()?;
            let collection = collection.with_attributes(self.spec.attributes.iter().cloned());
            let of_configurations = || self.spec.configurations.iter().find_map(|one| one.parents.as_ref());
            let plan = self.spec.collection.parents.as_ref().or_else(of_configurations);
            let Some(plan) = plan else { return Ok(collection) };
            let parents = self::parents::read(plan, &collection)?;
            Ok(collection.in_parents(Arc::new(parents)))
        };
        self.collection.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    /// The collection, if it has been loaded.
    pub(crate) fn collection_so_far(&self) -> Option<&Collection> {
        self.collection.get()?.as_ref().ok()
    }

    fn slot(&self, configuration: &Configuration) -> &Slot {
        &self.slots[&configuration.name]
    }

    /// A configuration's golden run, or the one of its tagged runs that has this tag.
    fn blessed(&self, configuration: &Configuration, tag: Option<&str>) -> &Blessed {
        let slot = self.slot(configuration);
        tag.map_or(&slot.golden, |tag| &slot.tagged[tag])
    }

    /// What one process of the test run makes for all of them.
    pub(crate) fn share_once<T: Serialize + DeserializeOwned>(
        &self,
        key: &str,
        make: impl Fn() -> Result<T>,
    ) -> Result<T> {
        match &self.context.cache {
            None => make(),
            Some(shared) => shared.get_or_retry(key, make)?,
        }
    }

    /// What another process of the test run has made, if it has and it went well.
    pub(crate) fn made_elsewhere<T: Serialize + DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.context.cache.as_ref()?.peek::<Result<T>>(key)?.ok()
    }

    /// What the processes of a test run share is kept under; names have dots, but no `+`.
    pub(crate) fn key(&self, what: &str) -> String {
        format!("{}+{what}", self.name())
    }

    /// The same of one configuration.
    pub(crate) fn key_of(&self, what: &str, configuration: &Configuration) -> String {
        self.key(&format!("{what}+{}", configuration.name))
    }
}
