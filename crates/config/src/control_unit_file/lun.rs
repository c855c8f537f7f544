//! `[[lun]]`: a logical unit of FCP, and who sees it.

use std::ops::Range;
use std::path::PathBuf;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::WorldWideName;

use super::port::PortEntry;
use super::volume::{WriteMode, write_mode};
use crate::channel_file::world_wide_name;
use crate::place::{INTERFACE_WORDS, interface_id};
use crate::unique::check_unique;

/// Largest number with flat addressing.
const NUMBER_MAX: u32 = 16_383;

/// A logical unit.
#[derive(Debug, Clone)]
pub struct LunEntry {
    /// Logical unit number.
    pub number: u32,
    /// Its image, raw file or block device, as written.
    pub file: Located<PathBuf>,
    /// Durability of writes.
    pub write: WriteMode,
    /// Bytes of a block: 512 or 4096.
    pub block_bytes: u32,
    /// A raw file gives the space of unmapped blocks back.
    pub is_thin: bool,
    /// Interface ids of the ports at which it is seen; none: at all of FCP.
    pub ports: Option<Vec<String>>,
    /// Ports of hosts that see it; none: all hosts do.
    pub hosts: Option<Vec<WorldWideName>>,
    /// The whole table.
    pub span: Range<usize>,
}

/// Reads the logical units, which are behind `ports`; `files` collects their images.
pub(super) fn read_luns(
    fields: &mut Fields<'_>,
    ports: &[PortEntry],
    files: &mut Vec<Located<String>>,
) -> Vec<LunEntry> {
    let mut named = Vec::new();
    let luns = fields.tables("lun", |lun| {
        let number = lun.required("number", Expect::integer(0..=NUMBER_MAX));
        named.extend(number.clone().map(|number| Located::new(number.value.to_string(), number.span)));
        let file = lun.required("file", Expect::text());
        files.extend(file.clone());
        let write = lun.or("write", write_mode(), WriteMode::Sync);
        let blocks = Expect::<u32>::integer(512..=4096);
        let sizes = Expect::new("512 or 4096", move |value| {
            blocks.take(value).filter(|bytes| matches!(bytes, 512 | 4096))
        });
        let block_bytes = lun.or("block_bytes", sizes, 512);
        let is_thin = lun.or("thin", Expect::flag(), false);
        let at = lun.optional_list("ports", Expect::parsed(INTERFACE_WORDS, interface_id));
        let at = at.map(|at| check_ports(lun, at, ports));
        let hosts = lun.optional_list("hosts", world_wide_name());
        if let Some(hosts) = &hosts {
            let names = hosts.iter().map(|host| Located::new(host.value, host.span.clone()));
            check_unique(lun, "host", names);
        }
        let file = file.map(|file| Located::new(PathBuf::from(file.value), file.span));
        Some(LunEntry {
            number: number?.value,
            file: file?,
            write,
            block_bytes,
            is_thin,
            ports: at,
            hosts: hosts.map(|hosts| hosts.into_iter().map(|host| host.value).collect()),
            span: lun.span(),
        })
    });
    check_unique(fields, "LUN", named);
    if let Some(first) = luns.first().filter(|_| !ports.iter().any(|port| port.is_fcp)) {
        let message =
            "no port is of FCP, so that nobody sees the LUN: expected `protocol = \"fcp\"` at a port";
        let fix = "add `protocol = \"fcp\"` to a `[[port]]`, or take `[[lun]]` away";
        fields.error(numbers::LUN_WITHOUT_PORT, first.span.clone(), message, fix);
    }
    luns
}

/// Returns the ports at which a unit is seen, of FCP all of them.
fn check_ports(lun: &Fields<'_>, at: Vec<Located<String>>, ports: &[PortEntry]) -> Vec<String> {
    let of_fcp: Vec<_> = ports.iter().filter(|port| port.is_fcp).map(|port| port.id.as_str()).collect();
    for id in &at {
        let message = match ports.iter().find(|port| port.id == id.value) {
            Some(port) if port.is_fcp => continue,
            Some(_) => format!("port {} is of FICON, which has no LUNs: expected a port of FCP", id.value),
            None => format!("no port {} in the file: expected a port of FCP", id.value),
        };
        let fix = if of_fcp.is_empty() {
            "add `protocol = \"fcp\"` to a port".to_owned()
        } else {
            format!("name one of the ports of FCP: {}", of_fcp.join(", "))
        };
        lun.error(numbers::LUN_WITHOUT_PORT, id.span.clone(), message, fix);
    }
    at.into_iter().map(|id| id.value).collect()
}
