//! `plant.toml` of a study.

use std::fmt::Write;

use crate::header::header;
use crate::layout::Layout;
use crate::storage::adapter;

/// Returns the plant.
pub fn plant_text(layout: &Layout<'_>) -> String {
    let request = &layout.request;
    let words = format!(
        "{} cards in {} domains of {} fanouts; every cable is {} km long; {} boxes, to which each channel has a \
         host-adapter port of its own.",
        layout.cards.len(),
        layout.interconnects.domains,
        layout.interconnects.fanouts(),
        request.km,
        layout.storage.boxes.len()
    );
    let mut plant = header(layout, '#', &words);
    let _ = writeln!(plant, "[cpc]\nmodel = \"{}\"", layout.equipment.cpc_id);
    partitions(layout, &mut plant);
    interconnects(layout, &mut plant);
    cards(layout, &mut plant);
    for id in &layout.channels.directors {
        let _ =
            writeln!(plant, "\n[[director]]\nid = \"{id:02X}\"\ntype = \"{}\"", layout.equipment.director_id);
    }
    boxes(layout, &mut plant);
    plant
}

fn partitions(layout: &Layout<'_>, plant: &mut String) {
    let choice = |yes: bool| if yes { "YES" } else { "NO" };
    let (zhpf, hyperpav) = (choice(layout.equipment.transport), choice(layout.request.aliases > 0));
    for one in &layout.partitions {
        let _ = writeln!(
            plant,
            "\n[[lpar]]\nname = \"{}\"\ncps = {}\nzhpf = \"{zhpf}\"\nhyperpav = \"{hyperpav}\"",
            one.name, layout.cps
        );
    }
}

fn interconnects(layout: &Layout<'_>, plant: &mut String) {
    let interconnects = &layout.interconnects;
    for fanout in 0..interconnects.fanouts() {
        let _ = writeln!(plant, "\n[[fanout]]\nname = \"F{fanout:02}\"");
    }
    for domain in 0..interconnects.domains {
        let _ = writeln!(plant, "\n[[domain]]\nname = \"D{domain:02}\"");
        if let Some(fanout) = interconnects.fanout_of(domain) {
            let _ = writeln!(plant, "fanout = \"F{fanout:02}\"");
        }
        if let Some(standby) = interconnects.standby_of(domain) {
            let _ = writeln!(plant, "standby = \"D{standby:02}\"");
        }
    }
}

fn cards(layout: &Layout<'_>, plant: &mut String) {
    let (key, keys, digits) =
        if layout.equipment.iocp.has_pchids() { ("pchid", "pchids", 3) } else { ("chpid", "chpids", 2) };
    let km = layout.request.km;
    for card in &layout.cards {
        let ports =
            (0..card.channels.len()).map(|port| format!("\"{:0digits$X}\"", layout.pchid(card, port)));
        let ports = ports.collect::<Vec<_>>().join(", ");
        let _ = writeln!(plant, "\n[[card]]\ntype = \"{}\"\n{keys} = [{ports}]", layout.equipment.card_id);
        if let Some(domain) = card.domain {
            let _ = writeln!(plant, "domain = \"D{domain:02}\"");
        }
        for (port, at) in card.channels.iter().enumerate() {
            let (number, channel) = (layout.pchid(card, port), &layout.channels.all[*at]);
            let _ = writeln!(
                plant,
                "\n[[cable]]\n{key} = \"{number:0digits$X}\"\nto = \"{:02X}.{:02X}\"\nkm = {km}",
                channel.director, channel.port
            );
        }
    }
}

fn boxes(layout: &Layout<'_>, plant: &mut String) {
    let km = layout.request.km;
    for one in &layout.storage.boxes {
        let _ = writeln!(
            plant,
            "\n[[control_unit]]\nname = \"{}\"\ntype = \"{}\"",
            one.name, layout.equipment.box_id
        );
        for (port, at) in one.channels.iter().enumerate() {
            let (id, channel) = (adapter(port), &layout.channels.all[*at]);
            let _ = writeln!(
                plant,
                "\n[[control_unit.port]]\nid = \"{id:04X}\"\nto = \"{:02X}.{:02X}\"\nkm = {km}",
                channel.director, channel.adapter_port
            );
        }
    }
}
