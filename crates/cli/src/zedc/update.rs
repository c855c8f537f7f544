//! `halftrack zedc update`: firmware of a resource group.

use std::io;
use std::time::Duration;

use clap::Args;
use halftrack_link::StopSignal;
use halftrack_zedc::{CardId, CpcError, ResourceGroup};
use halftrack_zedc_rings::{Command, OperateError, Place, operate};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::show::cards_of;
use super::{PlaceArgument, parse_group};
use crate::failure::Failure;
use crate::standard_output::print;

/// Words at the end of `halftrack zedc update --help`.
pub const EXAMPLES: &str = "\
Cards of the group give their requests back, which other cards do, and take none until the update
has ended. One group is updated at a time. Ctrl-C ends the update, too; --end ends one whose
command was killed.

Examples:
  halftrack zedc update cpc RG1 --seconds 5
  halftrack zedc update cpc RG2 --end

Exit codes: 0 fine, 1 a card does not answer, 2 bad input, as a second update is.";

/// Arguments of `halftrack zedc update`.
#[derive(Debug, Args)]
pub struct UpdateArguments {
    #[command(flatten)]
    place: PlaceArgument,
    /// Resource group, RG1 or RG2
    #[arg(value_parser = parse_group)]
    group: ResourceGroup,
    /// How long it takes
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    seconds: f64,
    /// End an update whose command was killed
    #[arg(long)]
    end: bool,
}

/// Updates the firmware.
///
/// # Errors
/// Another update; a card that does not answer.
pub fn update(arguments: &UpdateArguments) -> Result<bool, Failure> {
    let (place, group) = (arguments.place.place()?, arguments.group);
    let limit = Duration::try_from_secs_f64(arguments.seconds)
        .map_err(|_| Failure::Argument("--seconds is a time of 0 or more".to_owned()))?;
    if !arguments.end {
        let stop = StopSignal::listen()?;
        begin(&place, group)?;
        let begun = every_card(&place, group, Command::BeginUpdate);
        if let Ok(cards) = &begun {
            print(&format!("{group}: update of {} begun\n", counted(cards)))?;
            let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
            // A signal ends the update as its time does.
            let _ = poll(&mut [PollFd::from_borrowed_fd(stop.fd(), PollFlags::IN)], Some(&limit));
        }
        finish(&place, group)?;
        begun?;
    } else if place.update() == Some(group) {
        finish(&place, group)?;
    } else {
        return Err(Failure::Argument(format!("the firmware of {group} is not updated")));
    }
    Ok(true)
}

fn begin(place: &Place, group: ResourceGroup) -> Result<(), Failure> {
    place.begin_update(group).map_err(|error| match place.update() {
        Some(other) if error.kind() == io::ErrorKind::AlreadyExists => {
            Failure::Argument(CpcError::UpdateInProgress(other).to_string())
        }
        _ => error.into(),
    })
}

fn finish(place: &Place, group: ResourceGroup) -> Result<(), Failure> {
    // Cards that are plugged from now on are not updated.
    place.end_update()?;
    let cards = every_card(place, group, Command::EndUpdate)?;
    print(&format!("{group}: update of {} ended\n", counted(&cards)))?;
    Ok(())
}

fn counted(cards: &[u8]) -> String {
    match cards {
        [] => "no card".to_owned(),
        [one] => format!("card {one}"),
        several => format!("cards {}", several.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Has every card of a group do a command; returns their numbers.
fn every_card(place: &Place, group: ResourceGroup, command: Command) -> Result<Vec<u8>, Failure> {
    let mut cards = cards_of(place)?;
    cards.retain(|card| card.group == group.to_string());
    for card in cards.iter().filter_map(|card| CardId::new(card.card)) {
        match operate(place, card, command) {
            // A card that was lost meanwhile is not updated.
            Ok(_) | Err(OperateError::NoCard(_)) => {}
            Err(error) => return Err(Failure::Card(error)),
        }
    }
    Ok(cards.iter().map(|card| card.card).collect())
}
