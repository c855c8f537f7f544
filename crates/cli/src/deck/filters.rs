//! Filters of a deck, as options.

use std::path::Path;

use clap::Args;
use halftrack::deck::{byte_range, unknown_words, word_range};
use halftrack_deck::model::Deck;
use halftrack_deck::model::filter::{Filter, NumberRange};
use halftrack_deck::{DeckFile, Reading, listing};
use halftrack_input::{Severity, has_errors};

use crate::failure::Failure;
use crate::standard_error;

/// Filters. Each takes a list, and may be given again; hexadecimal numbers may be ranges such as 1000-10FF.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub struct FilterArguments {
    /// Channel subsystems
    #[arg(long, value_name = "N", value_delimiter = ',')]
    css: Vec<u8>,
    /// CHPIDs, such as 40 or 40-4F
    #[arg(long, value_name = "CHPID", value_delimiter = ',', value_parser = byte_range)]
    chpid: Vec<NumberRange>,
    /// PCHIDs or VCHIDs of channel paths and functions
    #[arg(long, value_name = "PCHID", value_delimiter = ',', value_parser = word_range)]
    pchid: Vec<NumberRange>,
    /// Types of channel paths and functions, such as FC or ROC2
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', value_parser = capitals)]
    kind: Vec<String>,
    /// Logical switch numbers of channel paths
    #[arg(long, value_name = "SWITCH", value_delimiter = ',', value_parser = byte_range)]
    switch: Vec<NumberRange>,
    /// Control-unit numbers
    #[arg(long, value_name = "CU", value_delimiter = ',', value_parser = word_range)]
    cu: Vec<NumberRange>,
    /// Device numbers
    #[arg(long, value_name = "DEVICE", value_delimiter = ',', value_parser = word_range)]
    device: Vec<NumberRange>,
    /// Unit types of control units or devices, such as 2107 or 3390B
    #[arg(long, value_name = "UNIT", value_delimiter = ',', value_parser = capitals)]
    unit: Vec<String>,
    /// Partitions
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = capitals)]
    lpar: Vec<String>,
    /// Physical networks of channel paths and functions
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = capitals)]
    pnetid: Vec<String>,
    /// Function identifiers
    #[arg(long, value_name = "FID", value_delimiter = ',', value_parser = word_range)]
    fid: Vec<NumberRange>,
    /// Only statements whose cards contain WORD, comments beside the operand included
    #[arg(long, value_name = "WORD")]
    grep: Vec<String>,
}

impl FilterArguments {
    /// Makes the filter for `deck`.
    ///
    /// # Errors
    /// `Argument` when it matches nothing in the deck.
    pub fn of(&self, deck: &Deck) -> Result<Filter, Failure> {
        let filter = Filter {
            css: self.css.clone(),
            chpid: self.chpid.clone(),
            pchid: self.pchid.clone(),
            kind: self.kind.clone(),
            switch: self.switch.clone(),
            control_unit: self.cu.clone(),
            device: self.device.clone(),
            unit: self.unit.clone(),
            lpar: self.lpar.clone(),
            pnetid: self.pnetid.clone(),
            fid: self.fid.clone(),
            grep: self.grep.clone(),
        };
        let unknown: Vec<String> =
            filter.unknown(deck).iter().map(|one| format!("--{}", unknown_words(one))).collect();
        if unknown.is_empty() { Ok(filter) } else { Err(Failure::Argument(unknown.join("\n"))) }
    }
}

/// Returns the understood statements of the deck; its errors are reported in one line.
///
/// # Errors
/// `Deck` when there are none.
pub fn understood<'r>(path: &Path, file: &DeckFile, reading: &'r Reading) -> Result<&'r Deck, Failure> {
    let Some(deck) = reading.understood() else {
        standard_error::print(&listing(&reading.diagnostics));
        return Err(Failure::Deck { file: path.to_owned() });
    };
    if has_errors(&reading.diagnostics) {
        let errors = reading.diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
        let counted = if errors == 1 { "1 error".to_owned() } else { format!("{errors} errors") };
        standard_error::print(&format!(
            "{}: {counted}; what is understood is shown; `halftrack deck check` reports the errors\n",
            file.source.name
        ));
    }
    Ok(deck)
}

fn capitals(text: &str) -> Result<String, String> {
    Ok(text.trim().to_uppercase())
}
