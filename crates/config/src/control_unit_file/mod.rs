//! A control unit that serves volumes: `control-unit.toml` of `halftrack serve`, read and checked by itself.
//!
//! ```toml
//! name = "BOXA"
//! node = "50:05:07:63:00:00:00:01"
//!
//! [[port]]
//! id = "0030"
//! listen = "127.0.0.1:3225"
//! wwpn = "50:05:07:63:00:00:00:30"
//!
//! [[logical_control_unit]]
//! cuadd = "00"
//!
//! [[logical_control_unit.volume]]
//! unit_address = "00"
//! file = "work01.ckd"
//! aliases = "80-83"
//!
//! [[port]]
//! id = "0032"
//! protocol = "fcp"
//! listen = "127.0.0.1:3227"
//! wwpn = "50:05:07:63:00:00:00:32"
//!
//! [[lun]]
//! number = 0
//! file = "disk0.img"
//! hosts = ["50:05:07:64:00:00:00:42"]
//! ```

mod descriptor;
pub(crate) mod fcp;
mod lun;
mod port;
mod synchronous;
mod volume;

use std::sync::Arc;

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, read_document};
use halftrack_wire::WorldWideName;

use crate::channel_file::{image, world_wide_name};
use crate::link_access::{TlsEntry, read_tls};
use crate::place::{NAME_WORDS, control_unit_name};
use crate::unique::check_unique;

pub use descriptor::Descriptor;
pub use fcp::TargetTimeouts;
pub use lun::LunEntry;
pub use port::PortEntry;
pub use synchronous::SynchronousAdapterEntry;
pub use volume::{VolumeEntry, WriteMode};

/// IU-pacing value that a command response grants by default: four times the window before it, so that distance costs
/// little.
const IU_PACING_DEFAULT: u8 = 64;
/// Octets of a transport-mode write that may follow the command at once by default, KiB.
const FIRST_TRANSFER_DEFAULT_KIB: u32 = 64;
/// Most of them: the field of the login counts 4 KiB in 16 bits, and storage for them is held by every exchange.
const FIRST_TRANSFER_MAX_KIB: u32 = 1024;

/// A control-unit file by meaning.
#[derive(Debug, Clone)]
pub struct ControlUnitFile {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// Name of the box.
    pub name: String,
    /// World-wide name of the node.
    pub node: WorldWideName,
    /// Contents of its node descriptor.
    pub descriptor: Descriptor,
    /// IU-pacing value that command responses grant; 0 grants no change.
    pub iu_pacing: u8,
    /// Octets of a transport-mode write that may follow the command at once, a multiple of 4 KiB; 0 for none.
    pub first_transfer_bytes: u32,
    /// Certificates of its ports.
    pub tls: Option<TlsEntry>,
    /// Host-adapter ports, at least one.
    pub ports: Vec<PortEntry>,
    /// Adapters for synchronous I/O.
    pub synchronous_adapters: Vec<SynchronousAdapterEntry>,
    /// Logical control units; at least one, or a logical unit.
    pub logical_control_units: Vec<LogicalControlUnitEntry>,
    /// Logical units of FCP.
    pub luns: Vec<LunEntry>,
    /// Time-outs of the ports of FCP.
    pub fcp: TargetTimeouts,
}

/// One `[[logical_control_unit]]`.
#[derive(Debug, Clone)]
pub struct LogicalControlUnitEntry {
    /// Control-unit image: `CUADD=` of the deck.
    pub image: u8,
    /// Its volumes, at least one.
    pub volumes: Vec<VolumeEntry>,
}

/// Reads a control-unit file; the messages are about this file alone.
pub fn read_control_unit(source: &Arc<SourceFile>) -> (Option<ControlUnitFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let name = fields.required("name", Expect::parsed(NAME_WORDS, control_unit_name));
        let node = fields.required("node", world_wide_name());
        let descriptor = fields.optional_table("descriptor", descriptor::read_descriptor);
        let iu_pacing = fields.or("iu_pacing", Expect::integer(0..=u8::MAX), IU_PACING_DEFAULT);
        let first_transfer_kib =
            fields.or("first_transfer_kib", first_transfer(), FIRST_TRANSFER_DEFAULT_KIB);
        let tls = read_tls(fields);
        let ports = port::read_ports(fields, tls.is_some());
        let synchronous_adapters = synchronous::read_adapters(fields);
        let mut files = Vec::new();
        let logical_control_units = read_logical_control_units(fields, &mut files);
        let luns = lun::read_luns(fields, &ports, &mut files);
        let fcp = fcp::read_timeouts(fields);
        check_unique(fields, "volume file", files);
        need(fields, "port", "add a `[[port]]` with `id`, `listen` and `wwpn`");
        if !fields.has("lun") {
            need(fields, "logical_control_unit", "add a `[[logical_control_unit]]` with `cuadd` and volumes");
        }
        Some(ControlUnitFile {
            source: Arc::clone(fields.source()),
            name: name?.value,
            node: node?.value,
            descriptor: descriptor.unwrap_or_default(),
            iu_pacing,
            first_transfer_bytes: first_transfer_kib * 1024,
            tls,
            ports,
            synchronous_adapters,
            logical_control_units,
            luns,
            fcp,
        })
    })
}

fn first_transfer<'e>() -> Expect<'e, u32> {
    let number = Expect::<u32>::integer(0..=FIRST_TRANSFER_MAX_KIB);
    let words = format!("a multiple of 4 from 0 to {FIRST_TRANSFER_MAX_KIB}");
    Expect::new(words, move |value| number.take(value).filter(|kib| kib.is_multiple_of(4)))
}

fn read_logical_control_units(
    fields: &mut Fields<'_>,
    files: &mut Vec<Located<String>>,
) -> Vec<LogicalControlUnitEntry> {
    let mut images = Vec::new();
    let found = fields.tables("logical_control_unit", |unit| {
        let found = unit.required("cuadd", image());
        images.extend(found.clone().map(|image| Located::new(format!("{:02X}", image.value), image.span)));
        let volumes = volume::read_volumes(unit, files);
        need(unit, "volume", "add a `[[logical_control_unit.volume]]` with `unit_address` and `file`");
        Some(LogicalControlUnitEntry { image: found?.value, volumes })
    });
    check_unique(fields, "logical control unit", images);
    found
}

/// Reports that there is no table `key`.
fn need(fields: &Fields<'_>, key: &str, fix: &str) {
    if !fields.has(key) {
        let message = format!("no `[[{key}]]` in {}: expected at least one", fields.name());
        fields.error(numbers::MISSING_KEY, fields.span(), message, fix);
    }
}
