//! Sizes that fit into a machine: every limit of IOCP and of the catalog that a request can pass.

use halftrack_deck::model::channel_types::ChannelType;
use halftrack_deck::model::machines::{PARTITIONS_PER_CSS_MAX, SUBCHANNEL_SET_DEVICES_MAX};
use halftrack_input::messages::generate as numbers;

use crate::channels::{CHPIDS_PER_CSS, Channels};
use crate::devices;
use crate::equipment::Equipment;
use crate::interconnects::{Interconnects, LAST_PCHID};
use crate::layout::{Layout, Sizes};
use crate::partitions;
use crate::refusals::Refusals;
use crate::request::{Load, Request};

/// Returns the sizes of `request` where they fit; else refuses it with the limits that it passes.
pub fn sizes(request: &Request, equipment: &Equipment<'_>, refusals: &mut Refusals<'_>) -> Option<Sizes> {
    let lpars = request.lpars.unwrap_or_else(|| partitions::usual(equipment.cpc));
    check_channels(request, equipment, refusals);
    let css_count = channel_subsystems(request, lpars, equipment, refusals);
    check_devices(request, lpars, equipment, refusals);
    check_load(request, lpars, refusals);
    let cards = (request.channels as usize).div_ceil(equipment.ports());
    check_cards(cards, equipment, refusals);
    if !refusals.found.is_empty() {
        return None;
    }
    let rows = Channels::new(request.channels, css_count as u8).rows_max as u32;
    let control_units = devices::control_unit_count(request.bases, request.aliases, rows);
    if control_units > request.bases {
        let message = format!(
            "{} aliases need {control_units} logical control units of {} unit addresses, and {} bases are not one for each",
            request.aliases,
            devices::ADDRESSES,
            request.bases
        );
        let fix = format!("request {control_units} bases at least, or fewer aliases");
        refusals.refuse(numbers::TOO_MANY_DEVICES, "--aliases", message, fix);
        return None;
    }
    Some(Sizes { lpars, css_count, control_units, cards })
}

fn check_channels(request: &Request, equipment: &Equipment<'_>, refusals: &mut Refusals<'_>) {
    let iocp = equipment.iocp;
    let most = u32::from(iocp.css_count) * CHPIDS_PER_CSS;
    if request.channels > most {
        let message = format!(
            "{} channels are more than {CHPIDS_PER_CSS} CHPIDs in each of the {} channel subsystems of a {}",
            request.channels, iocp.css_count, iocp.machine_type
        );
        let fix = format!("request {most} channels at most");
        refusals.refuse(numbers::TOO_MANY_CHANNELS, "--channels", message, fix);
    }
    if let Some(most) = &equipment.cpc.plugging.ficon_channels
        && request.channels > most.value
    {
        let message =
            format!("{} takes {} FICON channels, not {}", equipment.cpc_id, most.value, request.channels);
        let fix = format!("request {} channels at most, or another model", most.value);
        refusals.refuse(numbers::TOO_MANY_CHANNELS, "--channels", message, fix);
    }
}

/// Returns the requested channel subsystems, or as many as partitions and CHPIDs need.
fn channel_subsystems(
    request: &Request,
    lpars: u32,
    equipment: &Equipment<'_>,
    refusals: &mut Refusals<'_>,
) -> u32 {
    let iocp = equipment.iocp;
    let inside = |css_count: u32| {
        let each =
            (0..css_count.min(u32::from(iocp.css_count)) as u8).map(|css| iocp.partition_count_in(css));
        each.map(u32::from).sum::<u32>().min(u32::from(iocp.partition_count))
    };
    let all = u32::from(iocp.css_count);
    if lpars > inside(all) {
        let message = format!("a {} has {} logical partitions, not {lpars}", iocp.machine_type, inside(all));
        let fix = format!("request {} partitions at most", inside(all));
        refusals.refuse(numbers::TOO_MANY_PARTITIONS, "--lpars", message, fix);
        return all;
    }
    let by_lpars = (1..=all).find(|count| inside(*count) >= lpars).unwrap_or(all);
    let by_channels = request.channels.div_ceil(CHPIDS_PER_CSS).min(all);
    let needed = by_lpars.max(by_channels);
    let css_count = request.css.unwrap_or(needed);
    if css_count > all {
        let message = format!("a {} has {all} channel subsystems, not {css_count}", iocp.machine_type);
        let fix = format!("request {all} channel subsystems at most");
        refusals.refuse(numbers::TOO_MANY_PARTITIONS, "--css", message, fix);
    } else if css_count < by_lpars {
        let message = format!(
            "{lpars} logical partitions are more than {css_count} channel subsystems have: {} of at most \
             {PARTITIONS_PER_CSS_MAX} each",
            inside(css_count)
        );
        let fix = format!("request {by_lpars} channel subsystems, or leave `--css` out");
        refusals.refuse(numbers::TOO_MANY_PARTITIONS, "--css", message, fix);
    } else if css_count < by_channels {
        let channels = request.channels;
        let message = format!(
            "{channels} channels are more than {CHPIDS_PER_CSS} CHPIDs in each of {css_count} channel subsystems"
        );
        let fix = format!("request {by_channels} channel subsystems, or leave `--css` out");
        refusals.refuse(numbers::TOO_MANY_CHANNELS, "--css", message, fix);
    }
    if lpars < css_count {
        let message =
            format!("{css_count} channel subsystems need a logical partition each, and there are {lpars}");
        let fix = format!("request {css_count} partitions at least, or fewer channels");
        refusals.refuse(numbers::TOO_MANY_PARTITIONS, "--lpars", message, fix);
    }
    css_count
}

fn check_devices(request: &Request, lpars: u32, equipment: &Equipment<'_>, refusals: &mut Refusals<'_>) {
    let alias_set = devices::alias_set(equipment.iocp);
    let mut asked = [0u64; SUBCHANNEL_SET_DEVICES_MAX.len()];
    asked[0] += u64::from(request.bases);
    asked[alias_set] += u64::from(request.aliases);
    for (set, (asked, most)) in asked.into_iter().zip(SUBCHANNEL_SET_DEVICES_MAX).enumerate() {
        if asked > u64::from(most) {
            let (option, what) = match (set, alias_set) {
                (0, 0) => ("--bases", "devices"),
                (0, _) => ("--bases", "bases"),
                _ => ("--aliases", "aliases"),
            };
            let message = format!("{asked} {what} are more than the {most} devices of subchannel set {set}");
            refusals.refuse(numbers::TOO_MANY_DEVICES, option, message, format!("request {most} at most"));
        }
    }
    if request.bases < lpars {
        let message =
            format!("{lpars} logical partitions have devices of their own, and there are {}", request.bases);
        let fix = format!("request {lpars} bases at least, or fewer partitions");
        refusals.refuse(numbers::TOO_MANY_DEVICES, "--bases", message, fix);
    }
}

fn check_load(request: &Request, lpars: u32, refusals: &mut Refusals<'_>) {
    if let Some(Load::Jobs(jobs)) = request.load
        && jobs < lpars
    {
        let message = format!("{jobs} jobs are not one for each of {lpars} logical partitions");
        let fix = format!("request {lpars} jobs at least, or fewer partitions");
        refusals.refuse(numbers::TOO_MANY_PARTITIONS, "--jobs", message, fix);
    }
}

fn check_cards(cards: usize, equipment: &Equipment<'_>, refusals: &mut Refusals<'_>) {
    let (cpc, cpc_id) = (equipment.cpc, equipment.cpc_id);
    let mut refuse = |message: String| {
        let fix = "request fewer channels, a card with more ports or a larger model";
        refusals.refuse(numbers::TOO_MANY_CARDS, "--channels", message, fix);
    };
    if let Some(slots) = cpc.plugging.slots.as_ref().filter(|slots| cards > slots.value as usize) {
        refuse(format!("{cards} cards are more than the {} slots of {cpc_id}", slots.value));
    }
    let interconnects = Interconnects::new(cpc, cards);
    let fanouts = interconnects.fanouts();
    if let Some(slots) = cpc.fanout_slots.as_ref().filter(|slots| fanouts > usize::from(slots.value)) {
        refuse(format!("{cards} cards need {fanouts} fanouts, and {cpc_id} has slots for {}", slots.value));
    }
    if equipment.iocp.has_pchids() {
        // The channels do not matter: only where the last card would be.
        let ports = equipment.ports();
        let channels: Vec<usize> = (0..cards * ports).collect();
        let last = interconnects.plug(&channels, ports).iter().map(|card| card.pchid + ports - 1).max();
        if last.is_some_and(|last| last > LAST_PCHID) {
            refuse(format!("{cards} cards need PCHIDs beyond {LAST_PCHID:03X}"));
        }
    }
}

/// Refuses control units and unit addresses beyond those of a channel, and images beyond those of a box.
pub fn check_paths(layout: &Layout<'_>, refusals: &mut Refusals<'_>) {
    let Some(kind) = ChannelType::of("FC") else { return };
    let mut units = vec![0u32; layout.channels.all.len()];
    for at in layout.storage.control_units.iter().flat_map(|unit| unit.paths.iter().flatten()) {
        units[*at] += 1;
    }
    let units = units.into_iter().max().unwrap_or(0);
    let addresses = units * devices::ADDRESSES;
    let channels = layout.request.channels;
    let fix = "request more channels, or fewer devices";
    let mut refuse = |message: String| refusals.refuse(numbers::TOO_MANY_DEVICES, "--channels", message, fix);
    if units > kind.control_unit_count_max {
        refuse(format!(
            "with {channels} channels one has {units} control units, limit {}",
            kind.control_unit_count_max
        ));
    }
    let machine = layout.equipment.iocp;
    if let Some(most) = kind.unit_addresses.on(machine).filter(|most| addresses > *most) {
        refuse(format!(
            "with {channels} channels one reaches {addresses} unit addresses, limit {most} on a {}",
            machine.machine_type
        ));
    }
    let images = layout.storage.control_units.iter().map(|unit| unit.image + 1).max().unwrap_or(0);
    if let Some(most) = kind.cuadd_max.map(|last| usize::from(last) + 1).filter(|most| images > *most) {
        refuse(format!(
            "{channels} channels lead to {} boxes, and one has {images} logical control units, limit {most}",
            layout.storage.boxes.len()
        ));
    }
}
