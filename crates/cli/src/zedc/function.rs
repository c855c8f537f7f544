//! `halftrack zedc function`: a function of a card, for operators.

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use halftrack_zedc_rings::{Command, operate};

use super::{PlaceArgument, card_of};
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack zedc function --help`.
pub const EXAMPLES: &str = "\
A function that is configured offline takes no requests any more; while some have not ended it is
de-allocate pending. One that fails gives its own requests back; no other function notices.

Examples:
  halftrack zedc function cpc 0 3 offline
  halftrack zedc function cpc 0 3 online
  halftrack zedc function cpc 0 3 fail
  halftrack zedc function cpc 0 3 recover

Exit codes: 0 done, 1 not done, or the card does not answer, 2 bad input.";

/// Arguments of `halftrack zedc function`.
#[derive(Debug, Args)]
pub struct FunctionArguments {
    #[command(flatten)]
    place: PlaceArgument,
    /// Number of the card, 0 to 7
    card: u8,
    /// Number of the function, 1 to 15
    #[arg(value_parser = RangedU64ValueParser::<u8>::new().range(1..=15))]
    vf: u8,
    /// Change
    #[arg(value_enum)]
    change: Change,
}

/// Change of a function.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Change {
    /// Configure it online
    Online,
    /// Configure it offline
    Offline,
    /// Have it fail
    Fail,
    /// Have it work again
    Recover,
}

/// Changes a function.
///
/// # Errors
/// There is no such card or function, or its state does not admit it.
pub fn function(arguments: &FunctionArguments) -> Result<bool, Failure> {
    let place = arguments.place.place()?;
    let vf = arguments.vf;
    let command = match arguments.change {
        Change::Online => Command::Online(vf),
        Change::Offline => Command::Offline(vf),
        Change::Fail => Command::Fail(vf),
        Change::Recover => Command::Recover(vf),
    };
    let status = operate(&place, card_of(arguments.card)?, command).map_err(Failure::Card)?;
    let state = status.functions.iter().find(|one| one.vf == vf).map_or("", |one| one.state.as_str());
    print(&format!("card {} function {vf}: {state}\n", status.card))?;
    Ok(true)
}
