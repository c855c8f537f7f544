//! A sweep as octets: everything that its points depend on by content, for workers that share no disk.
//!
//! ```text
//! pack = "halftrack sweep 1" LF model LF hash LF CBOR (RFC 8949)
//! ```
//!
//! `model` is the version of what simulates, `hash` the BLAKE3 of what follows. The CBOR has every file of the study and every
//! file of the catalog in force with the name under which messages show it, the sets, the options and the quantities.

use std::collections::BTreeMap;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::{Sample, StudyFiles};
use halftrack_input::SourceFile;
use halftrack_machine::{Fidelity, Precision};
use halftrack_report::quantity_unit;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use thiserror::Error;

use crate::grid::Grid;
use crate::packed_sweep::PackedSweep;
use crate::points::PointOptions;
use crate::table::Column;
use crate::value_set::ValueSet;

const HEAD: &str = "halftrack sweep 1";

/// Why octets are no sweep that this version runs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnpackError {
    /// They come from another version of the model, whose results may differ.
    #[error("the sweep is of model {pack}, and this is model {own}")]
    Model {
        /// Version that packed it.
        pack: String,
        /// Version that was to run it.
        own: String,
    },
    /// They are damaged, or something else.
    #[error("the octets are no packed sweep, or damaged ones")]
    Damaged,
}

/// A file with the name that messages show.
#[derive(Serialize, Deserialize)]
struct Text {
    name: String,
    text: String,
}

/// Everything of a sweep.
#[derive(Serialize, Deserialize)]
struct Contents {
    study: String,
    deck: Text,
    plant: Text,
    workload: Text,
    further_decks: BTreeMap<String, Text>,
    traces: BTreeMap<String, Text>,
    hardware: BTreeMap<String, Text>,
    samples: BTreeMap<String, ByteBuf>,
    faults: Option<Text>,
    /// Directory of its kind, id, file.
    catalog: Vec<(String, String, Text)>,
    /// Sets in step, each a key and its values.
    groups: Vec<Vec<(String, Vec<String>)>>,
    seed: Option<u64>,
    frames: bool,
    /// Confidence, relative half-width, most intervals.
    precision: Option<(f64, f64, u32)>,
    quantities: Vec<String>,
}

/// Returns `sweep` as octets, the same for the same sweep.
pub(crate) fn pack(sweep: &PackedSweep) -> Vec<u8> {
    let mut body = Vec::new();
    ciborium::into_writer(&contents(sweep), &mut body).expect("texts and numbers can be written to memory");
    let mut pack = format!("{HEAD}\n{}\n{}\n", sweep.model(), blake3::hash(&body).to_hex()).into_bytes();
    pack.append(&mut body);
    pack
}

/// Reads what [`pack`] made, for the simulator of version `model`.
///
/// # Errors
/// [`UnpackError`].
pub(crate) fn unpack(pack: &[u8], model: &str) -> Result<PackedSweep, UnpackError> {
    let mut parts = pack.splitn(4, |octet| *octet == b'\n');
    let mut line = || parts.next().and_then(|line| std::str::from_utf8(line).ok());
    let (head, of_pack, hash) = (line(), line(), line());
    let (Some(HEAD), Some(of_pack), Some(hash), Some(body)) = (head, of_pack, hash, parts.next()) else {
        return Err(UnpackError::Damaged);
    };
    if of_pack != model {
        return Err(UnpackError::Model { pack: of_pack.to_owned(), own: model.to_owned() });
    }
    if blake3::hash(body).to_hex().as_str() != hash {
        return Err(UnpackError::Damaged);
    }
    let contents: Contents = ciborium::from_reader(body).map_err(|_| UnpackError::Damaged)?;
    of_contents(contents, model).ok_or(UnpackError::Damaged)
}

fn contents(sweep: &PackedSweep) -> Contents {
    let StudyFiles { name, deck, further_decks, plant, workload, traces, hardware, samples, faults } =
        sweep.files();
    let options = sweep.options();
    let catalog = sweep.catalog().sources();
    let group = |sets: &Vec<ValueSet>| {
        sets.iter().map(|set| (set.key.text().to_owned(), set.values.clone())).collect()
    };
    Contents {
        study: name.clone(),
        deck: text(deck),
        plant: text(plant),
        workload: text(workload),
        further_decks: texts(further_decks),
        traces: texts(traces),
        hardware: texts(hardware),
        samples: samples
            .iter()
            .map(|(name, sample)| (name.clone(), ByteBuf::from(sample.octets())))
            .collect(),
        faults: faults.as_ref().map(text),
        catalog: catalog.map(|(kind, id, file)| (kind.to_owned(), id.to_owned(), text(file))).collect(),
        groups: sweep.grid().groups().iter().map(group).collect(),
        seed: options.seed,
        frames: options.fidelity == Fidelity::Frame,
        precision: options.precision.map(|asked| (asked.confidence, asked.relative, asked.at_most)),
        quantities: sweep.columns().iter().map(|column| column.name.clone()).collect(),
    }
}

fn of_contents(contents: Contents, model: &str) -> Option<PackedSweep> {
    let sample = |(name, octets): (String, ByteBuf)| (name, Arc::new(Sample::new(octets.into_vec())));
    let files = StudyFiles {
        name: contents.study,
        deck: source(contents.deck),
        further_decks: sources(contents.further_decks),
        plant: source(contents.plant),
        workload: source(contents.workload),
        traces: sources(contents.traces),
        hardware: sources(contents.hardware),
        samples: contents.samples.into_iter().map(sample).collect(),
        faults: contents.faults.map(source),
    };
    let catalog = contents.catalog.into_iter().map(|(kind, id, file)| (kind, id, source(file)));
    let set = |(key, values): (String, Vec<String>)| {
        (!values.is_empty()).then_some(ValueSet { key: key.parse().ok()?, values })
    };
    let group = |sets: Vec<(String, Vec<String>)>| sets.into_iter().map(set).collect::<Option<Vec<_>>>();
    let column = |name: String| Some(Column { unit: quantity_unit(&name).ok()?, name });
    let options = PointOptions {
        seed: contents.seed,
        fidelity: if contents.frames { Fidelity::Frame } else { Fidelity::Burst },
        precision: contents.precision.map(|(confidence, relative, at_most)| Precision {
            confidence,
            relative,
            at_most,
        }),
    };
    Some(PackedSweep::new(
        files,
        Catalog::of_sources(catalog),
        Grid::new(contents.groups.into_iter().map(group).collect::<Option<_>>()?).ok()?,
        options,
        contents.quantities.into_iter().map(column).collect::<Option<_>>()?,
        model,
    ))
}

fn text(file: &Arc<SourceFile>) -> Text {
    Text { name: file.name.clone(), text: file.text.clone() }
}

fn texts(files: &BTreeMap<String, Arc<SourceFile>>) -> BTreeMap<String, Text> {
    files.iter().map(|(name, file)| (name.clone(), text(file))).collect()
}

fn source(text: Text) -> Arc<SourceFile> {
    SourceFile::new(text.name, text.text)
}

fn sources(texts: BTreeMap<String, Text>) -> BTreeMap<String, Arc<SourceFile>> {
    texts.into_iter().map(|(name, text)| (name, source(text))).collect()
}
