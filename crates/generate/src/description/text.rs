//! The deck of a description.

use halftrack_deck::model::machines::{PATHS_PER_CSS_MAX, SUBCHANNEL_SET_DEVICES_MAX};

use super::Description;
use super::groups::{Channels, Functions, Storage};
use crate::devices::alias_set;
use crate::statement::write_statement;

/// Unit addresses of a control unit.
const ADDRESSES: u16 = 256;
/// Unit address of the device for the diagnosis of an OSA channel.
const DIAGNOSIS: u16 = 0xFE;

/// Returns the deck as cards.
pub(super) fn write(what: &Description) -> String {
    let mut deck = String::new();
    let lsystem = what.lsystem.as_ref().map(|name| format!(",LSYSTEM={name}")).unwrap_or_default();
    let system = format!("SYSTEM=({},{})", what.machine.machine_type, what.level);
    write_statement(&mut deck, "ID", &format!("MSG1='{}',{system}{lsystem}", what.name));
    resource(what, &mut deck);
    what.channels.iter().for_each(|channels| channel_paths(what, channels, &mut deck));
    for director in &what.directors {
        let mine = what.channels.iter().filter(|one| one.switch == Some(director.switch));
        let routes: Vec<BoxPath<'_>> = mine
            .flat_map(|one| one.chpids.numbers().map(move |chpid| (one, chpid, director.switch, 0xFE)))
            .take(PATHS_PER_CSS_MAX)
            .collect();
        let number = director.number;
        control_unit(what, number, &routes, "UNITADD=((00,001)),", "UNIT=2032", &mut deck);
        let device = format!("ADDRESS={number:04X},UNITADD=00,CUNUMBR=({number:04X}),UNIT=2032");
        write_statement(&mut deck, "IODEVICE", &device);
    }
    what.storage.iter().for_each(|storage| self::storage(what, storage, &mut deck));
    what.channels.iter().for_each(|channels| adapters(what, channels, &mut deck));
    what.functions.iter().for_each(|functions| self::functions(functions, &mut deck));
    deck
}

/// A path: its group of channels, CHPID, switch and port.
type BoxPath<'a> = (&'a Channels, u8, u8, u8);

/// Formats `values` of each of `css`; without tags on machines that have only one channel subsystem.
fn by_css(what: &Description, css: &[u8], values: impl Fn(u8) -> String) -> String {
    if what.machine.css_count == 1 {
        return format!("({})", values(0));
    }
    let tagged: Vec<String> = css.iter().map(|&css| format!("(CSS({css}),{})", values(css))).collect();
    format!("({})", tagged.join(","))
}

fn all_css(what: &Description) -> Vec<u8> {
    (0..).take(what.partitions.len()).collect()
}

fn resource(what: &Description, deck: &mut String) {
    let names = |css: u8| {
        let names = what.partitions.get(usize::from(css)).map_or(&[][..], Vec::as_slice);
        let listed = (1u8..).zip(names).map(|(mif, name)| format!("({name},{mif:X})"));
        listed.collect::<Vec<_>>().join(",")
    };
    let css = all_css(what);
    let mut operands = format!("PARTITION={}", by_css(what, &css, names));
    // Space for devices is reserved by channel subsystem since machines have several.
    if what.machine.has_pchids() {
        let has_aliases = what.storage.iter().any(|storage| storage.aliases > 0);
        let sets = 1 + if has_aliases { alias_set(what.machine) } else { 0 };
        let slots: Vec<String> = SUBCHANNEL_SET_DEVICES_MAX[..sets].iter().map(u32::to_string).collect();
        operands.push_str(&format!(",MAXDEV={}", by_css(what, &css, |_| slots.join(","))));
    }
    write_statement(deck, "RESOURCE", &operands);
}

fn channel_paths(what: &Description, channels: &Channels, deck: &mut String) {
    let css: Vec<String> = channels.css.iter().map(u8::to_string).collect();
    let css = if what.machine.css_count == 1 { String::new() } else { format!("CSS({}),", css.join(",")) };
    for (at, chpid) in channels.chpids.numbers().enumerate() {
        let mut operands = format!("PATH=({css}{chpid:02X})");
        if channels.kind.may_be_shared {
            operands.push_str(",SHARED");
        }
        let mut say = |keyword: &str, value: Option<String>| {
            if let Some(value) = value {
                operands.push_str(&format!(",{keyword}={value}"));
            }
        };
        say("SWITCH", channels.switch.map(|switch| format!("{switch:02X}")));
        say("PCHID", channels.pchids.get(at).map(|pchid| format!("{pchid:03X}")));
        // Consecutive virtual channels, as CHPIDs are.
        say("VCHID", channels.vchid.map(|vchid| format!("{:03X}", usize::from(vchid) + at)));
        say("PNETID", channels.pnetid.clone());
        say("TYPE", Some(channels.kind.name.to_owned()));
        write_statement(deck, "CHPID", &operands);
    }
}

/// Writes a control unit with `routes`, in each channel subsystem those that are there.
fn control_unit(
    what: &Description,
    number: u16,
    routes: &[BoxPath<'_>],
    addresses: &str,
    rest: &str,
    deck: &mut String,
) {
    let css: Vec<u8> = all_css(what)
        .into_iter()
        .filter(|css| routes.iter().any(|route| route.0.css.contains(css)))
        .collect();
    let list = |item: &dyn Fn(&BoxPath<'_>) -> String| {
        by_css(what, &css, |css| {
            let here = routes.iter().filter(|route| route.0.css.contains(&css)).map(item);
            here.collect::<Vec<_>>().join(",")
        })
    };
    let paths = list(&|route| format!("{:02X}", route.1));
    let has_links = routes.iter().any(|route| route.0.switch.is_some());
    let links = list(&|route| {
        if route.0.kind.two_byte_links {
            format!("{:02X}{:02X}", route.2, route.3)
        } else {
            format!("{:02X}", route.3)
        }
    });
    let links = if has_links { format!("LINK={links},") } else { String::new() };
    let operands = format!("CUNUMBR={number:04X},PATH={paths},{addresses}{links}{rest}");
    write_statement(deck, "CNTLUNIT", &operands);
}

fn storage(what: &Description, storage: &Storage, deck: &mut String) {
    let set = match alias_set(what.machine) {
        0 => String::new(),
        set => format!("SCHSET={set},"),
    };
    for image in 0..storage.count {
        let number = storage.number.wrapping_add(image.wrapping_mul(ADDRESSES));
        let rest = format!("CUADD={image:X},UNIT={}", storage.unit);
        let routes = routes(what, storage, usize::from(image));
        control_unit(what, number, &routes, &format!("UNITADD=((00,{ADDRESSES:03})),"), &rest, deck);
        let mut devices = |first: u16, count: u16, rest: &str| {
            let device = number.wrapping_add(first);
            let operands = format!(
                "ADDRESS=({device:04X},{count:03}),UNITADD={first:02X},CUNUMBR=({number:04X}),STADET=Y,{rest}"
            );
            write_statement(deck, "IODEVICE", &operands);
        };
        let base = if storage.aliases > 0 { "UNIT=3390B" } else { "UNIT=3390" };
        devices(0, storage.bases, base);
        if storage.aliases > 0 {
            devices(storage.bases, storage.aliases, &format!("{set}UNIT=3390A"));
        }
    }
}

/// Returns the paths of control unit `image`: of each director as many as there is room for, in turns where there are
/// more.
fn routes<'a>(what: &'a Description, storage: &Storage, image: usize) -> Vec<BoxPath<'a>> {
    let room = (PATHS_PER_CSS_MAX / storage.ports.len().max(1)).max(1);
    let mut all = Vec::new();
    for (switch, ports) in &storage.ports {
        let groups = what.channels.iter().filter(|one| one.switch == Some(*switch));
        let channels: Vec<(&Channels, u8)> =
            groups.flat_map(|one| one.chpids.numbers().map(move |chpid| (one, chpid))).collect();
        let count = room.min(channels.len());
        all.extend((0..count).map(|at| {
            let at = (image * count + at) % channels.len();
            let port = usize::from(ports.first) + at % ports.len();
            (channels[at].0, channels[at].1, *switch, u8::try_from(port).unwrap_or(ports.last))
        }));
    }
    all
}

/// Writes control unit and devices of channels that are adapters themselves.
fn adapters(what: &Description, channels: &Channels, deck: &mut String) {
    let (Some((number, count)), Some(adapter)) = (channels.devices, channels.adapter()) else { return };
    for (at, chpid) in (0u16..).zip(channels.chpids.numbers()) {
        let number = number.wrapping_add(at.wrapping_mul(ADDRESSES));
        let unit = format!("UNIT={}", adapter.unit);
        control_unit(what, number, &[(channels, chpid, 0, 0)], "", &unit, deck);
        let devices = format!(
            "ADDRESS=({number:04X},{count:03}),UNITADD=00,CUNUMBR=({number:04X}),UNIT={}",
            adapter.device
        );
        write_statement(deck, "IODEVICE", &devices);
        if adapter.has_diagnosis && count <= DIAGNOSIS {
            let device = number.wrapping_add(count);
            let operands =
                format!("ADDRESS={device:04X},UNITADD={DIAGNOSIS:02X},CUNUMBR=({number:04X}),UNIT=OSAD");
            write_statement(deck, "IODEVICE", &operands);
        }
    }
}

fn functions(functions: &Functions, deck: &mut String) {
    let mut operands = match functions.count {
        1 => format!("FID={:04X}", functions.fid),
        count => format!("FID=({:04X},{count:03})", functions.fid),
    };
    let mut say = |keyword: &str, value: Option<String>| {
        if let Some(value) = value {
            operands.push_str(&format!(",{keyword}={value}"));
        }
    };
    say("PCHID", functions.pchid.map(|pchid| format!("{pchid:03X}")));
    say("VCHID", functions.vchid.map(|vchid| format!("{vchid:03X}")));
    say("PORT", functions.port.map(|port| port.to_string()));
    say("VF", functions.vf.map(|vf| vf.to_string()));
    let part = functions.lpars.split_first().map(|(first, others)| {
        if others.is_empty() {
            format!("(({first}),(=))")
        } else {
            format!("(({first}),({}))", others.join(","))
        }
    });
    say("PART", part);
    say("TYPE", Some(functions.kind.clone()));
    say("PNETID", functions.pnetid.clone());
    write_statement(deck, "FUNCTION", &operands);
}
