//! `halftrack deck ctc`: channel-to-channel connections listed, checked, completed.

use std::path::PathBuf;

use clap::Args;
use halftrack::deck::connections_json;
use halftrack_deck::ctc::{GivenPort, Port, connections, listing, missing_ends};
use halftrack_deck::model::Deck;

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

Lists the ends of channel-to-channel connections (UNIT=FCTC, SCTC, BCTC) by partition, which
belong together, and which lack the other end. A deck does not contain the ports of channels: they
are derived from ends that point back, or given with --port. Exit codes: 0 fine, 1 an end is
missing or unit addresses differ, 2 a file cannot be read as a deck. An end that leads to none of
the decks is listed and is no error.";

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
    #[arg(long = "port", value_name = "[B:]CSS.CHPID=SSPP", value_parser = port)]
    ports: Vec<GivenPort>,
    /// Print the statements of the missing ends of this deck instead of the list
    #[arg(long, value_name = "DECK", value_enum)]
    make: Option<Side>,
    /// Print one JSON object instead of text
    #[arg(long, conflicts_with = "make")]
    json: bool,
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

/// Parses `0.41=1121`, `B:0.41=1121`.
fn port(text: &str) -> Result<GivenPort, String> {
    let expected =
        || "expected CSS.CHPID=SSPP, such as 0.41=1121: CHPID 41 of CSS 0 is on port 21 of director 11";
    let (deck, rest) = match text.split_once(':') {
        Some(("A", rest)) => (0, rest),
        Some(("B", rest)) => (1, rest),
        Some(_) => return Err(expected().to_owned()),
        None => (0, text),
    };
    let parsed = || {
        let (channel, port) = rest.split_once('=')?;
        let (css, chpid) = channel.split_once('.')?;
        let port = u16::from_str_radix(port, 16).ok().filter(|_| port.len() == 4)?;
        let [switch, port] = port.to_be_bytes();
        let chpid = u8::from_str_radix(chpid, 16).ok()?;
        Some(GivenPort { deck, css: css.parse().ok()?, chpid, port: Port { switch, port } })
    };
    parsed().ok_or_else(|| expected().to_owned())
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
    let found = connections(&decks, &arguments.ports);
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
