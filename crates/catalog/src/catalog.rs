//! The catalog as a whole: the built-in files, overlaid by the user's.

use std::path::Path;
use std::sync::Arc;

use halftrack_input::messages::{catalog as catalog_numbers, toml_file as numbers};
use halftrack_input::{Diagnostic, Severity, SourceFile, has_errors, nearest_or_all, read_file};

use crate::builtin::BUILTIN;
use crate::hardware::channel::Channel;
use crate::hardware::compression_family::CompressionFamily;
use crate::hardware::control_unit::ControlUnit;
use crate::hardware::cpc::Cpc;
use crate::hardware::director::Director;
use crate::hardware::feature::Feature;
use crate::hardware::fibre::Fibre;
use crate::hardware::firmware::Firmware;
use crate::hardware::io_drawer::IoDrawer;
use crate::hardware::link_generation::LinkGeneration;
use crate::hardware::multiplexer::Multiplexer;
use crate::hardware::native_pcie::NativePcie;
use crate::hardware::processor::Processor;
use crate::hardware::security::Security;
use crate::hardware::service::Service;
use crate::hardware::transport::Transport;
use crate::hardware::volume::Volume;
use crate::shelf::{Hardware, Shelf};

/// Every hardware generation that is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Catalog {
    /// Families of processors.
    pub processors: Shelf<Processor>,
    /// Processor complexes.
    pub cpcs: Shelf<Cpc>,
    /// Channel cards.
    pub channels: Shelf<Channel>,
    /// Directors.
    pub directors: Shelf<Director>,
    /// Control units.
    pub control_units: Shelf<ControlUnit>,
    /// Drawers for I/O cards.
    pub drawers: Shelf<IoDrawer>,
    /// Features that are plugged into them.
    pub features: Shelf<Feature>,
    /// Fibres.
    pub fibres: Shelf<Fibre>,
    /// Kinds of compression.
    pub compressions: Shelf<CompressionFamily>,
    /// Families of channel firmware.
    pub firmwares: Shelf<Firmware>,
    /// Generations of Fibre Channel links.
    pub links: Shelf<LinkGeneration>,
    /// Wavelength-division multiplexers.
    pub multiplexers: Shelf<Multiplexer>,
    /// Firmware of native PCIe adapters.
    pub native_pcie: Shelf<NativePcie>,
    /// Encrypted frames and engines.
    pub securities: Shelf<Security>,
    /// How much service times vary.
    pub services: Shelf<Service>,
    /// Paths between sockets.
    pub transports: Shelf<Transport>,
    /// Device models.
    pub volumes: Shelf<Volume>,
}

/// The kinds and how a file of each is put on its shelf, families before what names them.
type Put = fn(&mut Catalog, &str, Arc<SourceFile>, &mut Vec<Diagnostic>);
const KINDS: [(&str, Put); 17] = [
    (LinkGeneration::DIRECTORY, |catalog, id, source, found| catalog.links.put(id, source, found)),
    (Firmware::DIRECTORY, |catalog, id, source, found| catalog.firmwares.put(id, source, found)),
    (Channel::DIRECTORY, |catalog, id, source, found| {
        let families = &catalog.firmwares;
        catalog.channels.put_read(id, source, found, |fields| Channel::read_with(fields, families));
    }),
    (ControlUnit::DIRECTORY, |catalog, id, source, found| {
        catalog.put_control_unit(id, source, found);
        catalog.read_between_again(id, found);
    }),
    (Processor::DIRECTORY, |catalog, id, source, found| {
        catalog.processors.put(id, source, found);
        catalog.read_models_again(id, found);
    }),
    (Cpc::DIRECTORY, |catalog, id, source, found| catalog.put_cpc(id, source, found)),
    (CompressionFamily::DIRECTORY, |catalog, id, source, found| catalog.compressions.put(id, source, found)),
    (Director::DIRECTORY, |catalog, id, source, found| catalog.directors.put(id, source, found)),
    (IoDrawer::DIRECTORY, |catalog, id, source, found| catalog.drawers.put(id, source, found)),
    (Feature::DIRECTORY, |catalog, id, source, found| catalog.features.put(id, source, found)),
    (Fibre::DIRECTORY, |catalog, id, source, found| catalog.fibres.put(id, source, found)),
    (Multiplexer::DIRECTORY, |catalog, id, source, found| catalog.multiplexers.put(id, source, found)),
    (NativePcie::DIRECTORY, |catalog, id, source, found| catalog.native_pcie.put(id, source, found)),
    (Security::DIRECTORY, |catalog, id, source, found| catalog.securities.put(id, source, found)),
    (Service::DIRECTORY, |catalog, id, source, found| catalog.services.put(id, source, found)),
    (Transport::DIRECTORY, |catalog, id, source, found| catalog.transports.put(id, source, found)),
    (Volume::DIRECTORY, |catalog, id, source, found| catalog.volumes.put(id, source, found)),
];

impl Catalog {
    /// Loads the built-in catalog with the files of `dirs` laid over it. `DIR/KIND/ID.toml` adds or replaces entry
    /// `ID` of its kind; later directories win. The second result has the messages about everything that was wrong; a
    /// file with an error leaves the entry as it was.
    pub fn load(dirs: &[&Path]) -> (Self, Vec<Diagnostic>) {
        let mut catalog = Self::default();
        let mut diagnostics = Vec::new();
        for (directory, id, text) in BUILTIN {
            let source = SourceFile::new(format!("built-in catalog/{directory}/{id}.toml"), *text);
            catalog.put(directory, id, source, &mut diagnostics);
        }
        for dir in dirs {
            catalog.overlay(dir, &mut diagnostics);
        }
        catalog.check_link_generations(&mut diagnostics);
        catalog.check_link_speeds(&mut diagnostics);
        (catalog, diagnostics)
    }

    /// Makes the catalog whose [`sources`](Self::sources) these are: directory of its kind, id and file of each. One with an
    /// error is left out, as it was where the files come from.
    pub fn of_sources(sources: impl Iterator<Item = (String, String, Arc<SourceFile>)>) -> Self {
        let mut waiting: Vec<_> = sources.collect();
        // Families before what names them.
        waiting.sort_by_key(|(directory, ..)| KINDS.iter().position(|(kind, _)| kind == directory));
        let mut catalog = Self::default();
        // A control unit between two others waits for them.
        loop {
            let before = waiting.len();
            waiting.retain(|(directory, id, source)| {
                let mut found = Vec::new();
                catalog.put(directory, id, Arc::clone(source), &mut found);
                has_errors(&found)
            });
            if waiting.is_empty() || waiting.len() == before {
                return catalog;
            }
        }
    }

    /// Returns every file in force: directory of its kind, id, text. Two catalogs of the same files give the same
    /// machines.
    pub fn sources(&self) -> impl Iterator<Item = (&'static str, &str, &Arc<SourceFile>)> {
        let channels = self.channels.sources().map(|(id, source)| (Channel::DIRECTORY, id, source));
        let boxes = self.control_units.sources().map(|(id, source)| (ControlUnit::DIRECTORY, id, source));
        let cpcs = self.cpcs.sources().map(|(id, source)| (Cpc::DIRECTORY, id, source));
        let compressions =
            self.compressions.sources().map(|(id, source)| (CompressionFamily::DIRECTORY, id, source));
        let directors = self.directors.sources().map(|(id, source)| (Director::DIRECTORY, id, source));
        let drawers = self.drawers.sources().map(|(id, source)| (IoDrawer::DIRECTORY, id, source));
        let features = self.features.sources().map(|(id, source)| (Feature::DIRECTORY, id, source));
        let fibres = self.fibres.sources().map(|(id, source)| (Fibre::DIRECTORY, id, source));
        let links = self.links.sources().map(|(id, source)| (LinkGeneration::DIRECTORY, id, source));
        let multiplexers =
            self.multiplexers.sources().map(|(id, source)| (Multiplexer::DIRECTORY, id, source));
        let native = self.native_pcie.sources().map(|(id, source)| (NativePcie::DIRECTORY, id, source));
        let processors = self.processors.sources().map(|(id, source)| (Processor::DIRECTORY, id, source));
        let securities = self.securities.sources().map(|(id, source)| (Security::DIRECTORY, id, source));
        let services = self.services.sources().map(|(id, source)| (Service::DIRECTORY, id, source));
        let transports = self.transports.sources().map(|(id, source)| (Transport::DIRECTORY, id, source));
        let volumes = self.volumes.sources().map(|(id, source)| (Volume::DIRECTORY, id, source));
        let firmwares = self.firmwares.sources().map(|(id, source)| (Firmware::DIRECTORY, id, source));
        let chained = channels
            .chain(boxes)
            .chain(compressions)
            .chain(cpcs)
            .chain(directors)
            .chain(fibres)
            .chain(firmwares);
        chained
            .chain(links)
            .chain(multiplexers)
            .chain(native)
            .chain(processors)
            .chain(securities)
            .chain(services)
            .chain(transports)
            .chain(volumes)
            .chain(drawers)
            .chain(features)
    }

    /// Returns the file of entry `id` of the kind in `directory`.
    pub(crate) fn source(&self, directory: &str, id: &str) -> Option<&Arc<SourceFile>> {
        self.sources().find(|source| (source.0, source.1) == (directory, id)).map(|source| source.2)
    }

    pub(crate) fn put(
        &mut self,
        directory: &str,
        id: &str,
        source: Arc<SourceFile>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        if let Some((_, put)) = KINDS.iter().find(|(name, _)| *name == directory) {
            put(self, id, source, diagnostics);
        }
    }

    fn put_cpc(&mut self, id: &str, source: Arc<SourceFile>, diagnostics: &mut Vec<Diagnostic>) {
        let families = &self.processors;
        self.cpcs.put_read(id, source, diagnostics, |fields| Cpc::read_with(fields, families));
    }

    fn put_control_unit(&mut self, id: &str, source: Arc<SourceFile>, diagnostics: &mut Vec<Diagnostic>) {
        let units = self.control_units.clone();
        self.control_units.put_read(id, source, diagnostics, |fields| ControlUnit::read_with(fields, &units));
    }

    /// Reads the control units between `unit` and another again: its times change theirs.
    fn read_between_again(&mut self, unit: &str, diagnostics: &mut Vec<Diagnostic>) {
        let names = |one: &ControlUnit| {
            one.between.as_ref().is_some_and(|between| between.older == unit || between.newer == unit)
        };
        let named = self.control_units.files_where(names);
        for (id, source) in named {
            self.put_control_unit(&id, source, diagnostics);
        }
    }

    /// Reads the models of `family` again: its file is part of each of them.
    fn read_models_again(&mut self, family: &str, diagnostics: &mut Vec<Diagnostic>) {
        let models = self.cpcs.files_where(|model| model.family.as_deref() == Some(family));
        for (id, source) in models {
            self.put_cpc(&id, source, diagnostics);
        }
    }

    fn overlay(&mut self, dir: &Path, diagnostics: &mut Vec<Diagnostic>) {
        let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let mut names = names_in(dir, diagnostics);
        names.sort_by_key(|name| kinds.iter().position(|kind| kind == name));
        for name in names {
            let path = dir.join(&name);
            if !path.is_dir() {
                continue;
            }
            if !kinds.contains(&name.as_str()) {
                diagnostics.push(no_kind(&path, &name, &kinds));
                continue;
            }
            for file in names_in(&path, diagnostics) {
                let Some(id) = file.strip_suffix(".toml") else { continue };
                match read_file(&path.join(&file)) {
                    Ok(source) => self.put(&name, id, source, diagnostics),
                    Err(error) => diagnostics.push(*error),
                }
            }
        }
    }
}

/// Names in directory `dir` in ascending order; unreadable ones are reported.
fn names_in(dir: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
    let listed = std::fs::read_dir(dir).and_then(|entries| {
        entries
            .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
            .collect::<Result<Vec<_>, _>>()
    });
    match listed {
        Ok(mut names) => {
            names.sort();
            names
        }
        Err(error) => {
            let name = dir.display().to_string();
            let message = format!("catalog directory `{name}` cannot be read: {error}");
            let source = SourceFile::new(name, "");
            let fix = "give a directory that holds channel/, control-unit/, cpc/ and the like";
            diagnostics.push(Diagnostic::error(numbers::UNREADABLE, &source, 0..0, message).fix(fix));
            Vec::new()
        }
    }
}

fn no_kind(path: &Path, name: &str, kinds: &[&str]) -> Diagnostic {
    let source = SourceFile::new(path.display().to_string(), "");
    let message = format!("kind of hardware `{name}` is unknown; its files are not read");
    Diagnostic::error(catalog_numbers::NO_KIND, &source, 0..0, message)
        .severity(Severity::Warning)
        .fix(nearest_or_all(name, kinds.iter().copied()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use halftrack_input::read_document;

    use super::*;

    fn text(directory: &str, id: &str) -> &'static str {
        let found = BUILTIN.iter().find(|one| one.0 == directory && one.1 == id);
        found.map(|one| one.2).expect("built-in entry")
    }

    #[test]
    fn the_built_in_catalog_is_whole_and_without_messages() {
        let (catalog, found) = Catalog::load(&[]);
        assert_eq!(found, []);
        let counts = [
            catalog.channels.ids().count(),
            catalog.compressions.ids().count(),
            catalog.control_units.ids().count(),
            catalog.cpcs.ids().count(),
            catalog.directors.ids().count(),
            catalog.drawers.ids().count(),
            catalog.features.ids().count(),
            catalog.fibres.ids().count(),
            catalog.firmwares.ids().count(),
            catalog.links.ids().count(),
            catalog.multiplexers.ids().count(),
            catalog.native_pcie.ids().count(),
            catalog.processors.ids().count(),
            catalog.securities.ids().count(),
            catalog.services.ids().count(),
            catalog.transports.ids().count(),
            catalog.volumes.ids().count(),
        ];
        assert_eq!(counts.iter().sum::<usize>(), BUILTIN.len());
    }

    #[test]
    fn every_file_of_the_repository_is_built_in() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
        let mut unread = Vec::new();
        let mut files = 0;
        for kind in names_in(&root, &mut unread) {
            for file in names_in(&root.join(&kind), &mut unread) {
                files += 1;
                let id = file.strip_suffix(".toml").unwrap_or_default();
                assert!(BUILTIN.iter().any(|one| one.0 == kind && one.1 == id), "{kind}/{file}");
            }
        }
        assert_eq!((files, unread), (BUILTIN.len(), Vec::new()));
    }

    #[test]
    fn a_new_channel_generation_is_one_file() {
        let dir = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(dir.path().join("channel")).expect("directory");
        let newer = text("channel", "fex32s")
            .replace("Express32S", "Express64S")
            .replace("[credits]\nvalue = 90", "[credits]\nvalue = 180");
        fs::write(dir.path().join("channel/fex64s.toml"), newer).expect("file");
        let (catalog, found) = Catalog::load(&[dir.path()]);
        assert_eq!(found, []);
        let built_in = BUILTIN.iter().filter(|one| one.0 == "channel").map(|one| one.1);
        let mut expected: Vec<_> = built_in.chain(["fex64s"]).collect();
        expected.sort_unstable();
        assert_eq!(catalog.channels.ids().collect::<Vec<_>>(), expected);
        assert_eq!(catalog.channels.get("fex64s").map(|card| card.common.credits.value), Some(180));
        assert_eq!(catalog.channels.get("fex32s").map(|card| card.common.credits.value), Some(90));
    }

    #[test]
    fn later_directories_win_and_a_broken_file_leaves_the_entry() {
        let volume = |cylinders: &str| {
            let dir = tempfile::tempdir().expect("temporary directory");
            fs::create_dir(dir.path().join("volume")).expect("directory");
            let file = text("volume", "3390-9").replace("10017", cylinders);
            fs::write(dir.path().join("volume/3390-9.toml"), file).expect("file");
            dir
        };
        let (first, second, broken) = (volume("100"), volume("200"), volume("0"));
        let (catalog, found) = Catalog::load(&[first.path(), second.path(), broken.path()]);
        assert_eq!(catalog.volumes.get("3390-9").map(|one| one.cylinders.value), Some(200));
        let words: Vec<_> = found.iter().map(|one| (one.number, one.message.as_str())).collect();
        let expected = "`value` is 0: expected a whole number from 1 to 1182006";
        assert_eq!(words, [(numbers::UNEXPECTED_VALUE, expected)]);
    }

    /// Entries that are read in the light of others are the same whatever the order of the files.
    #[test]
    fn a_catalog_is_made_again_of_its_files() {
        let dir = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(dir.path().join("channel")).expect("directory");
        let newer = text("channel", "fex32s").replace("Express32S", "Express64S");
        fs::write(dir.path().join("channel/fex64s.toml"), newer).expect("file");
        let (catalog, found) = Catalog::load(&[dir.path()]);
        assert_eq!(found, []);
        let mut files: Vec<_> = catalog
            .sources()
            .map(|(kind, id, file)| (kind.to_owned(), id.to_owned(), Arc::clone(file)))
            .collect();
        assert_eq!(Catalog::of_sources(files.iter().cloned()), catalog);
        files.reverse();
        assert_eq!(Catalog::of_sources(files.into_iter()), catalog);
    }

    #[test]
    fn a_directory_of_no_kind_and_one_that_is_missing_are_said() {
        let dir = tempfile::tempdir().expect("temporary directory");
        fs::create_dir(dir.path().join("chanel")).expect("directory");
        let (_, found) = Catalog::load(&[dir.path(), &dir.path().join("nowhere")]);
        let codes: Vec<_> = found.iter().map(Diagnostic::code).collect();
        assert_eq!(codes, ["HTK898W", "HTK890E"]);
        assert_eq!(found[0].fix.as_deref(), Some("did you mean `channel`?"));
    }

    #[test]
    fn every_mistake_of_a_card_is_shown() {
        let text = text("channel", "fex32s")
            .replace("[open_exchanges]\nvalue = 750\n", "[open_exchanges]\nvalue = 0\n")
            .replace("[initial_pacing]", "[inital_pacing]")
            .replace("figures = [\"fex32s-channel-credits\"]", "reason = \"the data sheet\"")
            .replace("gbps = 8\n", "gbps = 16\n")
            .replace("[transport.limit_64k]\nvalue = 64\n", "[transport.limit_64k]\nvalue = \"64\"\n");
        let source = SourceFile::new("channel/mine.toml", text);
        let (card, found) = read_document(&source, Channel::read);
        assert_eq!(card, None);
        insta::assert_snapshot!(found.iter().map(|one| format!("{one}\n")).collect::<String>());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_a_kind_panic(
            lines in proptest::collection::vec(("[a-z_]{1,12}", "(-?[0-9.]{1,9}|\"[a-z]{0,3}\"|\\[[0-9]?\\]|\\{ value = [0-9]{1,3} \\})"), 0..12),
            text in proptest::prelude::any::<String>(),
        ) {
            let lines: Vec<_> = lines.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            for text in [lines.join("\n"), text] {
                let source = SourceFile::new("any.toml", text);
                for (directory, _) in KINDS {
                    let (mut catalog, mut found) = (Catalog::default(), Vec::new());
                    catalog.put(directory, "any", Arc::clone(&source), &mut found);
                    proptest::prop_assert!(!found.is_empty(), "{} takes {}", directory, source.text);
                }
            }
        }
    }
}
