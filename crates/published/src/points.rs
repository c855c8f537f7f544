//! The points that the chosen figures need, each a study, every study once.

use std::collections::BTreeMap;

use halftrack_config::StudyFiles;
use halftrack_input::Diagnostic;
use halftrack_input::messages::published as numbers;
use halftrack_sweep::{Change, Key, change};

use crate::experiment::{Answer, Experiment, Point};
use crate::figure::Figure;
use crate::formula::Formula;
use crate::library::Library;

/// The points to run.
#[derive(Debug, Clone, Default)]
pub struct Points {
    studies: Vec<StudyFiles>,
    /// Index into `studies` by experiment and point.
    of: BTreeMap<(String, String), usize>,
}

impl Points {
    /// Returns the points of the experiments that answer `figures`, so far as their answers read them.
    ///
    /// # Errors
    /// Every change that cannot be made, at its place in the file of experiments.
    pub fn needed(library: &Library, figures: &[&Figure]) -> Result<Self, Vec<Diagnostic>> {
        let mut points = Self::default();
        let mut found = Vec::new();
        for figure in figures {
            let Some((experiment, answer)) = library.answer(&figure.id) else { continue };
            for point in points_of(experiment, answer) {
                let key = (experiment.name.clone(), point.name.clone());
                if points.of.contains_key(&key) {
                    continue;
                }
                match study_at(experiment, point) {
                    Ok(study) => {
                        let index = points.put(study);
                        points.of.insert(key, index);
                    }
                    Err(refusal) if found.contains(&*refusal) => {}
                    Err(refusal) => found.push(*refusal),
                }
            }
        }
        if found.is_empty() { Ok(points) } else { Err(found) }
    }

    /// Returns the studies to run.
    pub fn studies(&self) -> &[StudyFiles] {
        &self.studies
    }

    /// Returns the index of the study of a point.
    pub fn index(&self, experiment: &Experiment, point: &Point) -> Option<usize> {
        self.of.get(&(experiment.name.clone(), point.name.clone())).copied()
    }

    /// Returns indices of the studies that an answer reads, in the order of its terms.
    pub fn of_answer(&self, experiment: &Experiment, answer: &Answer) -> Vec<usize> {
        points_of(experiment, answer).into_iter().filter_map(|point| self.index(experiment, point)).collect()
    }

    fn put(&mut self, study: StudyFiles) -> usize {
        let same = |other: &StudyFiles| other.name == study.name && other.texts().eq(study.texts());
        self.studies.iter().position(same).unwrap_or_else(|| {
            self.studies.push(study);
            self.studies.len() - 1
        })
    }
}

/// Returns the points that an answer reads, in the order of its terms.
fn points_of<'a>(experiment: &'a Experiment, answer: &Answer) -> Vec<&'a Point> {
    let terms = answer.formulas().flat_map(Formula::terms);
    terms.flat_map(|term| experiment.points_at(term.value.at.as_deref())).collect()
}

/// Returns the study of a point, or the change that cannot be made, at its place.
fn study_at(experiment: &Experiment, point: &Point) -> Result<StudyFiles, Box<Diagnostic>> {
    let Some(mut study) = point.study_of(experiment).cloned() else {
        let message = format!("point \"{}\" has no study", point.name);
        let span = point.changes.first().map_or(0..0, |change| change.span.clone());
        let refused = Diagnostic::error(numbers::POINT_REFUSED, &experiment.source, span, message);
        return Err(Box::new(refused.fix("give the experiment or the point a `study`")));
    };
    for written in &point.changes {
        let refused = |message: &str, fix: Option<String>| {
            let message = format!("point \"{}\": {message}", point.name);
            let span = written.span.clone();
            let mut diagnostic = Diagnostic::error(numbers::POINT_REFUSED, &experiment.source, span, message);
            diagnostic.fix = fix;
            Box::new(diagnostic)
        };
        let Some((key, value)) = written.value.split_once('=') else {
            let fix = "write `KEY=VALUE`, such as `workload.stream.READ.closed.jobs=8`";
            return Err(refused(&format!("`{}` changes nothing", written.value), Some(fix.to_owned())));
        };
        let said = |said: Box<Diagnostic>| refused(&said.message, said.fix.clone());
        let key: Key = key.trim().parse().map_err(said)?;
        study = change(&study, &[Change { key, value: value.trim().to_owned() }]).map_err(said)?;
    }
    Ok(study)
}
