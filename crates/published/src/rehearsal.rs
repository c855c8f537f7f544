//! Search for mistakes that only a run shows, before hours are spent: every point is wired and runs for a millisecond,
//! and every requested quantity must be there.

use std::sync::Arc;

use halftrack_base::Span;
use halftrack_catalog::Catalog;
use halftrack_config::{Configuration, StudyFiles, configure};
use halftrack_input::messages::published as numbers;
use halftrack_input::{Diagnostic, Label, Located, has_errors};
use halftrack_machine::{ExchangeMode, Fidelity, Options, Simulation, Threads, Variation};
use halftrack_record::Run;
use halftrack_report::quantity;

use crate::experiment::{Answer, Experiment};
use crate::figure::Figure;
use crate::formula::{CatalogNumber, Formula};
use crate::independence::Dependence;
use crate::library::Library;
use crate::points::Points;
use crate::term::Term;

/// Finds the mistakes of every study, each at its place. They are studies that are not well-formed, quantities that
/// their study does not produce and numbers that the catalog does not have.
pub fn rehearse(
    library: &Library,
    figures: &[&Figure],
    points: &Points,
    catalog: &Catalog,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let runs: Vec<Option<Run>> = points
        .studies()
        .iter()
        .map(|study| match rehearsal(study, catalog) {
            Ok(run) => Some(run),
            Err(said) => {
                found.extend(said);
                None
            }
        })
        .collect();
    for figure in figures {
        let Some((experiment, answer)) = library.answer(&figure.id) else { continue };
        found.extend(check_answer(experiment, answer, points, &runs));
        found.extend(check_parameters(experiment, answer, catalog));
        found.extend(check_computed(experiment, answer, catalog));
    }
    found
}

fn rehearsal(study: &StudyFiles, catalog: &Catalog) -> Result<Run, Vec<Diagnostic>> {
    let loaded = configure(study, catalog);
    let Some(mut configuration) = loaded.configuration.filter(|_| !has_errors(&loaded.diagnostics)) else {
        return Err(loaded.diagnostics);
    };
    shorten(&mut configuration);
    let options = Options {
        seed: configuration.run.seed,
        fidelity: Fidelity::Burst,
        exchange: ExchangeMode::Planned,
        threads: Threads::Exactly(1),
        precision: None,
        corrupt: 0,
        variation: Variation::default(),
    };
    let mut simulation = Simulation::new(Arc::new(configuration), options).map_err(|error| {
        let message = error.to_string();
        vec![Diagnostic::error(numbers::POINT_REFUSED, &study.plant, 0..0, message)]
    })?;
    Ok(simulation.run(&mut |_| ()).0)
}

fn shorten(configuration: &mut Configuration) {
    configuration.run.warmup = Span::ZERO;
    configuration.run.interval = Span::from_ms(1);
    configuration.run.intervals = 1;
}

fn check_answer(
    experiment: &Experiment,
    answer: &Answer,
    points: &Points,
    runs: &[Option<Run>],
) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for term in answer.formulas().flat_map(Formula::terms) {
        let of_run = |one: &&Term| one.swept().is_none();
        let missing = |run: &Run| {
            term.value.and_place().filter(of_run).find_map(|one| quantity(run, &one.quantity).err())
        };
        for point in experiment.points_at(term.value.at.as_deref()) {
            let run = points.index(experiment, point).and_then(|index| runs[index].as_ref());
            let Some(error) = run.and_then(missing) else { continue };
            let Some(study) = point.study_of(experiment) else { continue };
            let message = format!("study {} does not produce it: {error}", study.name);
            let label = Label::new(&study.workload, 0..0, "the study");
            let source = &experiment.source;
            found.push(
                Diagnostic::error(numbers::UNKNOWN_QUANTITY, source, term.span.clone(), message).other(label),
            );
            break;
        }
    }
    found
}

/// Checks that every value that is computed without a run has one.
fn check_computed(experiment: &Experiment, answer: &Answer, catalog: &Catalog) -> Option<Diagnostic> {
    let Some(Formula::Computed(computed)) = &answer.formula else { return None };
    let (span, said) = computed.value(catalog).err()?;
    let message = format!("the value is missing: {said}");
    let fix = "name a value that the deck, the hardware or the study has";
    Some(Diagnostic::error(numbers::UNKNOWN_QUANTITY, &experiment.source, span, message).fix(fix))
}

/// Checks that every number of the catalog that the answer reads or rests on is there.
fn check_parameters(experiment: &Experiment, answer: &Answer, catalog: &Catalog) -> Vec<Diagnostic> {
    let read = match &answer.formula {
        Some(Formula::Catalog(number)) => Some(number.clone()),
        _ => None,
    };
    let rested_on =
        answer.dependence.iter().flat_map(Dependence::rests_on).filter_map(|on| {
            CatalogNumber::parse(&on.value).map(|number| Located::new(number, on.span.clone()))
        });
    read.into_iter().chain(rested_on).filter_map(|one| check_parameter(experiment, &one, catalog)).collect()
}

fn check_parameter(
    experiment: &Experiment,
    number: &Located<CatalogNumber>,
    catalog: &Catalog,
) -> Option<Diagnostic> {
    let known = catalog.parameters(&number.value.directory, &number.value.id);
    if known.iter().any(|parameter| parameter.key == number.value.key) {
        return None;
    }
    let message = format!("the catalog has no {}", number.value.name());
    let keys = known.iter().map(|parameter| parameter.key.as_str());
    let fix = halftrack_input::nearest_or_all(&number.value.key, keys);
    let span = number.span.clone();
    Some(Diagnostic::error(numbers::UNKNOWN_PARAMETER, &experiment.source, span, message).fix(fix))
}
