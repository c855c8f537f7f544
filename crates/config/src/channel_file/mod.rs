//! A channel with its I/O driver: `channel.toml` of `halftrack drive`, read and checked by itself.
//!
//! ```toml
//! name = "PROD1"
//! node = "50:05:07:64:00:00:00:01"
//! cuadd = "00"
//!
//! [[path]]
//! chpid = "40"
//! connect = "127.0.0.1:3225"
//! wwpn = "50:05:07:64:00:00:00:40"
//!
//! [run]
//! duration_s = 10
//!
//! [[stream]]
//! name = "oltp"
//! devices = ["00-7F"]
//! program = { block = "4K" }
//! closed = { jobs = 128 }
//! ```

mod cylinder_range;
mod fcp;
mod path;
mod run;
mod stream;
mod synchronous;

use std::collections::BTreeMap;
use std::sync::Arc;

use halftrack_input::messages::{study as numbers, toml_file as toml_numbers};
use halftrack_input::{Diagnostic, Expect, Fields, Located, SourceFile, read_document};
use halftrack_wire::WorldWideName;

use crate::link_access::{TlsEntry, read_tls};
use crate::place::hex;
use crate::unique::check_unique;
use crate::unit_range::UnitRange;

pub use cylinder_range::CylinderRange;
pub use fcp::{BlockOrder, FcpChannel, FcpStream, InitiatorTimeouts};
pub use path::{ChannelPathEntry, VirtualPortEntry};
pub(crate) use run::read_keys as read_run_keys;
pub use run::{Contents, DriveRun};
pub use stream::DriveStream;
pub use synchronous::{Synchronous, SynchronousLinkEntry, TIMEOUT_DEFAULT_US};

/// Most paths of a path group.
const PATHS_MAX: usize = 8;
/// Words of a world-wide name.
pub(crate) const NAME_WORDS: &str = "a world-wide name such as \"50:05:07:64:00:00:00:40\"";

/// A channel file by meaning.
#[derive(Debug, Clone)]
pub struct ChannelFile {
    /// The text that the spans point into.
    pub source: Arc<SourceFile>,
    /// Name of the host, as captures and the control unit's log have it.
    pub name: String,
    /// World-wide name of the node.
    pub node: WorldWideName,
    /// Channel-image id, which the logical paths bear.
    pub channel_image: u8,
    /// Control-unit-image id (`CUADD=`) that the I/O goes to.
    pub control_unit_image: u8,
    /// Certificates of its ports.
    pub tls: Option<TlsEntry>,
    /// Channel paths, 1 to 8, in the order of the path group.
    pub paths: Vec<ChannelPathEntry>,
    /// Links for synchronous I/O.
    pub synchronous_links: Vec<SynchronousLinkEntry>,
    /// Whether the host puts its paths into a path group.
    pub path_group: bool,
    /// Base of each alias address.
    pub aliases: BTreeMap<u8, u8>,
    /// How long to run, and what the records hold.
    pub run: DriveRun,
    /// The streams of FICON; at least one, unless the channel is of FCP.
    pub streams: Vec<DriveStream>,
    /// Streams of FCP, when the channel is of it.
    pub fcp: Option<FcpChannel>,
}

/// Reads a channel file; the messages are about this file alone.
pub fn read_channel(source: &Arc<SourceFile>) -> (Option<ChannelFile>, Vec<Diagnostic>) {
    read_document(source, |fields| {
        let name = fields.required("name", Expect::text());
        let node = fields.required("node", world_wide_name());
        let channel_image = fields.or("channel_image", image(), 1);
        let control_unit_image = fields.or("cuadd", image(), 0);
        let path_group = fields.or("path_group", Expect::flag(), true);
        let tls = read_tls(fields);
        let paths = path::read_paths(fields, tls.is_some());
        let synchronous_links = synchronous::read_links(fields, path_group);
        let aliases = read_aliases(fields);
        let run = run::read_run(fields);
        let (streams, of_fcp) = stream::read_streams(fields, &aliases, !synchronous_links.is_empty());
        let fcp = FcpChannel { streams: of_fcp, timeouts: fcp::read_timeouts(fields) };
        fcp::check(fields, &fcp, !streams.is_empty());
        fcp::check_virtual_ports(fields, &fcp, &paths);
        if !fields.has("stream") {
            let message = "no `[[stream]]`: expected at least one stream of I/Os";
            let fix = "add a `[[stream]]` with `name`, `devices`, `program` and `closed` or `open`";
            fields.error(toml_numbers::MISSING_KEY, fields.span(), message, fix);
        }
        check_paths(fields, &paths);
        let source = Arc::clone(fields.source());
        Some(ChannelFile {
            source,
            name: name?.value,
            node: node?.value,
            channel_image,
            control_unit_image,
            path_group,
            tls,
            paths,
            synchronous_links,
            aliases,
            run,
            streams,
            fcp: (!fcp.streams.is_empty()).then_some(fcp),
        })
    })
}

/// Returns a world-wide name.
pub(crate) fn world_wide_name<'e>() -> Expect<'e, WorldWideName> {
    Expect::parsed(NAME_WORDS, |text| text.parse().ok())
}

/// Returns a control-unit-image id, as `CUADD=` has it: two hexadecimal digits. A number without quotes is not taken:
/// 10 would be another image than "10".
pub(crate) fn image<'e>() -> Expect<'e, u8> {
    let digits = Expect::parsed("two hexadecimal digits in quotes such as \"0A\"", |text| {
        hex(text, 2).map(|image| image as u8)
    });
    let number = Expect::<u8>::integer(0..=u8::MAX);
    digits.or_fix(move |value| {
        value.as_integer()?;
        Some(match number.take(value) {
            Some(image @ 0..10) => format!("write it in quotes as two hexadecimal digits: \"{image:02X}\""),
            Some(image) => {
                format!("write it in quotes as two hexadecimal digits: \"{image:02X}\" for decimal {image}")
            }
            None => "write it in quotes as two hexadecimal digits from \"00\" to \"FF\"".to_owned(),
        })
    })
}

fn check_paths(fields: &Fields<'_>, paths: &[ChannelPathEntry]) {
    if !fields.has("path") {
        let message = "no `[[path]]`: expected at least one channel path";
        let fix = "add a `[[path]]` with `chpid`, `connect` and `wwpn`";
        fields.error(toml_numbers::MISSING_KEY, fields.span(), message, fix);
    }
    if let Some(ninth) = paths.get(PATHS_MAX) {
        let message = format!("{} paths: a path group has at most {PATHS_MAX}", paths.len());
        fields.error(numbers::TOO_MANY_PATHS, ninth.span.clone(), message, "take some `[[path]]` away");
    }
}

/// Reads `[[alias]]`: addresses over which I/O to a base goes when the base is busy.
fn read_aliases(fields: &mut Fields<'_>) -> BTreeMap<u8, u8> {
    let mut named = Vec::new();
    let mut bases = BTreeMap::new();
    fields.tables("alias", |alias| {
        let unit =
            Expect::parsed("a unit address such as \"00\"", |text| hex(text, 2).map(|unit| unit as u8));
        let base = alias.required("base", unit);
        let addresses = alias.list("addresses", Expect::parsed(UnitRange::WORDS, UnitRange::parse));
        let base = base?;
        for range in addresses? {
            for address in range.value.addresses() {
                named.push(Located::new(format!("{address:02X}"), range.span.clone()));
                bases.insert(address, base.clone());
            }
        }
        Some(())
    });
    check_unique(fields, "alias", named);
    for (address, base) in &bases {
        if bases.contains_key(&base.value) {
            let message = format!("{:02X} is the base of {address:02X} and itself an alias", base.value);
            let fix = "name the address of a volume as `base`";
            fields.error(numbers::NOT_A_BASE, base.span.clone(), message, fix);
        }
    }
    bases.into_iter().map(|(address, base)| (address, base.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_two_hexadecimal_digits_in_quotes() {
        let read = |cuadd: &str| {
            let source = SourceFile::new("channel.toml", format!("cuadd = {cuadd}\n"));
            let mut taken = None;
            let (_, found) = read_document(&source, |fields| {
                taken = fields.optional("cuadd", image()).map(|image| image.value);
                Some(())
            });
            (taken, found.iter().map(ToString::to_string).collect::<String>())
        };
        assert_eq!(read("\"10\""), (Some(0x10), String::new()));
        assert_eq!(read("\"0a\""), (Some(0x0A), String::new()));
        let quotes = "write it in quotes as two hexadecimal digits";
        for (number, fix) in [
            ("7", format!("{quotes}: \"07\"")),
            ("10", format!("{quotes}: \"0A\" for decimal 10")),
            ("0xFF", format!("{quotes}: \"FF\" for decimal 255")),
            ("256", format!("{quotes} from \"00\" to \"FF\"")),
            ("-1", format!("{quotes} from \"00\" to \"FF\"")),
        ] {
            let expected =
                format!("`cuadd` is {number}: expected two hexadecimal digits in quotes such as \"0A\"");
            let (taken, message) = read(number);
            assert!(taken.is_none() && message.contains(&expected), "{message}");
            assert!(message.trim_end().ends_with(&format!("fix: {fix}")), "{message}");
        }
        for wrong in ["\"0\"", "\"100\"", "\"+1\"", "true"] {
            let (taken, message) = read(wrong);
            assert!(taken.is_none() && !message.contains("fix:"), "{message}");
        }
    }
}
