//! `halftrack deck check`: every message with its card.

use std::path::PathBuf;

use clap::Args;
use halftrack::deck::{CheckOptions, check_deck, check_json, check_totals, rule_list};
use halftrack_deck::{Software, listing};
use halftrack_input::{has_errors, together};

use crate::deck::hardware_argument::{self, CatalogArguments};
use crate::deck::opening::{self, ReadArguments};
use crate::diagnostics;
use crate::failure::Failure;
use crate::standard_error;
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
    #[arg(long, value_name = "PROFILE", requires = "lpar", group = "of_partition")]
    profile: Option<PathBuf>,
    /// Check the logical links (ACTIVATE ISLINK) of this z/VM SYSTEM CONFIG, too
    #[arg(long, value_name = "CONFIG", requires = "lpar", group = "of_partition")]
    system_config: Option<PathBuf>,
    /// The partition whose stack has the profile, or whose z/VM the SYSTEM CONFIG
    #[arg(long, value_name = "LP", requires = "of_partition")]
    lpar: Option<String>,
    /// The operating system of a partition, such as 'PROD1=z/OS 2.1': functions that it does not support are errors;
    /// repeatable
    #[arg(long, value_name = "LP=SYSTEM", value_parser = software)]
    software: Vec<(String, Software)>,
    /// Partitions that share data, such as PROD1,PROD2: one that cannot compress as the others do is reported; repeatable
    #[arg(long, value_name = "LP,LP", value_parser = SharingGroup::parse)]
    sharing: Vec<SharingGroup>,
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

/// Partitions that share data.
#[derive(Debug, Clone)]
struct SharingGroup(Vec<String>);

impl SharingGroup {
    /// Parses `PROD1,PROD2`.
    fn parse(text: &str) -> Result<Self, String> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_uppercase()).collect();
        let is_group = names.len() > 1 && names.iter().all(|name| !name.is_empty());
        is_group
            .then_some(Self(names))
            .ok_or_else(|| "write partitions with commas between, such as PROD1,PROD2".to_owned())
    }
}

/// Checks the deck; true when no rule is broken.
///
/// # Errors
/// A file that is no deck; output that cannot be written.
pub fn check(arguments: &CheckArguments) -> Result<bool, Failure> {
    let (false, Some(path)) = (arguments.list_rules, &arguments.file) else {
        print(&rule_list())?;
        return Ok(true);
    };
    let file = opening::open(path)?;
    let mut options = arguments.read.options();
    options.write = arguments.write;
    let hardware = arguments.hardware.as_ref().map(|path| hardware_argument::load(path, &arguments.catalog));
    let hardware = hardware.transpose()?;
    let mut reading = hardware_argument::read_deck(path, &file, &options, hardware.as_ref())?;
    let of_partition = |file: &Option<PathBuf>| {
        let given = file.as_ref().zip(arguments.lpar.as_ref());
        given.map(|(file, lpar)| Ok::<_, Failure>((opening::open(file)?.source, lpar.clone()))).transpose()
    };
    let options = CheckOptions {
        hardware,
        parity: arguments.parity,
        profile: of_partition(&arguments.profile)?,
        system_config: of_partition(&arguments.system_config)?,
        software: arguments.software.clone(),
        sharing: arguments.sharing.iter().map(|group| group.0.clone()).collect(),
        no_advice: arguments.no_advice,
        blade_ports: arguments.blade_ports,
    };
    check_deck(&mut reading, &options)?;
    let messages = &reading.diagnostics;
    if arguments.json {
        print(&format!("{:#}\n", check_json(&file, &reading)))?;
    } else {
        let shown = if arguments.all { messages.clone() } else { together(messages, diagnostics::ALL_HINT) };
        if arguments.brief {
            shown.iter().for_each(|message| standard_error::print(&format!("{}\n", message.line())));
        } else {
            standard_error::print(&listing(&shown));
        }
        print(&format!("{}: {}\n", file.source.name, check_totals(&reading)))?;
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
