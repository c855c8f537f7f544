//! Check of a deck: rules, hardware, profile, software, and advice where nothing is wrong.

use std::sync::Arc;

use halftrack_deck::advice::{ADVICES, Advice};
use halftrack_deck::formats::json::MessageRecord;
use halftrack_deck::model::placement::{ByNumber, Placement, WithBlades};
use halftrack_deck::rules::{RULES, Rule};
use halftrack_deck::{
    DeckFile, Reading, Software, advise, check_profile, check_sharing, check_software, check_system_config,
};
use halftrack_input::{Diagnostic, Severity, SourceFile, has_errors};
use halftrack_plugging::Hardware;
use serde_json::{Value, json};

use crate::option_error::OptionError;

/// Checks of a deck beyond IOCP's rules.
#[derive(Debug, Clone, Default)]
pub struct CheckOptions {
    /// Hardware that the deck is for.
    pub hardware: Option<Hardware>,
    /// Advice on the parity of PCHIDs; needs hardware.
    pub parity: bool,
    /// Reset or image profile of a partition.
    pub profile: Option<(Arc<SourceFile>, String)>,
    /// z/VM SYSTEM CONFIG of a partition.
    pub system_config: Option<(Arc<SourceFile>, String)>,
    /// Operating systems of partitions.
    pub software: Vec<(String, Software)>,
    /// Groups of partitions that share data.
    pub sharing: Vec<Vec<String>>,
    /// Leaves advice out.
    pub no_advice: bool,
    /// Ports of a director's blade.
    pub blade_ports: Option<u8>,
}

/// Adds the messages of all checks to those of `reading`.
///
/// # Errors
/// Software of a partition that the deck lacks, or data that it shares.
pub fn check_deck(reading: &mut Reading, options: &CheckOptions) -> Result<(), OptionError> {
    let mut found = Vec::new();
    if let Some(deck) = reading.understood() {
        if let Some(hardware) = &options.hardware {
            found.extend(halftrack_plugging::advise(deck, hardware));
            if options.parity {
                found.extend(halftrack_plugging::advise_parity(deck, hardware));
            }
        }
        if let Some((profile, lpar)) = &options.profile {
            found.extend(check_profile(deck, lpar, profile));
        }
        if let Some((config, lpar)) = &options.system_config {
            found.extend(check_system_config(deck, lpar, config));
        }
        for (partition, software) in &options.software {
            found.extend(check_software(deck, partition, *software).map_err(|names| {
                let known = names.join(", ");
                OptionError(format!("--software {partition}: the deck has no such partition; it has {known}"))
            })?);
        }
        for group in &options.sharing {
            found.extend(check_sharing(deck, group, &options.software).map_err(|name| {
                OptionError(format!("--sharing {}: the deck has no partition {name}", group.join(",")))
            })?);
        }
    }
    // Advice after what is wrong, and only where nothing is: the rest of a broken deck misleads.
    if let Some(deck) = reading.deck.as_ref().filter(|_| !options.no_advice) {
        let placement: &dyn Placement = options.hardware.as_ref().map_or(&ByNumber, |hardware| hardware);
        found.extend(match options.blade_ports {
            Some(ports_per_blade) => advise(deck, &WithBlades { ports: placement, ports_per_blade }),
            None => advise(deck, placement),
        });
    }
    reading.diagnostics.extend(found);
    Ok(())
}

/// Formats `2 errors, 1 warning, 0 notes; checked as 3931 (z16 A01); IOCP return code 8, exit code 1`.
pub fn check_totals(reading: &Reading) -> String {
    let messages = &reading.diagnostics;
    let counted = |severities: &[Severity], noun: &str| {
        let count = messages.iter().filter(|one| severities.contains(&one.severity)).count();
        if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
    };
    let machine = reading.machine;
    let level = reading.understood().and_then(|deck| deck.level());
    let level = level.map(|level| format!(", level {level}")).unwrap_or_default();
    let assumed = if reading.assumed { ", which no statement names" } else { "" };
    format!(
        "{}, {}, {}{}; checked as {} ({}){level}{assumed}; IOCP return code {}, exit code {}",
        counted(&[Severity::Error], "error"),
        counted(&[Severity::Warning, Severity::Caution], "warning"),
        counted(&[Severity::Advice, Severity::Info], "note"),
        left_out(reading),
        machine.machine_type,
        machine.name,
        return_code(messages),
        exit_code(messages)
    )
}

/// Formats `; 3 of 12 statements left out` for a deck that was not taken in whole.
fn left_out(reading: &Reading) -> String {
    match reading.left_out.len() {
        0 => String::new(),
        count => format!("; {count} of {} statements left out", reading.script.statements.len()),
    }
}

/// Returns the exit code of the command: 1 when a rule is broken.
fn exit_code(messages: &[Diagnostic]) -> u8 {
    u8::from(has_errors(messages))
}

/// Returns IOCP's own code: 0 information, 2 caution, 4 warning, 8 error.
fn return_code(messages: &[Diagnostic]) -> u8 {
    match messages.iter().map(|message| message.severity).max() {
        None | Some(Severity::Advice | Severity::Info) => 0,
        Some(Severity::Caution) => 2,
        Some(Severity::Warning) => 4,
        Some(Severity::Error) => 8,
    }
}

/// Formats the messages about a deck with its source and machine as JSON.
pub fn check_json(file: &DeckFile, reading: &Reading) -> Value {
    let messages: Vec<MessageRecord> = reading.diagnostics.iter().map(MessageRecord::of).collect();
    let level = reading.understood().and_then(|deck| deck.level());
    json!({
        "deck": 1,
        "source": {
            "name": file.source.name,
            "encoding": file.encoding.name(),
            "records": file.records.name(),
            "cards": reading.script.cards.len(),
        },
        "machine": {
            "type": reading.machine.machine_type,
            "name": reading.machine.name,
            "level": level,
            "assumed": reading.assumed,
        },
        "valid": !has_errors(&reading.diagnostics),
        "return_code": return_code(&reading.diagnostics),
        "exit_code": exit_code(&reading.diagnostics),
        "statements": reading.script.statements.len(),
        "left_out": reading.left_out.len(),
        "messages": messages,
    })
}

/// Lists all rules, and all advice behind them.
pub fn rule_list() -> String {
    let line = |number: u16, letter: char, ibm: &str, area: &str, title: &str| {
        format!("HTK{number:03}{letter}  {ibm:7}  {area:13}  {title}\n")
    };
    let rule = |rule: &Rule| {
        let ibm = format!("ICP{:03}I", rule.number);
        line(rule.number, rule.severity.letter(), &ibm, rule.area.name(), rule.title())
    };
    let advice = |one: &Advice| line(one.number, one.severity.letter(), "", "advice", one.title());
    RULES.iter().map(rule).chain(ADVICES.iter().map(advice)).collect()
}
