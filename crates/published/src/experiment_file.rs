//! Reading a file of experiments: `published/experiments/NAME.toml`.

use std::sync::Arc;

use halftrack_config::StudyFiles;
use halftrack_input::messages::{published as numbers, toml_file as toml_numbers};
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, nearest_or_all, read_document};

use crate::computed_file::Inputs;
use crate::experiment::{Answer, Declared, ErrorOf, Experiment, Point, Reading, Sweep};
use crate::formula::Formula;
use crate::independence::Dependence;
use crate::term::{Term, WHERE};

/// Name of the point of an experiment that lists none: the study as it is.
const AS_IT_IS: &str = "study";

/// Reads a file; an experiment with a mistake is reported and left out.
pub(crate) fn read_experiments(
    source: &Arc<SourceFile>,
    inputs: &Inputs<'_>,
) -> (Vec<Experiment>, Vec<Diagnostic>) {
    let (read, found) = read_document(source, |fields| {
        Some(fields.tables("experiment", |experiment| read_experiment(experiment, inputs)))
    });
    (read.unwrap_or_default(), found)
}

fn read_experiment(fields: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Experiment> {
    let name = fields.required("name", Expect::text());
    let study = fields.optional("study", Expect::text());
    let without_study = !fields.has("study");
    let program = if without_study {
        fields
            .optional("program", Expect::text())
            .map(|program| program.value)
            .or_else(|| Some(String::new()))
    } else {
        fields.required("program", Expect::text()).map(|program| program.value)
    };
    let note = fields.optional("note", Expect::text()).map(|note| note.value).unwrap_or_default();
    let mut points = fields.tables("point", |point| read_point(point, inputs));
    let mut sweeps = Vec::new();
    for (sweep, of_sweep) in fields.tables("sweep", |sweep| read_sweep(sweep, inputs)) {
        let first = points.len();
        points.extend(of_sweep);
        sweeps.push(Sweep { name: sweep, points: first..points.len() });
    }
    if points.is_empty() && !without_study && !fields.has("point") && !fields.has("sweep") {
        points.push(Point { name: AS_IT_IS.to_owned(), study: None, changes: Vec::new() });
    }
    let answers = fields.tables("answer", |answer| read_answer(answer, inputs));
    let study = study.and_then(|study| find(fields, study, inputs));
    let experiment = Experiment {
        name: name?.value,
        study: if without_study { None } else { Some(study?) },
        program: program?,
        note,
        points,
        sweeps,
        answers,
        source: Arc::clone(fields.source()),
    };
    check_points(fields, &experiment);
    check_terms(fields, &experiment);
    Some(experiment)
}

fn find(fields: &mut Fields<'_>, study: Located<String>, inputs: &Inputs<'_>) -> Option<StudyFiles> {
    match (inputs.study)(&study.value) {
        Ok(files) => Some(files),
        Err((message, fix)) => {
            fields.error(numbers::UNKNOWN_STUDY, study.span, message, fix);
            None
        }
    }
}

fn read_point(point: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Point> {
    let name = point.required("name", point_name());
    let study = point.optional("study", Expect::text());
    let changes = point.optional_list("set", Expect::text()).unwrap_or_default();
    let study = match study {
        Some(study) => Some(find(point, study, inputs)?),
        None => None,
    };
    Some(Point { name: name?.value, study, changes })
}

/// Returns the name of a sweep and its points.
fn read_sweep(sweep: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<(String, Vec<Point>)> {
    let name = sweep.required("name", point_name());
    let study = sweep.optional("study", Expect::text());
    let key = sweep.required("key", Expect::text());
    let values = sweep.list("values", value());
    let set = sweep.optional_list("set", Expect::text()).unwrap_or_default();
    let study = match study {
        Some(study) => Some(find(sweep, study, inputs)?),
        None => None,
    };
    let (name, key) = (name?.value, key?);
    let points = values?.into_iter().map(|value| {
        let change = Located::new(format!("{}={}", key.value, value.value), value.span);
        let changes = set.iter().cloned().chain([change]).collect();
        Point { name: format!("{name} {}", value.value), study: study.clone(), changes }
    });
    let points = points.collect();
    Some((name, points))
}

fn point_name() -> Expect<'static, String> {
    Expect::parsed("a name without @ and ` where `", |text| {
        (!text.trim().is_empty() && !text.contains('@') && !text.contains(WHERE)).then(|| text.to_owned())
    })
}

/// Returns a value of a swept key, as the workload or plant would write it.
fn value() -> Expect<'static, String> {
    Expect::new("a value", |value| {
        let text = value.as_str().map(str::to_owned);
        text.or_else(|| value.as_integer().map(|integer| integer.as_str().to_owned()))
            .or_else(|| value.as_float().map(|float| float.as_str().to_owned()))
            .or_else(|| value.as_bool().map(|flag| flag.to_string()))
    })
}

#[derive(Clone, Copy)]
enum Word {
    Definition,
    Contradicted,
}

fn read_answer(answer: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Answer> {
    let figure = answer.required("figure", Expect::text());
    let given = Formula::is_given(answer);
    let formula = Formula::read(answer, inputs);
    let status = answer.optional(
        "status",
        Expect::one_of([("definition", Word::Definition), ("contradicted", Word::Contradicted)]),
    );
    let reason = answer.optional("reason", Expect::text()).map(|reason| reason.value);
    let readings = answer.optional_list("readings", Expect::text()).unwrap_or_default();
    let error_of = read_error_of(answer, formula.as_ref());
    let counted = answer.or("counted", Expect::flag(), true);
    let note = answer.optional("note", Expect::text()).map(|note| note.value).unwrap_or_default();
    let readings = readings.into_iter().map(|words| Reading { words: words.value, formula: None });
    let readings: Vec<Reading> =
        readings.chain(answer.tables("reading", |reading| read_reading(reading, inputs))).collect();
    let dependence = Dependence::read(answer, reason.as_ref())?;
    let declared = declared(answer, status, reason, readings.len())?;
    if !given && !matches!(declared, Declared::Definition { .. }) {
        let message = "the reading of the answer's value is missing";
        let fix = "add `value = \"QUANTITY@POINT\"`, or another of the forms";
        answer.error(toml_numbers::CHOOSE_ONE, answer.span(), message, fix);
        return None;
    }
    if matches!(formula, Some(Formula::Catalog(_) | Formula::Computed(_))) && declared == Declared::Result {
        let message = "a number of the catalog, a rule or a count is no result of a run";
        let fix = "add `status = \"definition\"` and its `reason`";
        answer.error(numbers::STATUS_INCOMPLETE, answer.span(), message, fix);
        return None;
    }
    if given && formula.is_none() {
        return None;
    }
    Some(Answer {
        figure: figure?,
        formula,
        declared,
        error_of: error_of?,
        counted,
        readings,
        dependence,
        note,
    })
}

/// Returns a reading in words, with the form of its value where one has a run.
fn read_reading(reading: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Reading> {
    let words = reading.required("words", Expect::text());
    let given = Formula::is_given(reading);
    let formula = Formula::read(reading, inputs);
    if given && formula.is_none() {
        return None;
    }
    Some(Reading { words: words?.value, formula })
}

/// Reads the values that the error compares: only a gain stands for a ratio.
fn read_error_of(answer: &mut Fields<'_>, formula: Option<&Formula>) -> Option<ErrorOf> {
    let words = [("value", ErrorOf::Value), ("ratio", ErrorOf::Ratio)];
    let Some(error_of) = answer.optional("error_of", Expect::one_of(words)) else {
        return (!answer.has("error_of")).then(ErrorOf::default);
    };
    if error_of.value == ErrorOf::Ratio && !matches!(formula, Some(Formula::IncreasePercent(..))) {
        let message = "only a gain stands for a ratio";
        let fix = "read the value by `increase_percent = [A, B]`, or take `error_of` out";
        answer.error(toml_numbers::UNEXPECTED_VALUE, error_of.span, message, fix);
        return None;
    }
    Some(error_of.value)
}

fn declared(
    answer: &Fields<'_>,
    status: Option<Located<Word>>,
    reason: Option<String>,
    readings: usize,
) -> Option<Declared> {
    let Some(status) = status else {
        return if answer.has("status") { None } else { Some(Declared::Result) };
    };
    let incomplete = |message: &str, fix: &str| {
        answer.error(numbers::STATUS_INCOMPLETE, status.span.clone(), message, fix);
        None
    };
    let Some(reason) = reason else {
        return incomplete("a definition or contradiction gives its reason", "add `reason = \"...\"`");
    };
    match status.value {
        Word::Definition => Some(Declared::Definition { reason }),
        Word::Contradicted if readings < 2 => incomplete(
            "a contradicted figure is shown with both readings",
            "add `readings = [\"...\", \"...\"]`",
        ),
        Word::Contradicted => Some(Declared::Contradicted { reason }),
    }
}

/// Checks that points and sweeps have names of their own.
fn check_points(fields: &Fields<'_>, experiment: &Experiment) {
    let names: Vec<&str> = experiment.point_names().collect();
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            let message = format!("experiment {} has two points called \"{name}\"", experiment.name);
            let fix = "give one of them another name";
            fields.error(toml_numbers::NAMED_TWICE, fields.span(), message, fix);
        }
    }
}

/// Checks that every term is of a known quantity at a point that there is, and a sweep only where several values are
/// wanted.
fn check_terms(fields: &Fields<'_>, experiment: &Experiment) {
    for formula in experiment.answers.iter().flat_map(Answer::formulas) {
        for term in formula.terms() {
            let at = term.value.at.as_deref();
            let points = experiment.points_at(at).len();
            let span = term.span.clone();
            if points == 0 {
                let (message, fix) = match at {
                    Some(name) => {
                        let known = nearest_or_all(name, experiment.point_names());
                        (format!("experiment {} has no point \"{name}\"", experiment.name), known)
                    }
                    None => {
                        let message = format!("`{}` does not name its point", term.value.quantity);
                        (message, format!("write `{}@POINT`", term.value.quantity))
                    }
                };
                fields.error(numbers::UNKNOWN_POINT, span, message, fix);
            } else if points == 1 && term.value.place.is_some() {
                let message =
                    format!("\"{}\" is one point and has no places along it", at.unwrap_or_default());
                fields.error(numbers::UNKNOWN_POINT, span, message, "name a sweep before `where`");
            } else if points > 1 && !formula.takes_sweeps() && term.value.place.is_none() {
                let message = format!("\"{}\" is a sweep of {points} points", at.unwrap_or_default());
                fields.error(
                    numbers::UNKNOWN_POINT,
                    span,
                    message,
                    "name one point, write `where QUANTITY=N` behind it, or use `max`, `mean` and the like",
                );
            } else if let Some(key) = not_set(&term.value, &experiment.points_at(at)) {
                let message = format!("not every point of it sets a key `{key}` to a number");
                let fix = "write `swept:` with the last part of the key that the points set";
                fields.error(numbers::UNKNOWN_QUANTITY, span, message, fix);
            }
        }
        if let Err((span, number, message)) = formula.dimension() {
            fields.error(number, span, message, "see docs/formats/published.md for the quantities");
        }
    }
}

/// Returns the swept key of a term, or of its place along a sweep, that one of `points` does not set to a number.
fn not_set<'a>(term: &'a Term, points: &[&Point]) -> Option<&'a str> {
    let lacks = |one: &&Term| points.iter().any(|point| one.setting(point).is_none());
    term.and_place().filter(|one| one.swept().is_some()).find(lacks)?.swept()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const RIGHT: &str = "\
[[experiment]]
name = 'e'
study = 'here'
program = 'one read'
[[experiment.point]]
name = 'light'
set = ['workload.stream.READ.closed.jobs=1']
[[experiment.sweep]]
name = 'jobs'
key = 'workload.stream.READ.closed.jobs'
values = [1, 2, 4]
[[experiment.answer]]
figure = 'f'
value = 'response_ms:READ@light'
";

    fn read(text: &str) -> (Vec<Experiment>, Vec<Diagnostic>) {
        let none = |_: &str| Err((String::new(), String::new()));
        let study = |name: &str| match name {
            "here" => Ok(StudyFiles {
                name: "here".into(),
                deck: SourceFile::new("deck.iocp", ""),
                further_decks: std::collections::BTreeMap::new(),
                hardware: Default::default(),
                plant: SourceFile::new("plant.toml", ""),
                workload: SourceFile::new("workload.toml", ""),
                traces: BTreeMap::new(),
                samples: Default::default(),
                faults: None,
            }),
            other => Err((format!("study \"{other}\" is missing"), "known is `here`".into())),
        };
        read_experiments(
            &SourceFile::new("e.toml", text),
            &Inputs { study: &study, deck: &none, hardware: &none },
        )
    }

    #[test]
    fn an_experiment_is_read_whole() {
        let (experiments, found) = read(RIGHT);
        assert_eq!(found, []);
        let [experiment] = &experiments[..] else { panic!("{experiments:?}") };
        let names: Vec<_> = experiment.points.iter().map(|point| point.name.as_str()).collect();
        assert_eq!(names, ["light", "jobs 1", "jobs 2", "jobs 4"]);
        assert_eq!(experiment.points_at(Some("jobs")).len(), 3);
        assert_eq!(experiment.points[3].changes[0].value, "workload.stream.READ.closed.jobs=4");
        assert!(experiment.answers[0].counted);
        assert_eq!(experiment.answers[0].error_of, ErrorOf::Value);
    }

    #[test]
    fn a_gain_of_one_study_over_another_is_read_where_both_are_as_busy() {
        let text = RIGHT.replace("key = 'workload", "study = 'here'\nkey = 'workload").replace(
            "value = 'response_ms:READ@light'",
            "increase_percent = ['mb_per_s@jobs where channel_processor_percent=70', 'mb_per_s@light']\n\
             error_of = 'ratio'",
        );
        let (experiments, found) = read(&text);
        assert_eq!(found, []);
        let [experiment] = &experiments[..] else { panic!("{experiments:?}") };
        assert!(experiment.points[1].study.is_some() && experiment.points[0].study.is_none());
        assert_eq!(experiment.answers[0].error_of, ErrorOf::Ratio);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (from, to, expected) in [
            ("'here'", "'there'", "HTK976E e.toml:3:9 study \"there\" is missing"),
            ("@light", "@lihgt", "HTK977E e.toml:14:9 experiment e has no point \"lihgt\""),
            ("@light", "@jobs", "HTK977E e.toml:14:9 \"jobs\" is a sweep of 3 points"),
            ("@light", "", "HTK977E e.toml:14:9 `response_ms:READ` does not name its point"),
            (
                "response_ms:READ@light",
                "swept:credits@light",
                "HTK978E e.toml:14:9 not every point of it sets a key `credits` to a number",
            ),
            ("response_ms", "reponse_ms", "HTK978E e.toml:14:9 no quantity is called \"reponse_ms\""),
            ("value =", "vlaue =", "HTK896E e.toml:12:1 the reading of the answer's value is missing"),
            (
                "value =",
                "status = 'definition'\nvalue =",
                "HTK981E e.toml:14:10 a definition or contradiction",
            ),
            (
                "value =",
                "status = 'contradicted'\nreason = 'r'\nreadings = ['one']\nvalue =",
                "HTK981E e.toml:14:10 a contradicted figure",
            ),
            (
                "value = 'resp",
                "max = ['mb_per_s@jobs']\nvalue = 'resp",
                "HTK896E e.toml:12:1 an answer is read in one",
            ),
            (
                "value = 'response_ms:READ@light'",
                "ratio = ['mb_per_s@light']",
                "HTK894E e.toml:12:1 `ratio` is of two",
            ),
            (
                "value = 'response_ms:READ@light'",
                "ratio = ['mb_per_s@light', 'pend_ms@light']",
                "HTK979E e.toml:14:28 `pend_ms` is in ms, the others in MB/s",
            ),
            (
                "value = 'response_ms:READ@light'",
                "ratio_of_differences = ['mb_per_s@light', 'mb_per_s@light']",
                "HTK894E e.toml:12:1 `ratio_of_differences` is of four",
            ),
            (
                "value = 'response_ms:READ@light'",
                "catalog = 'channel/fex32s credits'",
                "HTK981E e.toml:12:1 a number of the catalog, a rule or a count is no result of a run",
            ),
            (
                "name = 'jobs'",
                "name = 'light'",
                "HTK895E e.toml:1:1 experiment e has two points called \"light\"",
            ),
            (
                "@light",
                "@light where mb_per_s=1",
                "HTK977E e.toml:14:9 \"light\" is one point and has no places along it",
            ),
            ("@light", "@jobs where mbs=1", "HTK978E e.toml:14:9 no quantity is called \"mbs\""),
            ("@light'", "@light'\nerror_of = 'ratio'", "HTK894E e.toml:15:12 only a gain stands for a ratio"),
            ("key = 'workload", "study = 'there'\nkey = 'workload", "HTK976E e.toml:10:9 study \"there\""),
            ("values = [1, 2, 4]", "values = []", "HTK894E e.toml:11:10 `values` is empty"),
        ] {
            let (_, found) = read(&RIGHT.replace(from, to));
            assert!(found.iter().any(|one| one.line().starts_with(expected)), "{to}: {found:#?}");
        }
    }

    #[test]
    fn an_experiment_without_points_is_the_study_as_it_is() {
        let text = "[[experiment]]\nname = 'e'\nstudy = 'here'\nprogram = 'p'\n[[experiment.answer]]\n\
                    figure = 'f'\nvalue = 'mb_per_s'\n";
        let (experiments, found) = read(text);
        assert_eq!(found, []);
        assert_eq!(experiments[0].points_at(None).len(), 1);
    }
}
