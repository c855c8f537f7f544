//! Channel paths of each channel subsystem, with the partitions that hold them.

use super::table::Table;
use super::{images, physical, switch};
use crate::model::ChannelPath;
use crate::model::channel_types::ChannelType;
use crate::model::selection::Selection;

/// Writes a table for each channel subsystem.
pub(super) fn report(selection: &Selection<'_>) -> String {
    let deck = selection.deck;
    let mut text = String::new();
    for css in images::all_css(deck) {
        let head = ["CHPID", "PCHID", "TYPE", "SWITCH", "CHPARM", "LP ACCESS"].map(str::to_owned).into_iter();
        let mut table = Table::new(head.chain(images::names()));
        let here = selection.channel_paths().filter(|(_, kept)| kept.contains(&css));
        let mut here: Vec<&ChannelPath> = here.map(|(channel, _)| channel).collect();
        here.sort_by_key(|channel| channel.chpid.value);
        for channel in here {
            let mut row = vec![
                format!("{:02X}", channel.chpid.value),
                physical(channel),
                channel.channel_type.value.clone(),
                switch(channel),
                parameter(channel),
                channel.access_class.name().to_owned(),
            ];
            row.extend(images::cells(deck, css, &channel.access, &channel.candidates));
            table.add(row);
        }
        if !table.is_empty() {
            text += &format!("\nCSS {css}   {}\n{}", images::legend(deck, css), table.text());
        }
    }
    text
}

/// Formats CHPARM, 00 when it is not coded, `-` for a type that has none.
fn parameter(channel: &ChannelPath) -> String {
    let kind = ChannelType::of(&channel.channel_type.value);
    match &channel.chparm {
        Some(parameter) => format!("{:02X}", parameter.value),
        None if kind.is_some_and(|kind| kind.keywords.contains(&"CHPARM")) => "00".to_owned(),
        None => "-".to_owned(),
    }
}
