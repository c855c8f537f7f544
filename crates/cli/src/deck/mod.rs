//! `halftrack deck`: IOCP decks checked, compared, drawn, exported, shown, written back, laid out, mapped to hardware.

mod cables;
mod check;
mod ctc;
mod diff;
mod draw;
mod export;
mod filters;
mod format;
mod hardware;
pub mod hardware_argument;
mod islink;
mod map;
mod new;
pub mod opening;
mod output;
mod show;
mod write;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Words at the end of `halftrack deck --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack deck check studies/z16-oltp/deck.iocp
  halftrack deck check prod.iocp --machine 9175 --brief
  halftrack deck check from-a-mail.txt --lenient --json
  halftrack deck check --list-rules
  halftrack deck ctc cpc1.iocp cpc2.iocp
  halftrack deck diff active.iocp next.iocp
  halftrack deck draw prod.iocp -o prod.html
  halftrack deck export prod.iocp --json
  halftrack deck format prod.iocp -o pretty.iocp
  halftrack deck map work.iocp --hardware report.txt -o mapped.iocp
  halftrack deck new site.toml -o site.iocp
  halftrack deck cables prod.iocp --hardware report.txt --csv
  halftrack deck show prod.iocp path --device 1005
  halftrack deck write prod.ebcdic | cmp - prod.ebcdic

FILE is a deck in ASCII, UTF-8, Latin-1 or EBCDIC 1047, in lines or in records of 80 bytes; `-` is
standard input. No study, plant or catalog is needed.

Exit codes: 0 fine, 1 rules are broken, 2 the file cannot be read as a deck.";

/// Arguments of `halftrack deck`.
#[derive(Debug, Args)]
pub struct DeckArguments {
    #[command(subcommand)]
    command: DeckCommand,
}

/// Subcommands of `halftrack deck`.
#[derive(Debug, Subcommand)]
enum DeckCommand {
    /// List the cables of a deck, with frame, drawer, slot and port
    #[command(after_help = cables::EXAMPLES)]
    Cables(cables::CablesArguments),
    /// Check a deck by the rules of IOCP
    #[command(after_help = check::EXAMPLES)]
    Check(check::CheckArguments),
    /// List and check channel-to-channel connections, write missing ends, plan logical links
    #[command(after_help = ctc::EXAMPLES)]
    Ctc(ctc::CtcArguments),
    /// Compare two decks by meaning: changes by an activation, and lost paths
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::DiffArguments),
    /// Draw a deck from partitions to devices, as an HTML page or SVG
    #[command(after_help = draw::EXAMPLES)]
    Draw(draw::DrawArguments),
    /// Write a deck as JSON or comma-separated values
    #[command(after_help = export::EXAMPLES)]
    Export(export::ExportArguments),
    /// Lay a deck out canonically: columns, order of keywords, digits
    Format(format::FormatArguments),
    /// Show the features installed in a machine, from a hardware file or a configuration report
    #[command(after_help = hardware::EXAMPLES)]
    Hardware(hardware::HardwareArguments),
    /// Assign PCHIDs to channel paths and functions for best availability
    #[command(after_help = map::EXAMPLES)]
    Map(map::MapArguments),
    /// Write a deck from a short description
    #[command(after_help = new::EXAMPLES)]
    New(new::NewArguments),
    /// Show channels, control units, devices and functions in the manner of IOCP's reports
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArguments),
    /// Read a deck and write it back byte for byte
    Write(write::WriteArguments),
}

/// Runs the subcommand; true when the deck is fine.
///
/// # Errors
/// A file that is no deck; output that cannot be written.
pub fn deck(arguments: &DeckArguments) -> Result<bool, Failure> {
    match &arguments.command {
        DeckCommand::Cables(arguments) => cables::cable_list(arguments),
        DeckCommand::Check(arguments) => check::check(arguments),
        DeckCommand::Ctc(arguments) => ctc::ctc(arguments),
        DeckCommand::Diff(arguments) => diff::diff(arguments),
        DeckCommand::Draw(arguments) => draw::draw(arguments),
        DeckCommand::Export(arguments) => export::export(arguments),
        DeckCommand::Format(arguments) => format::format(arguments),
        DeckCommand::Hardware(arguments) => hardware::hardware(arguments),
        DeckCommand::Map(arguments) => map::map_deck(arguments),
        DeckCommand::New(arguments) => new::new(arguments),
        DeckCommand::Show(arguments) => show::show(arguments),
        DeckCommand::Write(arguments) => write::write(arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where clap breaks lines of help.
    const HELP_WIDTH: usize = 100;

    #[test]
    fn no_line_of_help_is_broken_in_its_middle() {
        let all = [
            EXAMPLES,
            cables::EXAMPLES,
            check::EXAMPLES,
            ctc::EXAMPLES,
            diff::EXAMPLES,
            draw::EXAMPLES,
            export::EXAMPLES,
            hardware::EXAMPLES,
            map::EXAMPLES,
            new::EXAMPLES,
            show::EXAMPLES,
        ];
        for line in all.iter().flat_map(|text| text.lines()) {
            assert!(line.chars().count() <= HELP_WIDTH, "{line}");
        }
    }
}
