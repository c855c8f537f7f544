//! `halftrack zedc families`: the kinds of compression beside each other.

use std::path::PathBuf;

use clap::Args;
use halftrack::{Catalog, CompressionFamily, Payer};
use serde_json::{Value, json};

use super::card_speed::catalog;
use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::table::{Side, table};

/// Words at the end of `halftrack zedc families --help`.
pub const EXAMPLES: &str = "\
Kinds of compression of the catalog (compression/ID.toml): whose time each takes, whether processors
of the partition pay, whether the data are compressed before they go over the channel, and the data
that it is for.

Examples:
  halftrack zedc families
  halftrack zedc families --json | jq -r '.[] | select(.processors | not) | .title'

Exit codes: 0 fine, 2 the catalog has errors.";

/// Arguments of `halftrack zedc families`.
#[derive(Debug, Args)]
pub struct FamiliesArguments {
    /// Directory of your own catalog files (DIR/compression/ID.toml), which override the built-in ones; repeatable
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Prints the table; always true.
///
/// # Errors
/// A catalog with errors; output that cannot be written.
pub fn families(arguments: &FamiliesArguments) -> Result<bool, Failure> {
    let catalog = catalog(&arguments.catalogs)?;
    print(&if arguments.json { format!("{:#}\n", as_json(&catalog)) } else { text(&catalog) })?;
    Ok(true)
}

fn text(catalog: &Catalog) -> String {
    let heads = [
        ("KIND", Side::Left),
        ("PAID BY", Side::Left),
        ("PROCESSORS", Side::Left),
        ("CHANNEL", Side::Left),
        ("DATA", Side::Left),
    ];
    let row = |family: &CompressionFamily| {
        let payer = family.paid_by.value;
        [
            family.title.clone(),
            payer.name().to_owned(),
            if payer == Payer::Processor { "pay" } else { "free" }.to_owned(),
            if payer.is_before_channel() { "compressed" } else { "plain" }.to_owned(),
            family.data.value.clone(),
        ]
    };
    table(heads, &catalog.compression_families().map(row).collect::<Vec<_>>())
}

fn as_json(catalog: &Catalog) -> Value {
    let family = |family: &CompressionFamily| {
        let payer = family.paid_by.value;
        json!({
            "title": family.title,
            "paid_by": payer.name(),
            "processors": payer == Payer::Processor,
            "compressed_on_channel": payer.is_before_channel(),
            "data": family.data.value,
        })
    };
    catalog.compression_families().map(family).collect()
}
