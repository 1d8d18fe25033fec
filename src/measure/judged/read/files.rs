//! Judgments of documents by a model and people, read once from the committed files. Nothing is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use foldhash::fast::RandomState;

use crate::analysis::{Judges, LabelledPair};
use crate::collection::{Collection, Document, Query};
use crate::judge::{
    Description, Glance, HumanGrade, HumansFile, JudgmentsFile, Sample, Unasked, glance, glance_beside,
    is_about_answers, sha256, shown_sha256, shown_to_people, text_of,
};
use crate::measure::Cache;
use crate::measure::corpus::{Titled, TitlesOf};
use crate::measure::judged::UnjudgedGates;
use crate::measure::judged::files::{JudgedFiles, Pair, WithoutGrade};
use crate::progress::{Watched, Work};
use crate::spec::JudgePlan;
use crate::words::{agree, counted};
use crate::{Error, Result};

/// The hash of what the model is shown of a document, and of what people are; none where nothing can be shown.
type ShownHashes = HashMap<String, [Option<String>; 2], RandomState>;

impl Cache {
    pub(super) fn read_judged(&self) -> Result<JudgedFiles> {
        let plan = self.spec.judge.as_ref().ok_or_else(|| Error::invalid("this spec has no `judge`"))?;
        let collection = self.collection()?;
        let work = Work::Loading { benchmark: self.name() };
        let _watched = Watched::start(self.context.observer(), work, None);
        let description = plan.description()?;
        let path = plan.judgments.resolve()?;
        let text = text_of(&path)?;
        let beside = self.context.judgments_beside_report(self.name()).unwrap_or_default();
        let own = text_of(&beside)?;
        let [name, own_name] = [&path, &beside].map(|path| path.display().to_string());
        let (judges, items) = glance_beside((&name, &text), (&own_name, &own))?;
        let unasked = self.unasked()?;
        let humans = match &plan.humans {
            Some(path) => humans(&path.resolve()?)?,
            None => None,
        };
        let judge = description.id();
        let shown = self.shown(collection, (&description, unasked.as_ref()), &items, humans.as_ref())?;
        let ByModel { readings, abstained, elsewhere, without_grade, tokens } =
            by_model(collection, &description, (&judges, &items), &shown)?;
        let (by_people, drawn, people) = self.by_people(collection, humans.as_ref(), &shown)?;
        let sample = humans.as_ref().map(|humans| &humans.sample);
        let labels = labels(collection, &judge, &items, humans.as_ref(), &shown);
        Ok(JudgedFiles {
            judges: Judges {
                of_this_judge: sample
                    .and_then(|sample| sample.judge.as_ref())
                    .is_some_and(|all| all.split(' ').any(|one| one == judge)),
                of: sample.map_or(0, |sample| sample.of),
                until: sample.is_some_and(|sample| sample.until),
                strata: sample.map(Sample::strata_of_units).unwrap_or_default(),
                judge: judge.clone(),
                model: plan.model.clone(),
                base: collection.clone(),
                by_model: readings,
                by_people,
                drawn,
                abstained,
                beyond_people: BTreeMap::new(),
                highest: description.scale[1],
                segments: self.spec.segments.clone(),
                labels,
            },
            elsewhere,
            without_grade,
            unasked: unasked.map(|unasked| unasked_pairs(collection, &judge, &unasked, &shown)),
            lacking: BTreeMap::new(),
            tokens,
            people,
            spec: self.context.shown(&self.spec.path),
            what: ["pair", "pairs"],
        })
    }

    /// What the model and people were shown of documents, as hashes; the documents are read once in this test run.
    fn shown(
        &self,
        collection: &Collection,
        (description, unasked): (&Description, Option<&Unasked>),
        items: &[Glance<'_>],
        humans: Option<&HumansFile>,
    ) -> Result<ShownHashes> {
        let judge = description.id();
        let unasked = unasked.into_iter().flat_map(|unasked| unasked.all_documents(&judge));
        let to_model: HashSet<&str, RandomState> =
            items.iter().map(|item| &*item.document).chain(unasked).collect();
        let graded = humans.into_iter().flat_map(HumansFile::grades);
        let to_people: HashSet<&str, RandomState> = graded.map(|grade| grade.document.as_str()).collect();
        if to_model.is_empty() && to_people.is_empty() {
            return Ok(ShownHashes::default());
        }
        self.share_once(&self.key("shown"), || {
            let mut shown = ShownHashes::with_capacity_and_hasher(
                to_model.len() + to_people.len(),
                RandomState::default(),
            );
            let corpus = collection.corpus()?;
            // The report will want them: the documents are not read once more.
            let mut titles = TitlesOf::begin(corpus);
            let read = |document: Document| {
                let title = Titled::new(&document);
                let [asked, graded] = [&to_model, &to_people].map(|ids| ids.contains(&*document.id));
                let to_model = asked.then(|| description.shown_of(&document).ok()).flatten();
                let to_people = graded.then(|| shown_to_people(&document));
                let to_model = to_model.map(|text| shown_sha256(&text));
                let hashes = [to_model, to_people.map(|text| sha256(text.as_bytes()))];
                (title, (asked || graded).then_some((document.id, hashes)))
            };
            corpus.each(read, |(title, hashes)| {
                titles = titles.take().and_then(|titles| titles.and(title));
                shown.extend(hashes);
                true
            })?;
            self.keep_titles(titles);
            Ok(shown)
        })
    }

    /// What was not asked on this machine.
    pub(in crate::measure) fn unasked(&self) -> Result<Option<Unasked>> {
        self.context.beside_report(self.name(), Unasked::FILE).map_or(Ok(None), |path| Unasked::read(&path))
    }

    pub(super) fn read_unjudged_gates(&self) -> Result<Option<UnjudgedGates>> {
        let unasked = self.unasked()?;
        Ok(unasked.map(|Unasked { reason, gates, .. }| UnjudgedGates { reason, names: gates }))
    }

    /// How many judgments stand beside the report.
    pub(super) fn count_beside_report(&self) -> Result<usize> {
        let Some(path) = self.context.judgments_beside_report(self.name()) else { return Ok(0) };
        Ok(glance(&path.display().to_string(), &text_of(&path)?)?.1.len())
    }

    /// The committed judgments, and those beside the report.
    pub(in crate::measure) fn judgments_on_file(&self, plan: &JudgePlan) -> Result<JudgmentsFile> {
        let committed = JudgmentsFile::read(&plan.judgments.resolve()?, false)?;
        Ok(match self.context.judgments_beside_report(self.name()) {
            Some(path) => JudgmentsFile::read(&path, false)?.beside(committed),
            None => committed,
        })
    }

    /// Keeps titles that were read on the way by somebody who needed the documents.
    fn keep_titles(&self, titles: Option<TitlesOf>) {
        // Those that are there already are the same.
        drop(self.titles.set(titles.map(|all| all.titles).unwrap_or_default()));
    }

    /// The collection with people's grades of the sample, the drawn queries, and errors in the grades.
    fn by_people(
        &self,
        collection: &Collection,
        humans: Option<&HumansFile>,
        shown: &ShownHashes,
    ) -> Result<(Collection, BTreeSet<String>, Result<()>)> {
        let Some(humans) = humans else {
            return Ok((collection.clone(), BTreeSet::new(), Ok(())));
        };
        let cluster = self.spec.statistics.cluster.as_deref();
        let drawn = match drawn_queries(collection, &humans.sample, cluster) {
            Ok(drawn) => drawn,
            Err(error) => return Ok((collection.clone(), BTreeSet::new(), Err(error))),
        };
        let mut qrels = collection.qrels().clone();
        let mut changed = Vec::new();
        for grade in humans.grades().filter(|grade| drawn.contains(&grade.query)) {
            let text = collection.query(&grade.query).map(|query| sha256(query.in_conversation().as_bytes()));
            let document = shown.get(&grade.document).and_then(|[_, people]| people.as_ref());
            // People may have judged claims and answers as well.
            if document.is_none() && is_about_answers(&grade.document) {
                continue;
            }
            if text.as_ref() != Some(&grade.query_sha256) || document != Some(&grade.document_sha256) {
                changed.push(format!("document `{}` of query `{}`", grade.document, grade.query));
            } else if let Some(given) = grade.grade
                && qrels.grade(&grade.query, &grade.document).is_none()
            {
                qrels.insert(&grade.query, &grade.document, i32::from(given))?;
            }
        }
        let people = match changed.as_slice() {
            [] => Ok(()),
            [first, ..] => Err(Error::invalid(format!(
                "{} that people gave {} of another text than today's, such as that of {first}; `rankgate sample {}` \
                 lists what to judge again",
                counted(changed.len(), "grade", "grades"),
                agree(changed.len(), "is", "are"),
                self.context.shown(&self.spec.path)
            ))),
        };
        Ok((collection.judged_as(qrels), drawn, people))
    }
}

/// The file of the sample; nothing where there is none yet.
pub(in crate::measure) fn humans(path: &std::path::Path) -> Result<Option<HumansFile>> {
    if path.exists() { HumansFile::read(path).map(Some) } else { Ok(None) }
}

/// The queries of a collection that a sample drew, by themselves or in groups.
///
/// # Errors
/// A sample of other groups than those that the spec compares, or one that its seed does not draw; a query without a group.
pub(in crate::measure) fn drawn_queries(
    collection: &Collection,
    sample: &Sample,
    cluster: Option<&str>,
) -> Result<BTreeSet<String>> {
    if sample.cluster.as_deref() != cluster {
        let units = |key: Option<&str>| key.map_or("queries".to_owned(), |key| format!("groups by `{key}`"));
        let (drawn, grouped) = (units(sample.cluster.as_deref()), units(cluster));
        return Err(Error::invalid(format!("the sample drew {drawn}, and the spec compares {grouped}")));
    }
    let unit = |query: &Query| cluster.map_or_else(|| Ok(query.id.clone()), |key| query.group(key));
    let of_queries: Vec<String> = collection.queries().iter().map(unit).collect::<Result<_>>()?;
    let units: BTreeSet<&str> = of_queries.iter().map(String::as_str).collect();
    sample.check(&units.iter().copied().collect::<Vec<_>>())?;
    let drawn: BTreeSet<&String> = sample.drawn.iter().collect();
    let queries = collection.queries().iter().zip(&of_queries);
    Ok(queries.filter(|(_, unit)| drawn.contains(unit)).map(|(query, _)| query.id.clone()).collect())
}

/// The pairs in today's texts that were not asked about on this machine, and why.
fn unasked_pairs(
    collection: &Collection,
    judge: &str,
    unasked: &Unasked,
    shown: &ShownHashes,
) -> (String, BTreeSet<Pair>) {
    let mut pairs = BTreeSet::new();
    for query in collection.queries() {
        let is_of_today = |(document, sha256): &(&str, &str)| {
            shown.get(*document).and_then(|[to_model, _]| to_model.as_deref()) == Some(*sha256)
        };
        let documents = unasked.documents(judge, query).filter(is_of_today);
        pairs.extend(documents.map(|(document, _)| (query.id.clone(), document.to_owned())));
    }
    (unasked.reason.clone(), pairs)
}

/// The documents that people and this judge have graded, in the texts that there are today.
fn labels(
    collection: &Collection,
    judge: &str,
    items: &[Glance<'_>],
    humans: Option<&HumansFile>,
    shown: &ShownHashes,
) -> Vec<LabelledPair> {
    // A file of CI may have the judgment of another text than the committed one.
    let is_of_today = |item: &&Glance<'_>| {
        let [to_model, _] =
            shown.get(&*item.document).map_or([None, None], |both| both.each_ref().map(Option::as_deref));
        let query = collection.query(&item.query).map(|query| shown_sha256(&query.in_conversation()));
        to_model == Some(&*item.document_sha256) && query.as_deref() == Some(&*item.query_sha256)
    };
    let own = items.iter().filter(|item| item.judge == judge).filter(is_of_today);
    let own: HashMap<(&str, &str), &Glance<'_>, RandomState> =
        own.map(|item| ((&*item.query, &*item.document), item)).collect();
    let label = |grade: &HumanGrade| {
        let item = own.get(&(grade.query.as_str(), grade.document.as_str()))?;
        let [_, to_people] = shown.get(&grade.document)?;
        let text = collection.query(&grade.query)?.in_conversation();
        let of_today = sha256(text.as_bytes()) == grade.query_sha256
            && to_people.as_ref() == Some(&grade.document_sha256);
        Some(LabelledPair {
            query: grade.query.clone(),
            document: grade.document.clone(),
            people: grade.grade.filter(|_| of_today)?,
            model: item.grade,
            batch: grade.batch,
        })
    };
    humans.into_iter().flat_map(HumansFile::labels).filter_map(label).collect()
}

/// The model's judgments.
struct ByModel {
    /// The collection with its grades where people gave none, what it gave none taken for not relevant, and for as
    /// relevant as can be.
    readings: [Collection; 2],
    abstained: BTreeMap<String, BTreeSet<String>>,
    elsewhere: BTreeMap<Pair, String>,
    without_grade: BTreeMap<Pair, WithoutGrade>,
    tokens: Option<f64>,
}

/// The collection with the model's grades where people gave none.
fn by_model(
    collection: &Collection,
    description: &Description,
    (judges, items): (&BTreeMap<String, Description>, &[Glance<'_>]),
    shown: &ShownHashes,
) -> Result<ByModel> {
    let judge = description.id();
    let queries: HashMap<&str, String, RandomState> = collection
        .queries()
        .iter()
        .map(|query| (query.id.as_str(), shown_sha256(&query.in_conversation())))
        .collect();
    let (mut lowest, mut elsewhere) = (collection.qrels().clone(), BTreeMap::new());
    let mut abstained: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut without_grade = BTreeMap::new();
    let (mut tokens, mut counted_tokens) = (0, 0_u32);
    let reasons: BTreeMap<&str, String> =
        judges.iter().map(|(id, other)| (&**id, changed(id, description, other))).collect();
    for of_query in items.chunk_by(|one, other| one.query == other.query) {
        let query = &*of_query[0].query;
        let Some(text) = queries.get(query) else { continue };
        let by_people = collection.qrels().judgments(query);
        for item in of_query {
            let pair = || (query.to_owned(), item.document.to_string());
            if item.judge != judge {
                let why = || reasons.get(&*item.judge).cloned().unwrap_or_default();
                elsewhere.entry(pair()).or_insert_with(why);
                continue;
            }
            let document = shown.get(&*item.document).and_then(|[model, _]| model.as_deref());
            if *text != item.query_sha256 || document != Some(&*item.document_sha256) {
                elsewhere.insert(pair(), format!("one by {judge} of another text"));
                continue;
            }
            if let Some([read, written]) = item.tokens {
                (tokens, counted_tokens) = (tokens + read + written, counted_tokens + 1);
            }
            // What people said stands.
            if by_people.is_some_and(|known| known.grade(&item.document).is_some()) {
                continue;
            }
            match item.grade {
                Some(grade) => lowest.insert(query, &item.document, i32::from(grade))?,
                None => {
                    let failed = WithoutGrade::Failed { judge: judge.clone(), state: item.state };
                    without_grade.insert(pair(), failed);
                    abstained.entry(query.to_owned()).or_default().insert(item.document.to_string());
                }
            }
        }
    }
    // Where everything has a grade both are the same, and judgments are not copied once more.
    let highest = (!abstained.is_empty()).then(|| lowest.clone());
    let lowest = collection.judged_as(lowest);
    let highest = match highest {
        Some(mut highest) => {
            for (query, documents) in &abstained {
                for document in documents {
                    highest.insert(query, document, i32::from(description.scale[1]))?;
                }
            }
            collection.judged_as(highest)
        }
        None => lowest.clone(),
    };
    let tokens = (counted_tokens > 0).then(|| tokens as f64 / f64::from(counted_tokens));
    Ok(ByModel { readings: [lowest, highest], abstained, elsewhere, without_grade, tokens })
}

/// What to say of judgments by another judge.
pub(in crate::measure) fn changed(id: &str, now: &Description, other: &Description) -> String {
    if now.jury.is_some() && now.judges_to_ask().contains(other) {
        return format!("one by {id}, a member of the jury whose other members have not all answered");
    }
    let changed: Vec<&str> = [
        ("prompt", now.prompt != other.prompt),
        ("model", now.model != other.model || now.jury != other.jury),
        ("parameters", now.parameters != other.parameters),
        ("documents as they are shown", now.documents != other.documents),
        ("form of an answer", now.reply != other.reply || now.confidence != other.confidence),
        ("number of samples", now.samples != other.samples),
        ("reading of answers", now.parser != other.parser || now.scale != other.scale),
    ]
    .into_iter()
    .filter_map(|(what, differs)| differs.then_some(what))
    .collect();
    match changed.as_slice() {
        [] => format!("one by {id}"),
        all => format!("one by {id} (the {} changed)", all.join(", the ")),
    }
}
