//! `halftrack deck check`: every message with its card.

use std::path::PathBuf;

use clap::Args;
use halftrack_deck::advice::{ADVICES, Advice};
use halftrack_deck::json::MessageRecord;
use halftrack_deck::placement::{ByNumber, Placement, WithBlades};
use halftrack_deck::rules::{RULES, Rule};
use halftrack_deck::{DeckFile, Reading, Software, advise, check_profile, check_software, listing};
use halftrack_input::{Diagnostic, Severity, has_errors, together};
use serde_json::{Value, json};

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::diagnostics;
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack deck check --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck check prod.iocp
  halftrack deck check prod.iocp --machine 9175 --brief
  halftrack deck check prod.iocp --hardware report.txt
  halftrack deck check prod.iocp --json | jq '.messages[].code'

Messages go to standard error, with their cards; a line with the counts goes to standard output.
[ICPnnnI] is the number of the corresponding message of IOCP. Exit codes: 0 valid (warnings
allowed), 1 rules are broken, 2 the file cannot be read as a deck. The line with the counts has
IOCP's return code beside it (0 information, 2 caution, 4 warning, 8 error), with which IOCP would
end; `--json | jq .return_code` gives it to a script that accepts no warnings.";

/// Arguments of `halftrack deck check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "list_rules")]
    file: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArguments,
    /// Check the deck for an IOCDS: missing PCHIDs are errors
    #[arg(long)]
    write: bool,
    /// Check the deck against the installed features, too: a hardware file, or a configuration report with an AO Data
    /// table
    #[arg(long, value_name = "HW")]
    hardware: Option<PathBuf>,
    /// Advise on functions that break the convention of odd identifiers in odd resource groups, even in even
    #[arg(long, requires = "hardware")]
    parity: bool,
    #[command(flatten)]
    catalog: CatalogArguments,
    /// Number of ports of each blade of a director, from port address 00: advise on control units whose ports are all
    /// on one blade
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=128))]
    blade_ports: Option<u8>,
    /// Check the functions in GLOBALCONFIG of this TCP/IP profile, too
    #[arg(long, value_name = "PROFILE", requires = "lpar")]
    profile: Option<PathBuf>,
    /// The partition whose stack has the profile
    #[arg(long, value_name = "LP", requires = "profile")]
    lpar: Option<String>,
    /// The operating system of a partition, such as 'PROD1=z/OS 2.1': functions that it does not support are errors;
    /// repeatable
    #[arg(long, value_name = "LP=SYSTEM", value_parser = software)]
    software: Vec<(String, Software)>,
    /// Show errors and warnings without advice
    #[arg(long)]
    no_advice: bool,
    /// One line for each message, without cards
    #[arg(long)]
    brief: bool,
    /// Show every message; by default more than three of one cause are one with a count
    #[arg(long)]
    all: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Print the rules and end
    #[arg(long)]
    list_rules: bool,
}

/// Checks the deck; true when no rule is broken.
///
/// # Errors
/// A file that is no deck; output that cannot be written.
pub fn check(arguments: &CheckArguments) -> Result<bool, Failure> {
    let (false, Some(path)) = (arguments.list_rules, &arguments.file) else {
        print(&rules())?;
        return Ok(true);
    };
    let file = opening::open(path)?;
    let mut options = arguments.read.options();
    options.write = arguments.write;
    let hardware = arguments.hardware.as_ref().map(|path| hardware_argument::load(path, &arguments.catalog));
    let hardware = hardware.transpose()?;
    let mut reading = hardware_argument::read_deck(path, &file, &options, hardware.as_ref())?;
    if let (Some(hardware), Some(deck)) = (&hardware, reading.understood()) {
        let mut found = halftrack_plugging::advise(deck, hardware);
        if arguments.parity {
            found.extend(halftrack_plugging::advise_parity(deck, hardware));
        }
        reading.diagnostics.extend(found);
    }
    if let (Some(profile), Some(lpar)) = (&arguments.profile, &arguments.lpar) {
        let profile = opening::open(profile)?.source;
        let found = reading.understood().map(|deck| check_profile(deck, lpar, &profile));
        reading.diagnostics.extend(found.unwrap_or_default());
    }
    if let Some(deck) = reading.understood() {
        let mut found = Vec::new();
        for (partition, software) in &arguments.software {
            found.extend(check_software(deck, partition, *software).map_err(|names| {
                let known = names.join(", ");
                Failure::Argument(format!(
                    "--software {partition}: the deck has no such partition; it has {known}"
                ))
            })?);
        }
        reading.diagnostics.extend(found);
    }
    // Advice after what is wrong, and only where nothing is: what is left of a broken deck misleads.
    if let Some(deck) = reading.deck.as_ref().filter(|_| !arguments.no_advice) {
        let placement: &dyn Placement = hardware.as_ref().map_or(&ByNumber, |hardware| hardware);
        let found = match arguments.blade_ports {
            Some(ports_per_blade) => advise(deck, &WithBlades { ports: placement, ports_per_blade }),
            None => advise(deck, placement),
        };
        reading.diagnostics.extend(found);
    }
    let messages = &reading.diagnostics;
    if arguments.json {
        print(&format!("{:#}\n", as_json(&file, &reading)))?;
    } else {
        let shown = if arguments.all { messages.clone() } else { together(messages, diagnostics::ALL_HINT) };
        if arguments.brief {
            shown.iter().for_each(|message| eprintln!("{}", message.line()));
        } else {
            eprint!("{}", listing(&shown));
        }
        print(&format!("{}: {}\n", file.source.name, totals(&reading)))?;
    }
    Ok(!has_errors(messages))
}

/// Parses `PROD1=z/OS 2.1`.
fn software(text: &str) -> Result<(String, Software), String> {
    let parsed = text
        .split_once('=')
        .and_then(|(partition, system)| Some((partition.trim().to_uppercase(), Software::parse(system)?)));
    parsed.ok_or_else(|| {
        "write PARTITION=SYSTEM LEVEL, such as 'PROD1=z/OS 2.1', z/VM and Linux alike".to_owned()
    })
}

/// Formats `2 errors, 1 warning, 0 notes; checked as 3931 (z16 A01); IOCP return code 8, exit code 1`.
fn totals(reading: &Reading) -> String {
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

/// Formats `; 3 of 12 statements left out`, for a deck that was not read completely.
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

/// IOCP's own: 0 information, 2 caution, 4 warning, 8 error.
fn return_code(messages: &[Diagnostic]) -> u8 {
    match messages.iter().map(|message| message.severity).max() {
        None | Some(Severity::Advice | Severity::Info) => 0,
        Some(Severity::Caution) => 2,
        Some(Severity::Warning) => 4,
        Some(Severity::Error) => 8,
    }
}

fn as_json(file: &DeckFile, reading: &Reading) -> Value {
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

/// Formats the table of all rules, and of all advice behind them.
fn rules() -> String {
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
