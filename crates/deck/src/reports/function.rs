//! PCIe functions of each channel subsystem, with the partitions that hold them.

use super::table::Table;
use super::{images, networks};
use crate::model::selection::Selection;
use crate::model::{Adapter, Function};

/// Writes a table for each channel subsystem, and one for functions that no partition holds or may hold.
pub(super) fn report(selection: &Selection<'_>) -> String {
    let deck = selection.deck;
    let mut functions: Vec<&Function> = selection.functions().collect();
    functions.sort_by_key(|function| function.fid.value);
    let mut text = String::new();
    for css in images::all_css(deck) {
        let mut table = Table::new(NAMES.map(str::to_owned).into_iter().chain(images::names()));
        for function in functions.iter().filter(|function| holders(function).any(|(of, _)| *of == css)) {
            let access: Vec<(u8, String)> = function.access.iter().cloned().collect();
            let cells = images::cells(deck, css, &access, &function.candidates);
            for step in 0..function.count {
                let mut row = fields(selection, function, step);
                row.extend(cells.clone());
                table.add(row);
            }
        }
        if !table.is_empty() {
            text += &format!("\nCSS {css}   {}{}\n", images::legend(deck, css), unique(selection, css));
            text += &table.text();
        }
    }
    let mut nobody = Table::new(NAMES);
    for function in functions.into_iter().filter(|function| holders(function).next().is_none()) {
        (0..function.count).for_each(|step| nobody.add(fields(selection, function, step)));
    }
    if !nobody.is_empty() {
        text += &format!("\nIn no partition\n{}", nobody.text());
    }
    text
}

const NAMES: [&str; 8] = ["FID", "PCHID", "PORT", "VF", "TYPE", "UID", "PARM", "PNETID"];

fn holders(function: &Function) -> impl Iterator<Item = &(u8, String)> {
    function.access.iter().chain(&function.candidates)
}

/// Returns the partitions of `css` in which UIDs are unique.
fn unique(selection: &Selection<'_>, css: u8) -> String {
    let names = selection.deck.uuid.iter().filter(|(of, _)| *of == css).map(|(_, name)| name.as_str());
    let names: Vec<&str> = names.collect();
    if names.is_empty() { String::new() } else { format!("   UUID {}", names.join(" ")) }
}

/// Formats the function number `step` of the statement. `*` behind a UID: it must be unique in the partition that has
/// it.
fn fields(selection: &Selection<'_>, function: &Function, step: u16) -> Vec<String> {
    let dash = || "-".to_owned();
    let checked = function.access.as_ref().is_some_and(|holder| selection.deck.uuid.contains(holder));
    let mark = if checked { "*" } else { "" };
    vec![
        format!("{:04X}", function.fid.value.saturating_add(step)),
        function.adapter.as_ref().map_or_else(dash, |adapter| match adapter.value {
            Adapter::Pchid(number) | Adapter::Vchid(number) => format!("{number:03X}"),
        }),
        function.port.map_or_else(dash, |port| port.to_string()),
        match &function.vf {
            Some(vf) => vf.value.saturating_add(step).to_string(),
            None if function.pf => "PF".to_owned(),
            None => dash(),
        },
        function.kind.as_ref().map_or_else(dash, |kind| kind.value.clone()),
        function
            .uid
            .as_ref()
            .map_or_else(dash, |uid| format!("{:04X}{mark}", uid.value.saturating_add(step))),
        function.fidparm.map_or_else(dash, |parameter| format!("{parameter:02X}")),
        if function.pnetids.is_empty() { dash() } else { networks(&function.pnetids) },
    ]
}
