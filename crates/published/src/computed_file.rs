//! Reading the forms `rule`, `plug`, `display`, `count` and `compressed` of an `[[experiment.answer]]`.

use std::sync::Arc;

use halftrack_config::StudyFiles;
use halftrack_deck::Software;
use halftrack_deck::model::machines::MACHINES;
use halftrack_input::messages::{published as numbers, toml_file as toml_numbers};
use halftrack_input::{Expect, Fields, Located, Severity, SourceFile};

use crate::compressed::Compressed;
use crate::computed::{Computed, Question};
use crate::counted::{Count, DeckWord, StudyWord};
use crate::displayed::Displayed;
use crate::formula::CatalogNumber;
use crate::plant_limit::PlantLimit;
use crate::plugged::{PlugWord, Plugged};
use crate::rule::{End, Rule, Tried};

/// Meaning of a name, or the reason why it has none with a fix.
pub(crate) type Found<T> = Result<T, (String, String)>;

/// Finds what answers are computed from.
pub(crate) struct Inputs<'a> {
    /// A study.
    pub study: &'a dyn Fn(&str) -> Found<StudyFiles>,
    /// A deck, open or whole.
    pub deck: &'a dyn Fn(&str) -> Found<Arc<SourceFile>>,
    /// A hardware file.
    pub hardware: &'a dyn Fn(&str) -> Found<Arc<SourceFile>>,
}

/// The forms.
pub(crate) const FORMS: [&str; 5] = ["rule", "plug", "display", "count", "compressed"];
/// Largest number that a deck is tried with.
const TRIED_MAX: f64 = 100_000.0;

/// Reads the one of the forms that an answer has; `None` without a message when it has none.
pub(crate) fn read_computed(answer: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Computed> {
    let mut found = None;
    for form in FORMS {
        found = found.or(answer.optional_table(form, |fields| read_form(fields, form, inputs)));
    }
    found
}

fn read_form(fields: &mut Fields<'_>, form: &'static str, inputs: &Inputs<'_>) -> Option<Computed> {
    let of = read_question(fields, form, inputs);
    let less = fields.table_if_given("less", |fields| read_question(fields, form, inputs));
    let over = fields.table_if_given("over", |fields| read_question(fields, form, inputs));
    let times = fields.or("times", Expect::positive(1e6), 1.0);
    Some(Computed { of: of?, less: less?, over: over?, times })
}

fn read_question(fields: &mut Fields<'_>, form: &str, inputs: &Inputs<'_>) -> Option<Located<Question>> {
    let span = fields.span();
    let question = match form {
        _ if fields.has("catalog") => {
            let words = "a number of the catalog such as \"channel/fex32s credits\"";
            let number = fields.required("catalog", Expect::parsed(words, CatalogNumber::parse));
            Question::Catalog(number?.value)
        }
        "rule" if fields.has("study") => Question::Limit(Box::new(read_limit(fields, inputs)?)),
        "rule" => Question::Rule(read_rule(fields, inputs)?),
        "plug" => {
            let hardware = fields.required("hardware", Expect::text());
            let words = "a property of the cards such as \"pchid Z22B.03\" or \"cards ROCE\"";
            let of = fields.required("of", Expect::parsed(words, PlugWord::parse));
            Question::Plug(Plugged { hardware: find(fields, hardware?, inputs.hardware)?, of: of?.value })
        }
        "display" => {
            let study = fields.required("study", Expect::text());
            let command = fields.required("command", Expect::text());
            let json = fields.required("json", Expect::text());
            let with = fields.optional("with", Expect::text()).map(|with| with.value);
            let study = find(fields, study?, inputs.study)?;
            Question::Display(Displayed { study, command: command?.value, json: json?.value, with })
        }
        "compressed" => {
            let deck = fields.required("deck", Expect::text());
            let hardware = fields.required("hardware", Expect::text());
            let update = fields.optional("update", Expect::one_of([("RG1", "RG1"), ("RG2", "RG2")]));
            Question::Compressed(Compressed {
                deck: find(fields, deck?, inputs.deck)?,
                hardware: find(fields, hardware?, inputs.hardware)?,
                update: update.map(|group| group.value.to_owned()),
            })
        }
        _ => Question::Count(read_count(fields, inputs)?),
    };
    Some(Located::new(question, span))
}

fn read_count(fields: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Count> {
    let study = fields.optional("study", Expect::text());
    let deck = fields.optional("deck", Expect::text());
    if fields.has("kinds") {
        let compresses =
            fields.required("kinds", Expect::one_of([("compression", true), ("roce-multiplexers", false)]));
        return Some(if compresses?.value { Count::CompressionFamilies } else { Count::RoceMultiplexers });
    }
    match (study, deck) {
        (Some(study), None) => {
            let words = "what is counted of a study such as \"channels\" or \"ports_of 1000\"";
            let of = fields.required("of", Expect::parsed(words, StudyWord::parse));
            Some(Count::Study(Box::new(find(fields, study, inputs.study)?), of?.value))
        }
        (None, Some(deck)) => {
            let words = "what is counted of a deck such as \"channel_paths\" or \"functions ROCE\"";
            let of = fields.required("of", Expect::parsed(words, DeckWord::parse));
            Some(Count::Deck(find(fields, deck, inputs.deck)?, of?.value))
        }
        _ => {
            let message = "a count is of a study, a deck, kinds or a number of the catalog";
            fields.error(
                toml_numbers::CHOOSE_ONE,
                fields.span(),
                message,
                "give `study`, `deck`, `kinds` or `catalog`",
            );
            None
        }
    }
}

fn read_rule(fields: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<Rule> {
    let deck = fields.required("deck", Expect::text());
    let ends = [("most", End::Most), ("least", End::Least), ("refused", End::Refused)];
    let end = fields.or("find", Expect::one_of(ends), End::Most);
    let hardware = fields.optional("hardware", Expect::text());
    let words = "a partition and its system such as \"LP01=z/OS 2.1\"";
    let shares_with = fields.optional("shares_with", Expect::parsed(words, partition_and_system));
    let refusal = read_refusal(fields);
    let tried = fields.optional_list("tried", Expect::number(-TRIED_MAX..=TRIED_MAX));
    let partition = fields.optional("partition", Expect::text());
    let words = "an operating system and its level such as \"z/OS 2.1\"";
    let systems = fields.optional_list("systems", Expect::parsed(words, system));
    let tried = match (tried, partition, systems, read_machines(fields)) {
        (Some(range), None, None, None) => match &range[..] {
            [from, to] if from.value < to.value => Some(Tried::Numbers(from.value as i64, to.value as i64)),
            _ => None,
        },
        (None, None, None, Some(types)) => Some(Tried::Machines(types)),
        (None, Some(partition), Some(systems), None) => Some(Tried::Levels {
            partition: partition.value,
            systems: systems.into_iter().map(|system| system.value).collect(),
        }),
        _ => None,
    };
    if tried.is_none() {
        let message = "a rule is tried with numbers, with machines or with operating systems";
        let fix = "give `tried = [FROM, TO]`, `machines = [FROM, TO]`, or `partition` and `systems`";
        fields.error(toml_numbers::CHOOSE_ONE, fields.span(), message, fix);
    }
    let deck = find(fields, deck?, inputs.deck)?;
    let hardware = match hardware {
        Some(hardware) => Some(find(fields, hardware, inputs.hardware)?),
        None => None,
    };
    let shares_with = shares_with.map(|one| one.value);
    let (message, severity) = refusal?;
    Some(Rule { deck, hardware, shares_with, tried: tried?, end, message, severity })
}

/// Returns the machine types of a range, from the oldest on, where it is given; of smaller machines with their channel subsystems.
fn read_machines(fields: &mut Fields<'_>) -> Option<Vec<u16>> {
    let types = fields.optional_list("machines", Expect::<u16>::integer(1..=9999));
    let css_most = fields.optional("channel_subsystems_max", Expect::<u8>::integer(1..=6));
    let [from, to] = &types?[..] else { return None };
    let machines = MACHINES.iter().filter(|machine| (from.value..=to.value).contains(&machine.machine_type));
    let machines =
        machines.filter(|machine| css_most.as_ref().is_none_or(|most| machine.css_count <= most.value));
    Some(machines.map(|machine| machine.machine_type).collect())
}

/// Returns the number of the message that refuses, and the least severity that does.
fn read_refusal(fields: &mut Fields<'_>) -> Option<(u16, Severity)> {
    let message = fields.required("message", Expect::<u16>::integer(1..=999));
    let severities = [
        ("error", Severity::Error),
        ("warning", Severity::Warning),
        ("info", Severity::Info),
        ("advice", Severity::Advice),
    ];
    let severity = fields.or("severity", Expect::one_of(severities), Severity::Error);
    Some((message?.value, severity))
}

fn read_limit(fields: &mut Fields<'_>, inputs: &Inputs<'_>) -> Option<PlantLimit> {
    let study = fields.required("study", Expect::text());
    let set = fields.optional_list("set", Expect::text()).unwrap_or_default();
    let key = fields.required("key", Expect::text());
    let tried = fields.list("tried", Expect::number(-TRIED_MAX..=TRIED_MAX));
    let step = fields.or("step", Expect::positive(TRIED_MAX), 1.0);
    let end = fields.or("find", Expect::one_of([("most", End::Most), ("least", End::Least)]), End::Most);
    let refusal = read_refusal(fields);
    let study = find(fields, study?, inputs.study)?;
    let (from, to) = match &tried?[..] {
        [from, to] if from.value < to.value => (from.value, to.value),
        _ => {
            let message = "`tried` has the first and the last value";
            fields.error(
                toml_numbers::UNEXPECTED_VALUE,
                fields.span(),
                message,
                "write `tried = [FROM, TO]`",
            );
            return None;
        }
    };
    let (message, severity) = refusal?;
    let tried = if end == End::Least { (to, from, -step) } else { (from, to, step) };
    let set = set.into_iter().map(|change| change.value).collect();
    Some(PlantLimit { study, set, key: key?.value, tried, message, severity })
}

/// Returns a system, and its level as a number.
fn system(text: &str) -> Option<(f64, Software)> {
    let software = Software::parse(text)?;
    let (version, release) = software.level;
    Some((format!("{version}.{release}").parse().ok()?, software))
}

/// Returns a partition, and its system.
fn partition_and_system(text: &str) -> Option<(String, Software)> {
    let (partition, system) = text.split_once('=')?;
    Some((partition.to_owned(), Software::parse(system)?))
}

fn find<T>(fields: &Fields<'_>, name: Located<String>, finder: &dyn Fn(&str) -> Found<T>) -> Option<T> {
    match finder(&name.value) {
        Ok(found) => Some(found),
        Err((message, fix)) => {
            fields.error(numbers::UNKNOWN_STUDY, name.span, message, fix);
            None
        }
    }
}
