//! Physical channels, in the order of their numbers.

use super::table::Table;
use super::{images, networks, physical, switch};
use crate::model::ChannelPath;
use crate::model::selection::Selection;

/// Writes the rows.
pub(super) fn report(selection: &Selection<'_>) -> String {
    let all_css = images::all_css(selection.deck);
    let head = ["PCHID(AID-PORT)", "CHPID", "TYPE", "SWITCH", "CSS"].map(str::to_owned).into_iter();
    let css_names = all_css.iter().map(u8::to_string);
    let tail = ["PNETID", "COMMENT"].map(str::to_owned);
    let mut table = Table::new(head.chain(css_names).chain(tail));
    let mut channels: Vec<(&ChannelPath, &[u8])> = selection.channel_paths().collect();
    channels.sort_by_key(|(channel, _)| place(channel));
    for (channel, css) in channels {
        let mut row = vec![
            physical(channel),
            format!("{:02X}", channel.chpid.value),
            channel.channel_type.value.clone(),
            switch(channel),
            String::new(),
        ];
        row.extend(all_css.iter().map(|one| if css.contains(one) { "X" } else { "" }.to_owned()));
        row.push(networks(&channel.pnetids));
        row.push(comment(selection, channel));
        table.add(row);
    }
    table.text()
}

/// Returns the order of a row: PCHIDs first, then virtual channels, adapters, and channels without any of these.
fn place(channel: &ChannelPath) -> (u8, u16, u8, u8) {
    let kind = match (&channel.pchid, &channel.vchid, &channel.aid) {
        (Some(number), _, _) => (0, number.value),
        (None, Some(number), _) => (1, number.value),
        (None, None, Some(number)) => (2, number.value),
        (None, None, None) => (3, 0),
    };
    (kind.0, kind.1, channel.port.as_ref().map_or(0, |port| port.value), channel.chpid.value)
}

fn comment(selection: &Selection<'_>, channel: &ChannelPath) -> String {
    match selection.paths.unit_addresses_of(selection.deck, channel) {
        0 => "no control unit".to_owned(),
        1 => "1 unit address".to_owned(),
        count => format!("{count} unit addresses"),
    }
}
