//! `[[stream]]` of a channel file: the keys of a workload's stream, with unit addresses for devices and the cylinders
//! that it goes to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Expect, Fields, Located};

use super::CylinderRange;
use super::fcp::{self, FcpStream};
use super::synchronous::{Synchronous, read_synchronous};
use crate::configuration::{Arrivals, Stream};
use crate::unique::check_unique;
use crate::unit_range::UnitRange;
use crate::workload_file::{ALL_PPM, StreamKeys, read_arrivals, read_stream_keys};

/// One stream of FICON of the driver.
#[derive(Debug, Clone)]
pub struct DriveStream {
    /// I/Os that it requests. Its devices are unit addresses of bases; it runs in no partition.
    pub stream: Stream,
    /// Cylinders that it goes to; all behind cylinder 0 by default.
    pub cylinders: Option<CylinderRange>,
    /// I/Os that go over zHyperLink first.
    pub synchronous: Synchronous,
    /// Place of `cylinders` in the file, or the whole table.
    pub span: Range<usize>,
}

impl DriveStream {
    /// Returns the stream with these keys, to devices of these unit addresses; `table` is its place in the file.
    pub(crate) fn of_keys<D>(
        keys: StreamKeys<D, Arrivals>,
        devices: BTreeSet<u32>,
        cylinders: Option<Located<CylinderRange>>,
        synchronous: Synchronous,
        table: Range<usize>,
    ) -> Self {
        let span = cylinders.as_ref().map_or(table, |found| found.span.clone());
        Self {
            stream: Stream {
                name: keys.name.value,
                lpar: 0,
                devices: devices.into_iter().collect(),
                selection: keys.selection,
                read: keys.read.value,
                write: keys.write.value,
                read_ppm: keys.read_ppm,
                hit_ppm: ALL_PPM,
                hit_ppm_of_device: Vec::new(),
                locality: None,
                synchronous: None,
                compression: None,
                protocol: keys.protocol.value,
                arrivals: keys.arrivals,
            },
            cylinders: cylinders.map(|found| found.value),
            synchronous,
            span,
        }
    }
}

pub(super) fn read_streams(
    fields: &mut Fields<'_>,
    aliases: &BTreeMap<u8, u8>,
    has_links: bool,
) -> (Vec<DriveStream>, Vec<FcpStream>) {
    let (mut names, mut of_fcp) = (Vec::new(), Vec::new());
    let streams = fields.tables("stream", |stream| {
        if fcp::is_fcp(stream) {
            of_fcp.extend(fcp::read_stream(stream, &mut names));
            return None;
        }
        let words = CylinderRange::WORDS;
        let cylinders = stream.optional("cylinders", Expect::parsed(words, CylinderRange::parse));
        let units = Expect::parsed(UnitRange::WORDS, UnitRange::parse);
        let wished = stream.optional("synchronous", Synchronous::expect());
        let keys = read_stream_keys(stream, &mut names, units, read_arrivals)?;
        let mut devices = BTreeSet::new();
        for range in &keys.devices {
            let alias = range.value.addresses().find(|address| aliases.contains_key(address));
            if let Some(alias) = alias {
                let message = format!("{alias:02X} is an alias; streams name the bases");
                let fix = "name the base: its aliases are used when it is busy";
                stream.error(numbers::NOT_A_BASE, range.span.clone(), message, fix);
            }
            devices.extend(range.value.addresses().map(u32::from));
        }
        let synchronous = read_synchronous(stream, wished, has_links, [&keys.read, &keys.write]);
        Some(DriveStream::of_keys(keys, devices, cylinders, synchronous, stream.span()))
    });
    check_unique(fields, "stream", names);
    (streams, of_fcp)
}
