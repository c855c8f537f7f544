//! `deck.iocp` of a study.

use crate::devices::{self, ADDRESSES};
use crate::header::header;
use crate::layout::Layout;
use crate::statement::write_statement;
use crate::storage::LogicalControlUnit;
use halftrack_deck::model::machines::SUBCHANNEL_SET_DEVICES_MAX;

/// Characters of the IOCDS name that a deck begins with.
const NAME_CHARACTERS: usize = 8;

/// Returns the deck.
pub fn deck_text(layout: &Layout<'_>) -> String {
    let words = format!(
        "{} LOGICAL CONTROL UNITS OF {ADDRESSES} UNIT ADDRESSES, BASES FIRST; {} CHANNELS ON {} DIRECTORS, EACH TO A \
         HOST-ADAPTER PORT OF ITS OWN.",
        layout.storage.control_units.len(),
        layout.channels.all.len(),
        layout.channels.directors.len()
    );
    let mut deck = header(layout, '*', &words);
    identify(layout, &mut deck);
    resource(layout, &mut deck);
    channel_paths(layout, &mut deck);
    layout.storage.control_units.iter().for_each(|unit| control_unit(layout, unit, &mut deck));
    deck
}

fn identify(layout: &Layout<'_>, deck: &mut String) {
    let model: String = layout.equipment.cpc.model.chars().filter(char::is_ascii_alphanumeric).collect();
    let name: String = model.to_ascii_uppercase().chars().take(NAME_CHARACTERS).collect();
    let name = if name.is_empty() { "STUDY".to_owned() } else { name };
    let request = &layout.request;
    let machine_type = layout.equipment.iocp.machine_type;
    let words = format!("{} BASES {} ALIASES", request.bases, request.aliases);
    let operands = format!("MSG1='{name}',MSG2='{words}',SYSTEM=({machine_type},1)");
    write_statement(deck, "ID", &operands);
}

/// Returns values of one channel subsystem each; without a tag on machines that have only one.
fn by_css(layout: &Layout<'_>, values: impl Fn(u8) -> String) -> String {
    if layout.equipment.iocp.css_count == 1 {
        return format!("({})", values(0));
    }
    let tagged: Vec<_> = (0..layout.css_count).map(|css| format!("(CSS({css}),{})", values(css))).collect();
    format!("({})", tagged.join(","))
}

fn resource(layout: &Layout<'_>, deck: &mut String) {
    let inside = |css: u8| {
        let own = layout.partitions.iter().filter(|one| one.css == css);
        own.map(|one| format!("({},{:X})", one.name, one.mif)).collect::<Vec<_>>().join(",")
    };
    let mut operands = format!("PARTITION={}", by_css(layout, inside));
    // Space for devices is reserved by channel subsystem since machines have several.
    if layout.equipment.iocp.has_pchids() {
        let sets = 1 + if layout.request.aliases > 0 { devices::alias_set(layout.equipment.iocp) } else { 0 };
        let slots =
            SUBCHANNEL_SET_DEVICES_MAX[..sets].iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        operands.push_str(&format!(",MAXDEV={}", by_css(layout, |_| slots.clone())));
    }
    write_statement(deck, "RESOURCE", &operands);
}

fn channel_paths(layout: &Layout<'_>, deck: &mut String) {
    let has_pchids = layout.equipment.iocp.has_pchids();
    let mut pchids = vec![0; layout.channels.all.len()];
    for card in &layout.cards {
        for (port, channel) in card.channels.iter().enumerate() {
            pchids[*channel] = layout.pchid(card, port);
        }
    }
    for (channel, pchid) in layout.channels.all.iter().zip(pchids) {
        let css = match layout.channels.are_spanned() {
            _ if layout.equipment.iocp.css_count == 1 => String::new(),
            true => (0..layout.css_count).map(|css| css.to_string()).collect::<Vec<_>>().join(","),
            false => channel.group.to_string(),
        };
        let css = if css.is_empty() { css } else { format!("CSS({css}),") };
        let path = format!("PATH=({css}{:02X}),SHARED,SWITCH={:02X}", channel.chpid, channel.director);
        let pchid = if has_pchids { format!(",PCHID={pchid:03X}") } else { String::new() };
        write_statement(deck, "CHPID", &format!("{path}{pchid},TYPE=FC"));
    }
}

fn control_unit(layout: &Layout<'_>, unit: &LogicalControlUnit, deck: &mut String) {
    let list = |item: &dyn Fn(usize) -> usize| {
        by_css(layout, |css| {
            let group = if layout.channels.are_spanned() { 0 } else { usize::from(css) };
            let items = unit.paths[group].iter().map(|at| format!("{:02X}", item(*at)));
            items.collect::<Vec<_>>().join(",")
        })
    };
    let paths = list(&|at| layout.channels.all[at].chpid);
    // One byte is enough: no channel leaves its entry director.
    let links = list(&|at| layout.channels.all[at].adapter_port);
    let (number, image) = (unit.devices.control_unit, unit.image);
    let operands = format!(
        "CUNUMBR={number:04X},PATH={paths},UNITADD=((00,{ADDRESSES})),LINK={links},CUADD={image:X},UNIT=2107"
    );
    write_statement(deck, "CNTLUNIT", &operands);
    let devices = |first: u32, count: u32, address: u32, rest: &str| {
        format!("ADDRESS=({first:04X},{count:03}),UNITADD={address:02X},CUNUMBR=({number:04X}),{rest}")
    };
    let own = &unit.devices;
    let bases = devices(own.first_base, own.bases, 0, "STADET=Y,UNIT=3390B");
    write_statement(deck, "IODEVICE", &bases);
    if own.aliases > 0 {
        let set = devices::alias_set(layout.equipment.iocp);
        let set = if set > 0 { format!("SCHSET={set},") } else { String::new() };
        let rest = format!("{set}UNIT=3390A");
        let aliases = devices(own.first_alias, own.aliases, own.bases, &rest);
        write_statement(deck, "IODEVICE", &aliases);
    }
}
