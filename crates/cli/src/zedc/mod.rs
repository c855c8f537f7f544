//! `halftrack zedc`: zEDC Express cards as processes, for programs of this host, in virtual time, and how many a load needs.

mod card_speed;
mod families;
mod function;
mod run;
mod serve;
mod show;
mod simulate;
mod size;
mod size_load;
mod update;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use halftrack_zedc::{CARDS_MAX, CardId, CpcError, ResourceGroup};
use halftrack_zedc_rings::Place;

use crate::failure::Failure;
pub use run::LIBRARY;

/// Words at the end of `halftrack zedc --help`.
pub const EXAMPLES: &str = "\
A card is a process, `halftrack zedc serve`. The cards of a machine, at most 8, have one directory,
in which programs find them. A card deflates and inflates whole requests of up to 1 MiB for up to 15
functions, each with queues of its own, a slice of 32 KiB at a time. A request of a card that is
lost, or whose firmware is updated, is done by another one, else in software by the program.

Examples:
  mkdir cpc
  halftrack zedc serve cpc &
  halftrack zedc serve cpc &
  halftrack zedc run cpc -- git gc
  halftrack zedc show cpc
  halftrack zedc update cpc RG1 --seconds 5
  halftrack zedc size --mb-per-s 1500 --ratio 1.9 --growth 20%

Exit codes: 0 fine, 1 a card or the system failed, 2 bad input.";

/// Arguments of `halftrack zedc`.
#[derive(Debug, Args)]
pub struct ZedcArguments {
    #[command(subcommand)]
    command: ZedcCommand,
}

/// Subcommands of `halftrack zedc`.
#[derive(Debug, Subcommand)]
enum ZedcCommand {
    /// Run a card
    #[command(after_help = serve::EXAMPLES)]
    Serve(serve::ServeArguments),
    /// Show the cards of a machine, their functions and counts
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArguments),
    /// Run a load on the cards of a deck in virtual time
    #[command(after_help = simulate::EXAMPLES)]
    Simulate(simulate::SimulateArguments),
    /// Compute how many cards a load needs, also while firmware is updated
    #[command(after_help = size::EXAMPLES)]
    Size(size::SizeArguments),
    /// Show the kinds of compression: who pays, and which data
    #[command(after_help = families::EXAMPLES)]
    Families(families::FamiliesArguments),
    /// Update the firmware of a resource group: its cards take no requests meanwhile
    #[command(after_help = update::EXAMPLES)]
    Update(update::UpdateArguments),
    /// Configure a function online or offline, have it fail, or recover it
    #[command(after_help = function::EXAMPLES)]
    Function(function::FunctionArguments),
    /// Run a program whose zlib uses the cards
    #[command(after_help = run::EXAMPLES)]
    Run(run::RunArguments),
}

/// Directory of a machine.
#[derive(Debug, Args)]
struct PlaceArgument {
    /// Directory of the machine, in which each card has its socket
    #[arg(value_name = "CPC")]
    directory: PathBuf,
}

impl PlaceArgument {
    /// Returns the machine.
    ///
    /// # Errors
    /// The directory is none.
    fn place(&self) -> Result<Place, Failure> {
        if self.directory.is_dir() {
            return Ok(Place::new(&self.directory));
        }
        let directory = self.directory.display();
        Err(Failure::Argument(format!("{directory} is no directory: make it with `mkdir {directory}`")))
    }
}

/// Returns the card of a number.
///
/// # Errors
/// A machine has no place for it.
fn card_of(number: u8) -> Result<CardId, Failure> {
    let last = CARDS_MAX - 1;
    let refused =
        || Failure::Argument(format!("{}: cards are 0 to {last}, not {number}", CpcError::TooManyCards));
    CardId::new(number).ok_or_else(refused)
}

/// Returns the resource group of a name.
///
/// # Errors
/// There is no such group.
fn parse_group(name: &str) -> Result<ResourceGroup, String> {
    match name.to_ascii_uppercase().as_str() {
        "RG1" => Ok(ResourceGroup::One),
        "RG2" => Ok(ResourceGroup::Two),
        _ => Err("a resource group is RG1 or RG2".to_owned()),
    }
}

/// Runs the subcommand; true when everything was done.
///
/// # Errors
/// Bad input; a card or the system that fails.
pub fn zedc(arguments: &ZedcArguments) -> Result<bool, Failure> {
    match &arguments.command {
        ZedcCommand::Serve(arguments) => serve::serve(arguments),
        ZedcCommand::Show(arguments) => show::show(arguments),
        ZedcCommand::Simulate(arguments) => simulate::simulate(arguments),
        ZedcCommand::Size(arguments) => size::size(arguments),
        ZedcCommand::Families(arguments) => families::families(arguments),
        ZedcCommand::Update(arguments) => update::update(arguments),
        ZedcCommand::Function(arguments) => function::function(arguments),
        ZedcCommand::Run(arguments) => run::run(arguments),
    }
}
