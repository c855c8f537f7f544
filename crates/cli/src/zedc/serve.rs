//! `halftrack zedc serve`: a card.

use std::fs;
use std::io;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use halftrack_link::StopSignal;
use halftrack_shared_memory::{Admission, SocketPlace};
use halftrack_zedc::{CardId, CpcError, ENGINE_NAMES, Engine, ResourceGroup, engine_of};
use halftrack_zedc_rings::{CardOptions, CardProcess, Place};
use serde::Serialize;

use super::{PlaceArgument, card_of, parse_group};
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack zedc serve --help`.
pub const EXAMPLES: &str = "\
The card takes the lowest number that is free in CPC. Even numbers are in resource group RG1, odd
ones in RG2. Programs of this user may use it, and those of users named with --allow, whom the
directory must let in, too. A line that begins with \"ready\" on standard output reports that
programs can connect. Ctrl-C or SIGTERM ends it: requests under way are done by other cards, or in
software.

Engines of other builds: `cargo build --features isal` (needs nasm, autoconf, automake and libtool)
has isa-l, --features libdeflate has libdeflate. The first one of the build is the default.

Examples:
  halftrack zedc serve cpc
  halftrack zedc serve cpc --card 4 --group RG1 --functions 4
  halftrack zedc serve cpc --engine zlib-rs --allow postgres

Exit codes: 0 ended on request, 1 the system failed, 2 bad input, as a ninth card is.";

/// Arguments of `halftrack zedc serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    #[command(flatten)]
    place: PlaceArgument,
    /// Number of the card, 0 to 7
    #[arg(long, value_name = "N")]
    card: Option<u8>,
    /// Resource group, RG1 or RG2
    #[arg(long, value_parser = parse_group)]
    group: Option<ResourceGroup>,
    /// Virtual functions, 1 to 15
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = RangedU64ValueParser::<u8>::new().range(1..=15))]
    functions: u8,
    /// Engine that does the work
    #[arg(long, default_value = ENGINE_NAMES[0])]
    engine: String,
    /// Let programs of this user in, too: a name or a number
    #[arg(long, value_name = "USER")]
    allow: Vec<String>,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Card that is ready.
#[derive(Debug, Serialize)]
struct Ready {
    ready: bool,
    card: u8,
    group: String,
    functions: u8,
    engine: &'static str,
    socket: String,
}

/// Runs a card until it is ended.
///
/// # Errors
/// Bad input; an error of the operating system.
pub fn serve(arguments: &ServeArguments) -> Result<bool, Failure> {
    let place = arguments.place.place()?;
    let users = arguments.allow.iter().map(|user| user_of(user)).collect::<Result<Vec<_>, _>>()?;
    let engine = engine(&arguments.engine)?;
    let admission = if users.is_empty() { Admission::Owner } else { Admission::Anybody };
    let (card, socket) = socket(&place, arguments.card, admission)?;
    let group = arguments.group.unwrap_or(group_of(card));
    let ready = Ready {
        ready: true,
        card: card.get(),
        group: group.to_string(),
        functions: arguments.functions,
        engine: engine.name(),
        socket: socket.path().display().to_string(),
    };
    let firmware = env!("CARGO_PKG_VERSION").to_owned();
    let options = CardOptions { card, group, functions: arguments.functions, users, firmware };
    let mut process = CardProcess::new(options, engine, socket)?;
    process.set_update(place.update() == Some(group));
    let stop = StopSignal::listen()?;
    print(&if arguments.json {
        serde_json::to_string(&ready).map_err(io::Error::from)? + "\n"
    } else {
        let Ready { card, group, functions, engine, socket, .. } = &ready;
        format!("ready: card {card} ({group}, {functions} functions, engine {engine}) at {socket}\n")
    })?;
    process.run(|| stop.is_wished(), stop.fd())?;
    Ok(true)
}

fn engine(name: &str) -> Result<Box<dyn Engine>, Failure> {
    let known = ENGINE_NAMES.join(", ");
    engine_of(name).ok_or_else(|| {
        Failure::Argument(format!("this build has no engine {name:?}; its engines are {known}"))
    })
}

/// Listens for the programs of a card: the one of the number, or the first that is free.
fn socket(place: &Place, number: Option<u8>, admission: Admission) -> Result<(CardId, SocketPlace), Failure> {
    let listen = |card: CardId| SocketPlace::listen_for(&place.socket(card), admission);
    if let Some(number) = number {
        let card = card_of(number)?;
        return match listen(card) {
            Ok(socket) => Ok((card, socket)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                Err(Failure::Argument(format!("card {number} is there already")))
            }
            Err(error) => Err(error.into()),
        };
    }
    for card in Place::cards() {
        match listen(card) {
            Ok(socket) => return Ok((card, socket)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::Argument(CpcError::TooManyCards.to_string()))
}

/// Returns the group of a card of this number: groups take turns.
const fn group_of(card: CardId) -> ResourceGroup {
    if card.get().is_multiple_of(2) { ResourceGroup::One } else { ResourceGroup::Two }
}

/// Returns the number of a user.
fn user_of(user: &str) -> Result<u32, Failure> {
    if let Ok(number) = user.parse() {
        return Ok(number);
    }
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let fields = known.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = fields.into_iter().find(|fields| fields.first() == Some(&user));
    let number = own.and_then(|fields| fields.get(2)?.parse().ok());
    number.ok_or_else(|| {
        Failure::Argument(format!("there is no user {user:?} in /etc/passwd; give the number"))
    })
}
