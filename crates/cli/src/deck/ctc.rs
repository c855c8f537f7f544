//! `halftrack deck ctc`: channel-to-channel connections listed, checked, completed; logical links planned.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use halftrack::deck::{
    LinkPlan, NodeNames, SystemName, connections_json, node_words, port_words, word_range,
};
use halftrack_deck::ctc::{Connections, GivenPort, Image, connections, listing, missing_ends};
use halftrack_deck::model::Deck;
use halftrack_deck::model::filter::NumberRange;
use halftrack_deck::system_config;

use crate::deck::islink::IslinkArguments;
use crate::deck::opening::{self, ReadArguments};
use crate::failure::Failure;
use crate::standard_error;
use crate::standard_output::print;

/// Words at the end of `halftrack deck ctc --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck ctc prod.iocp
  halftrack deck ctc cpc1.iocp cpc2.iocp
  halftrack deck ctc cpc1.iocp cpc2.iocp --make B >> cpc2.iocp
  halftrack deck ctc prod.iocp --port 0.41=1121 --make A
  halftrack deck ctc prod.iocp --islink --over 40,41 --port 0.40=1120 --port 0.41=1121
  halftrack deck ctc prod.iocp --system-config LP1 --node LP2=VMB

Lists the ends of channel-to-channel connections (UNIT=FCTC, SCTC, BCTC) by partition, which
belong together, and which lack the other end. A deck does not contain the ports of channels: they
are derived from ends that point back, or given with --port. Exit codes: 0 fine, 1 an end is
missing, unit addresses differ, or ends cannot work together, 2 a file cannot be read as a deck or
a link cannot be planned. An end that leads to none of the decks is listed and is no error.

--islink adds no rule to a deck: its statements have been read behind the decks, and every device
has its other end.";

/// Arguments of `halftrack deck ctc`.
#[derive(Debug, Args)]
pub struct CtcArguments {
    /// The deck; `-` is standard input
    #[arg(value_name = "A")]
    one: PathBuf,
    /// The deck of another machine
    #[arg(value_name = "B")]
    other: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArguments,
    /// Director port of a channel, as CSS.CHPID=SSPP with the switch first; B: before it selects the second deck
    #[arg(long = "port", value_name = "[B:]CSS.CHPID=SSPP", value_parser = port_words)]
    ports: Vec<GivenPort>,
    /// Print the statements of the missing ends of this deck, or of a planned link, instead of the list
    #[arg(long, value_name = "DECK", value_enum)]
    make: Option<Side>,
    /// Print one JSON object instead of text
    #[arg(long, conflicts_with = "make")]
    json: bool,
    #[command(flatten)]
    link: IslinkArguments,
    /// Print RDEVICE and ACTIVATE ISLINK statements for the SYSTEM CONFIG of the z/VM in this partition
    #[arg(long, value_name = "LP", conflicts_with_all = ["make", "json"], help_heading = "Logical links (ISFC)")]
    system_config: Option<SystemName>,
    /// Devices that they may name, such as D000-D00F
    #[arg(
        long,
        value_name = "DEVICE",
        value_delimiter = ',',
        value_parser = word_range,
        requires = "system_config",
        help_heading = "Logical links (ISFC)"
    )]
    devices: Vec<NumberRange>,
    /// Name of the system in a partition where it is another; repeatable
    #[arg(long, value_name = "LP=NAME", value_parser = node_words, help_heading = "Logical links (ISFC)")]
    node: Vec<(SystemName, String)>,
}

/// One of the decks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "UPPER")]
enum Side {
    /// The first
    A,
    /// The second
    B,
}

/// Lists connections, or writes what they lack; true when nothing is wrong with them.
///
/// # Errors
/// A file that is no deck; output that cannot be written.
pub fn ctc(arguments: &CtcArguments) -> Result<bool, Failure> {
    let paths: Vec<&PathBuf> = std::iter::once(&arguments.one).chain(&arguments.other).collect();
    let decks = paths
        .iter()
        .map(|path| opening::understood(path, &arguments.read))
        .collect::<Result<Vec<Deck>, Failure>>()?;
    let names: Vec<String> = decks.iter().map(|deck| deck.source.name.clone()).collect();
    let decks: Vec<&Deck> = decks.iter().collect();
    let nodes = NodeNames::new(&decks, &arguments.node)?;
    if arguments.link.islink {
        return islink(arguments, &decks, &nodes);
    }
    let found = connections(&decks, &arguments.ports);
    if let Some(system) = &arguments.system_config {
        let system = system.image(&decks, 0)?;
        return put_config(&found, &system, &arguments.devices, &nodes);
    }
    if let Some(side) = arguments.make {
        let at = usize::from(side == Side::B);
        let (cards, refused) = missing_ends(&decks, &found, at);
        refused.iter().for_each(|why| standard_error::print(&format!("not written: {why}\n")));
        print(&cards)?;
        return Ok(refused.is_empty());
    }
    if arguments.json {
        print(&format!("{:#}\n", connections_json(&found)))?;
    } else {
        print(&listing(&found, &names))?;
    }
    Ok(found.are_fine())
}

/// Plans a logical link and prints it, or the statements that are wanted of it.
fn islink(arguments: &CtcArguments, decks: &[&Deck], nodes: &NodeNames) -> Result<bool, Failure> {
    let (read, wishes) = (arguments.read.options(), arguments.link.wishes());
    let plan = LinkPlan::new(decks, &read, &arguments.ports, nodes, &wishes)?;
    if let (Some(system), LinkPlan::Link(link)) = (&arguments.system_config, &plan) {
        let system = system.image(decks, 0)?;
        let whole: Vec<&Deck> = link.decks.iter().collect();
        let numbers = link.devices.first().zip(link.devices.last());
        let numbers = numbers.map(|(first, last)| NumberRange { first: first.number, last: last.number });
        let only: Vec<NumberRange> = numbers.into_iter().collect();
        return put_config(&connections(&whole, &arguments.ports), &system, &only, nodes);
    }
    let text = match (arguments.make, &plan) {
        (Some(side), LinkPlan::Link(_)) => plan.statements(usize::from(side == Side::B)),
        _ if arguments.json => format!("{:#}\n", plan.to_json()),
        _ => plan.to_text(decks),
    };
    print(&text)?;
    Ok(true)
}

/// Prints the statements for the SYSTEM CONFIG of `system`; true when there are all.
fn put_config(
    found: &Connections,
    system: &Image,
    only: &[NumberRange],
    nodes: &NodeNames,
) -> Result<bool, Failure> {
    let only: Vec<RangeInclusive<u16>> = only.iter().map(|range| range.first..=range.last).collect();
    let written = system_config(found, system, &only, &|image| nodes.of(image));
    written.refused.iter().for_each(|why| standard_error::print(&format!("not written: {why}\n")));
    if written.text.is_empty() && written.refused.is_empty() {
        standard_error::print(&format!(
            "not written: {system} has no channel-to-channel device with its other end\n"
        ));
    }
    print(&written.text)?;
    Ok(written.refused.is_empty() && !written.text.is_empty())
}
