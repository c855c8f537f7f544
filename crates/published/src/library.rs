//! All figures and experiments: the built-in ones, overlaid by the user's.
//!
//! ```text
//! DIR/units.toml              more units
//! DIR/DOCUMENT.toml           figures
//! DIR/experiments/NAME.toml   experiments
//! DIR/studies/NAME/           studies for them
//! DIR/decks/NAME              decks, and decks with a number left open, for them
//! DIR/hardware/NAME           hardware files for them
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_config::StudyFiles;
use halftrack_input::messages::{published as numbers, toml_file as toml_numbers};
use halftrack_input::{Diagnostic, Label, Located, SourceFile, nearest_or_all, read_file};

use crate::builtin;
use crate::computed_file::Inputs;
use crate::experiment::{Answer, Experiment};
use crate::experiment_file::read_experiments;
use crate::figure::Figure;
use crate::figure_file::{Document, read_figures};
use crate::formula::{CatalogNumber, Formula};
use crate::independence::Dependence;
use crate::units::Units;

const UNITS: &str = "units.toml";
const EXPERIMENTS: &str = "experiments";
const STUDIES: &str = "studies";
const DECKS: &str = "decks";
const HARDWARE: &str = "hardware";

/// Use of the built-in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Builtin {
    /// They are; a file of the same name in a directory replaces one.
    #[default]
    Under,
    /// Only the built-in units are; figures, experiments and studies are those of the directories.
    UnitsOnly,
}

/// Every figure and every experiment.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The documents by file name.
    pub documents: Vec<Document>,
    /// The experiments in the order of their files' names.
    pub experiments: Vec<Experiment>,
}

/// The texts before anything is made of them; files of one name replace each other.
#[derive(Default)]
struct Texts {
    units: Vec<Arc<SourceFile>>,
    figures: BTreeMap<String, Arc<SourceFile>>,
    experiments: BTreeMap<String, Arc<SourceFile>>,
    studies: BTreeMap<String, Study>,
    decks: BTreeMap<String, Arc<SourceFile>>,
    hardware: BTreeMap<String, Arc<SourceFile>>,
}

/// A study that experiments may name.
enum Study {
    Builtin(StudyFiles),
    Directory(PathBuf),
}

impl Library {
    /// Returns the built-in figures, experiments and studies, and those of `dirs` over them: a file or study of the
    /// same name replaces the earlier one. With the messages about everything that was wrong.
    pub fn load(dirs: &[&Path], builtin: Builtin) -> (Self, Vec<Diagnostic>) {
        let mut found = Vec::new();
        let mut texts = Texts::builtin(builtin);
        for dir in dirs {
            texts.overlay(dir, &mut found);
        }
        let mut units = Units::default();
        for source in &texts.units {
            found.extend(units.add(source));
        }
        let mut library = Self::default();
        for source in texts.figures.values() {
            let (document, said) = read_figures(source, &units);
            found.extend(said);
            library.documents.extend(document);
        }
        found.extend(library.figures_twice());
        for source in texts.experiments.values() {
            let inputs = Inputs {
                study: &|name| texts.study(name, source),
                deck: &|name| named(&texts.decks, "deck", name),
                hardware: &|name| named(&texts.hardware, "hardware file", name),
            };
            let (experiments, said) = read_experiments(source, &inputs);
            found.extend(said);
            library.experiments.extend(experiments);
        }
        found.extend(library.check_answers());
        (library, found)
    }

    /// Returns every figure, by document and in the order of its file.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.documents.iter().flat_map(|document| &document.figures)
    }

    /// Returns the experiment that answers a figure, and how.
    pub fn answer(&self, figure: &str) -> Option<(&Experiment, &Answer)> {
        self.answers().find(|(_, answer)| answer.figure.value == figure)
    }

    fn answers(&self) -> impl Iterator<Item = (&Experiment, &Answer)> {
        self.experiments.iter().flat_map(|one| one.answers.iter().map(move |answer| (one, answer)))
    }

    fn figures_twice(&self) -> Vec<Diagnostic> {
        let mut first: BTreeMap<&str, &Figure> = BTreeMap::new();
        let mut found = Vec::new();
        for figure in self.figures() {
            if let Some(other) = first.get(figure.id.as_str()) {
                let message = format!("two figures have the id `{}`", figure.id);
                found.push(
                    Diagnostic::error(
                        numbers::FIGURE_TWICE,
                        &figure.at.source,
                        figure.at.span.clone(),
                        message,
                    )
                    .other(other.at.clone())
                    .fix("give one of them another id"),
                );
            } else {
                first.insert(&figure.id, figure);
            }
        }
        found
    }

    /// Checks that every answer is of a figure that there is, of its unit, and the only one.
    fn check_answers(&self) -> Vec<Diagnostic> {
        let figures: BTreeMap<&str, &Figure> =
            self.figures().map(|figure| (figure.id.as_str(), figure)).collect();
        let mut first: BTreeMap<&str, Label> = BTreeMap::new();
        let mut found = Vec::new();
        for (experiment, answer) in self.answers() {
            let id = answer.figure.value.as_str();
            let label = Label::new(&experiment.source, answer.figure.span.clone(), "first answered here");
            let error = |number, message: String| {
                Diagnostic::error(number, &experiment.source, answer.figure.span.clone(), message)
            };
            match figures.get(id) {
                None => {
                    let message = format!("no file has a figure `{id}`");
                    let fix = nearest_or_few(id, figures.keys().copied());
                    found.push(error(numbers::UNKNOWN_FIGURE, message).fix(fix));
                }
                Some(figure) => {
                    let formulas = answer.formulas();
                    found.extend(formulas.filter_map(|one| check_unit(figure, experiment, answer, one)));
                }
            }
            for on in answer.dependence.iter().flat_map(Dependence::rests_on) {
                found.extend(self.check_rests_on(on, &figures, experiment));
            }
            if let Some(other) = first.get(id) {
                let message = format!("`{id}` is answered twice");
                let fix = "remove one of the answers";
                found.push(error(numbers::ANSWERED_TWICE, message).other(other.clone()).fix(fix));
            }
            first.entry(id).or_insert(label);
        }
        found
    }
}

impl Library {
    /// Checks the figures and numbers on which an answer rests. Each is a number of the catalog, or a figure that
    /// experiments answer and that is not a sibling itself.
    fn check_rests_on(
        &self,
        on: &Located<String>,
        figures: &BTreeMap<&str, &Figure>,
        experiment: &Experiment,
    ) -> Option<Diagnostic> {
        let id = on.value.as_str();
        let error = |number, message: String, fix: String| {
            Some(Diagnostic::error(number, &experiment.source, on.span.clone(), message).fix(fix))
        };
        if CatalogNumber::parse(id).is_some() {
            return None;
        }
        if !figures.contains_key(id) {
            let fix = nearest_or_few(id, figures.keys().copied());
            return error(numbers::UNKNOWN_FIGURE, format!("no file has a figure `{id}`"), fix);
        }
        let other = self.answer(id).and_then(|(_, answer)| answer.dependence.as_ref());
        if let Some(Dependence::Sibling { of, .. }) = other {
            let message = format!("`{id}` is a sibling itself, of `{}`", of.value);
            return error(numbers::STATUS_INCOMPLETE, message, format!("write `{}`", of.value));
        }
        None
    }
}

fn check_unit(
    figure: &Figure,
    experiment: &Experiment,
    answer: &Answer,
    formula: &Formula,
) -> Option<Diagnostic> {
    let dimension = formula.dimension().ok()?;
    let wanted = figure.comparison.map(|comparison| comparison.dimension);
    if wanted == Some(dimension) {
        return None;
    }
    let wanted = wanted.map_or_else(|| "nothing of a run".to_owned(), |wanted| format!("values in {wanted}"));
    let message = format!(
        "`{}` is in {}, which is compared with {wanted}; the answer is in {dimension}",
        figure.id, figure.unit
    );
    let span = formula.terms().first().map_or(answer.figure.span.clone(), |term| term.span.clone());
    Some(
        Diagnostic::error(numbers::UNIT_MISMATCH, &experiment.source, span, message)
            .other(Label::new(&figure.at.source, figure.at.span.clone(), "the figure"))
            .fix("read another quantity, or combine two of them"),
    )
}

/// Returns words for a fix where all names would be too many to list.
fn nearest_or_few<'a>(wrong: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let words = nearest_or_all(wrong, known);
    match words.starts_with("did you mean") {
        true => words,
        false => "`halftrack published --all` lists every figure".to_owned(),
    }
}

impl Texts {
    fn builtin(builtin: Builtin) -> Self {
        let source = |directory: &str, (name, text): &(&str, &str)| {
            (name.to_string(), SourceFile::new(format!("built-in {directory}/{name}"), *text))
        };
        let units = vec![SourceFile::new(format!("built-in published/{UNITS}"), builtin::UNITS)];
        if builtin == Builtin::UnitsOnly {
            return Self { units, ..Self::default() };
        }
        let figures = builtin::FIGURES.iter().map(|text| source("published", text));
        let experiments = builtin::EXPERIMENTS.iter().map(|text| source("published/experiments", text));
        let studies = builtin::STUDIES.iter().map(|(name, deck, plant, workload)| {
            let file = |file: &str, text: &str| {
                SourceFile::new(format!("built-in studies/published/{name}/{file}"), text)
            };
            let further = builtin::FURTHER_DECKS.iter().filter(|(study, ..)| study == name);
            let hardware = builtin::STUDY_HARDWARE.iter().filter(|(study, ..)| study == name);
            let files = StudyFiles {
                name: name.to_string(),
                deck: file("deck.iocp", deck),
                further_decks: further.map(|(_, deck, text)| (deck.to_string(), file(deck, text))).collect(),
                hardware: hardware.map(|(_, name, text)| (name.to_string(), file(name, text))).collect(),
                plant: file("plant.toml", plant),
                workload: file("workload.toml", workload),
                traces: BTreeMap::new(),
                samples: Default::default(),
                faults: None,
            };
            (name.to_string(), Study::Builtin(files))
        });
        Self {
            units,
            figures: figures.collect(),
            experiments: experiments.collect(),
            studies: studies.collect(),
            decks: builtin::DECKS.iter().map(|text| source("published/decks", text)).collect(),
            hardware: builtin::HARDWARE.iter().map(|text| source("published/hardware", text)).collect(),
        }
    }

    fn overlay(&mut self, dir: &Path, found: &mut Vec<Diagnostic>) {
        for (name, source) in toml_files(dir, true, found) {
            match name.as_str() {
                UNITS => self.units.push(source),
                _ => drop(self.figures.insert(name, source)),
            }
        }
        self.experiments.extend(toml_files(&dir.join(EXPERIMENTS), false, found));
        self.decks.extend(files(&dir.join(DECKS), "", false, found));
        self.hardware.extend(files(&dir.join(HARDWARE), "", false, found));
        for (name, path) in entries(&dir.join(STUDIES), false, found) {
            if path.is_dir() {
                self.studies.insert(name, Study::Directory(path));
            }
        }
    }

    /// Returns the study `name` of the library, or the directory `name` beside the file that names it.
    fn study(&self, name: &str, source: &SourceFile) -> Result<StudyFiles, (String, String)> {
        let beside = || Path::new(&source.name).parent().unwrap_or(Path::new("")).join(name);
        let directory = match self.studies.get(name) {
            Some(Study::Builtin(files)) => return Ok(files.clone()),
            Some(Study::Directory(path)) => path.clone(),
            None if name.contains('/') => beside(),
            None => {
                let fix = nearest_or_all(name, self.studies.keys().map(String::as_str));
                return Err((format!("study \"{name}\" is missing"), fix));
            }
        };
        StudyFiles::read(&directory).map_err(|missing| {
            let message = missing.first().map(|one| one.message.clone()).unwrap_or_default();
            (message, "a study is a directory with deck.iocp, plant.toml and workload.toml".to_owned())
        })
    }
}

/// Returns the text called `name`; the error is a message with its fix.
fn named(
    texts: &BTreeMap<String, Arc<SourceFile>>,
    what: &str,
    name: &str,
) -> Result<Arc<SourceFile>, (String, String)> {
    texts.get(name).cloned().ok_or_else(|| {
        let fix = nearest_or_all(name, texts.keys().map(String::as_str));
        (format!("{what} \"{name}\" is missing"), fix)
    })
}

/// Returns the TOML files in `dir` by name.
fn toml_files(dir: &Path, must_be: bool, found: &mut Vec<Diagnostic>) -> Vec<(String, Arc<SourceFile>)> {
    files(dir, ".toml", must_be, found)
}

/// Returns the files in `dir` whose names end in `ending`, by name.
fn files(
    dir: &Path,
    ending: &str,
    must_be: bool,
    found: &mut Vec<Diagnostic>,
) -> Vec<(String, Arc<SourceFile>)> {
    let mut files = Vec::new();
    for (name, path) in entries(dir, must_be, found) {
        if !name.ends_with(ending) || !path.is_file() {
            continue;
        }
        match read_file(&path) {
            Ok(source) => files.push((name, source)),
            Err(error) => found.push(*error),
        }
    }
    files
}

/// Names and paths in `dir`, by name; a directory that need not be there may be absent.
fn entries(dir: &Path, must_be: bool, found: &mut Vec<Diagnostic>) -> Vec<(String, PathBuf)> {
    if !must_be && !dir.exists() {
        return Vec::new();
    }
    let listed: std::io::Result<Vec<PathBuf>> =
        std::fs::read_dir(dir).and_then(|all| all.map(|entry| entry.map(|entry| entry.path())).collect());
    match listed {
        Ok(mut paths) => {
            paths.sort();
            let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
            paths.into_iter().filter_map(|path| Some((name(&path)?, path))).collect()
        }
        Err(error) => {
            let name = dir.display().to_string();
            let message = format!("directory `{name}` cannot be read: {error}");
            let source = SourceFile::new(name, "");
            let fix = "give a directory with files of figures, and with experiments/ and studies/ as needed";
            found.push(Diagnostic::error(toml_numbers::UNREADABLE, &source, 0..0, message).fix(fix));
            Vec::new()
        }
    }
}
