//! `halftrack zedc show`: the cards of a machine.

use clap::Args;
use halftrack_zedc_rings::{CardStatus, Command, FunctionStatus, OperateError, Place, operate};

use super::PlaceArgument;
use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::table::{Side, table};

/// Words at the end of `halftrack zedc show --help`.
pub const EXAMPLES: &str = "\
Each card is shown with its vital product data: feature, resource group, engine, level, process.
For each function that was used: state, processes, requests, octets before and behind compression,
their ratio, mean times in the queue and in the engine, and the part of the time in which the
engine worked for it (SMF 74 subtype 9). --all shows functions that were not used, too.

Examples:
  halftrack zedc show cpc
  halftrack zedc show cpc --json | jq '.cards[].functions[] | select(.requests > 0)'

Exit codes: 0 fine, 1 a card does not answer, 2 bad input.";

/// Arguments of `halftrack zedc show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    #[command(flatten)]
    place: PlaceArgument,
    /// Show functions that were not used, too
    #[arg(long)]
    all: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Returns the status of every card of a machine.
///
/// # Errors
/// A card that does not answer.
pub fn cards_of(place: &Place) -> Result<Vec<CardStatus>, Failure> {
    let mut cards = Vec::new();
    for card in Place::cards() {
        match operate(place, card, Command::Show) {
            Ok(status) => cards.push(status),
            Err(OperateError::NoCard(_)) => {}
            Err(error) => return Err(Failure::Card(error)),
        }
    }
    Ok(cards)
}

/// Shows the cards.
///
/// # Errors
/// The directory is none; a card does not answer.
pub fn show(arguments: &ShowArguments) -> Result<bool, Failure> {
    let place = arguments.place.place()?;
    let cards = cards_of(&place)?;
    let update = place.update().map(|group| group.to_string());
    if arguments.json {
        print(&format!("{}\n", serde_json::json!({ "update": update, "cards": cards })))?;
        return Ok(true);
    }
    let mut text = match cards.len() {
        0 => format!("no card in {}: start one with `halftrack zedc serve`\n", place.directory().display()),
        _ => String::new(),
    };
    if let Some(group) = update {
        text += &format!("the firmware of {group} is updated\n");
    }
    for card in &cards {
        text += &card_lines(card, arguments.all);
    }
    print(&text)?;
    Ok(true)
}

fn card_lines(card: &CardStatus, all: bool) -> String {
    let CardStatus { card: number, feature, group, engine, firmware, process, up_s, functions } = card;
    let head = format!(
        "card {number}  {feature}  {group}  engine {engine}  level {firmware}  process {process}  up {up_s:.0} s\n"
    );
    let is_used = |one: &&FunctionStatus| all || one.requests != 0 || !one.processes.is_empty();
    let rows: Vec<_> = functions.iter().filter(is_used).map(row).collect();
    if rows.is_empty() {
        return head + "  no function was used\n";
    }
    let heads = [
        ("  VF", Side::Left),
        ("STATE", Side::Left),
        ("PROCESSES", Side::Right),
        ("REQUESTS", Side::Right),
        ("DEFLATED", Side::Right),
        ("INTO", Side::Right),
        ("INFLATED", Side::Right),
        ("INTO", Side::Right),
        ("RATIO", Side::Right),
        ("QUEUE US", Side::Right),
        ("EXEC US", Side::Right),
        ("BUSY %", Side::Right),
    ];
    head + &table(heads, &rows)
}

fn row(function: &FunctionStatus) -> [String; 12] {
    let (deflate, inflate) = (function.deflate_bytes, function.inflate_bytes);
    [
        format!("  {}", function.vf),
        function.state.clone(),
        function.processes.len().to_string(),
        function.requests.to_string(),
        deflate.0.to_string(),
        deflate.1.to_string(),
        inflate.0.to_string(),
        inflate.1.to_string(),
        format!("{:.2}", function.ratio),
        format!("{:.1}", function.queue_us),
        format!("{:.1}", function.execution_us),
        format!("{:.1}", function.busy_percent),
    ]
}
