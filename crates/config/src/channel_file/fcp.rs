//! Streams of a channel of FCP: `protocol = "fcp"`, with LUNs for devices; and `[fcp]`, its time-outs.

use std::collections::BTreeSet;
use std::ops::Range;

use halftrack_base::Span;
use halftrack_input::messages::{study as numbers, toml_file as toml_numbers};
use halftrack_input::{Expect, Fields, Located};
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape};
use halftrack_wire::timers::{COMMAND_TIMEOUT, RECOVERY_TIMEOUT, RESOURCE_ALLOCATION_TIMEOUT};

use super::ChannelPathEntry;
use crate::configuration::{Arrivals, ProtocolChoice, Selection, Stream};
use crate::control_unit_file::fcp::milliseconds;
use crate::workload_file::{ALL_PPM, read_arrivals};

/// Largest LUN of a stream: the numbers of mismatches have one octet. Our choice.
const LUN_MAX: u32 = 255;
/// Most bytes of one command: what the target takes at a time.
const BLOCK_MAX_BYTES: u32 = 8 << 20;
/// Bytes of the smallest block of a logical unit.
const BLOCK_MIN_BYTES: u32 = 512;
/// Time without a frame after which a path is tested, and time in which the test is to be answered.
const PROBE_DEFAULT_MS: u64 = 500;
const PATH_TIMEOUT_DEFAULT_MS: u64 = 1000;

/// Order of the blocks of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockOrder {
    /// At random.
    Random,
    /// One after the other, from the first to the last and again.
    Sequential,
}

/// One stream of FCP.
#[derive(Debug, Clone)]
pub struct FcpStream {
    /// I/Os that it requests. Its devices are LUNs; it runs in no partition.
    pub stream: Stream,
    /// Bytes of an I/O, a multiple of 512.
    pub block_bytes: u32,
    /// Order of its I/Os.
    pub order: BlockOrder,
    /// Logical blocks that it goes to, first and last; all by default.
    pub blocks: Option<(u32, u32)>,
    /// Virtual port of the paths whose logins it uses; the physical one when there is none.
    pub virtual_port: Option<Located<String>>,
    /// Place of `blocks` in the file, or the whole table.
    pub span: Range<usize>,
}

/// Time-outs of an initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitiatorTimeouts {
    /// Time without activity after which the state of an exchange is requested (REC_TOV).
    pub recovery: Span,
    /// Time without activity after which a command is aborted where no recovery was agreed.
    pub command: Span,
    /// Time in which ABTS is to be answered.
    pub abort: Span,
    /// Time without a frame after which a path with open exchanges is tested.
    pub probe: Span,
    /// Time in which the test is to be answered, when another path works.
    pub path: Span,
}

/// Streams and time-outs of a channel of FCP.
#[derive(Debug, Clone)]
pub struct FcpChannel {
    /// The streams, at least one.
    pub streams: Vec<FcpStream>,
    /// Time-outs.
    pub timeouts: InitiatorTimeouts,
}

/// Returns whether a stream is of FCP.
pub(super) fn is_fcp(stream: &mut Fields<'_>) -> bool {
    let found =
        stream.optional("protocol", Expect::new("a protocol", |value| Some(value.as_str() == Some("fcp"))));
    found.is_some_and(|found| found.value)
}

pub(super) fn read_timeouts(fields: &mut Fields<'_>) -> InitiatorTimeouts {
    let read = |fcp: &mut Fields<'_>| InitiatorTimeouts {
        recovery: milliseconds(fcp, "rec_tov_ms", RECOVERY_TIMEOUT),
        command: milliseconds(fcp, "command_timeout_ms", COMMAND_TIMEOUT),
        abort: milliseconds(
            fcp,
            "abort_timeout_ms",
            RESOURCE_ALLOCATION_TIMEOUT + RESOURCE_ALLOCATION_TIMEOUT,
        ),
        probe: milliseconds(fcp, "probe_ms", Span::from_ms(PROBE_DEFAULT_MS)),
        path: milliseconds(fcp, "path_timeout_ms", Span::from_ms(PATH_TIMEOUT_DEFAULT_MS)),
    };
    let found = fields.optional_table("fcp", |fcp| Some(read(fcp)));
    found.unwrap_or(InitiatorTimeouts {
        recovery: RECOVERY_TIMEOUT,
        command: COMMAND_TIMEOUT,
        abort: RESOURCE_ALLOCATION_TIMEOUT + RESOURCE_ALLOCATION_TIMEOUT,
        probe: Span::from_ms(PROBE_DEFAULT_MS),
        path: Span::from_ms(PATH_TIMEOUT_DEFAULT_MS),
    })
}

/// Reads a stream of FCP.
pub(super) fn read_stream(stream: &mut Fields<'_>, names: &mut Vec<Located<String>>) -> Option<FcpStream> {
    let name = stream.required("name", Expect::text());
    names.extend(name.clone());
    let words = format!("a LUN from 0 to {LUN_MAX}");
    let number = Expect::<u32>::integer(0..=LUN_MAX);
    let luns = stream.list("luns", Expect::new(words, move |value| number.take(value)));
    let block_bytes = stream.required("block", block_size());
    let order = [("random", BlockOrder::Random), ("sequential", BlockOrder::Sequential)];
    let order = stream.or("order", Expect::one_of(order), BlockOrder::Random);
    let range = Expect::parsed("blocks such as \"0-99999\"", block_range);
    let blocks = stream.optional("blocks", range);
    let virtual_port = stream.optional("virtual_port", Expect::text());
    let read_share = stream.or("read_share", Expect::number(0.0..=1.0), 1.0);
    let arrivals = read_arrivals(stream);
    let span = blocks.as_ref().map_or_else(|| stream.span(), |found| found.span.clone());
    let luns: BTreeSet<u32> = luns?.into_iter().map(|lun| lun.value).collect();
    Some(FcpStream {
        stream: of_luns(name?.value, luns, (read_share * f64::from(ALL_PPM)).round() as u32, arrivals?),
        block_bytes: block_bytes?.value,
        order,
        blocks: blocks.map(|found| found.value),
        virtual_port,
        span,
    })
}

/// Returns the I/Os of a stream over LUNs, whose programs count for nothing.
fn of_luns(name: String, luns: BTreeSet<u32>, read_ppm: u32, arrivals: Arrivals) -> Stream {
    let shape = |operation| ProgramShape {
        operation,
        record_bytes: BLOCK_MIN_BYTES as u16,
        records: 1,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    };
    Stream {
        name,
        lpar: 0,
        devices: luns.into_iter().collect(),
        selection: Selection::Uniform,
        read: shape(Operation::Read),
        write: shape(Operation::UpdateWrite),
        read_ppm,
        hit_ppm: ALL_PPM,
        hit_ppm_of_device: Vec::new(),
        locality: None,
        synchronous: None,
        compression: None,
        protocol: ProtocolChoice::Eligible,
        arrivals,
    }
}

/// Returns an expectation of the bytes of an I/O.
fn block_size<'e>() -> Expect<'e, u32> {
    let words = "bytes of an I/O, a multiple of 512 up to 8 MiB, such as \"4K\", \"128K\" or \"512\"";
    Expect::parsed(words, |text| {
        let (digits, unit) = match text.strip_suffix('K') {
            Some(digits) => (digits, 1024),
            None => match text.strip_suffix('M') {
                Some(digits) => (digits, 1024 * 1024),
                None => (text, 1),
            },
        };
        let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let bytes = is_decimal.then(|| digits.parse::<u32>().ok()?.checked_mul(unit)).flatten()?;
        (bytes > 0 && bytes.is_multiple_of(BLOCK_MIN_BYTES) && bytes <= BLOCK_MAX_BYTES).then_some(bytes)
    })
}

fn block_range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let decimal = |text: &str| {
        let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_decimal.then(|| text.parse::<u32>().ok()).flatten()
    };
    let (first, last) = (decimal(first)?, decimal(last)?);
    (first <= last).then_some((first, last))
}

/// Reports virtual ports of streams that a path does not have, and those of a channel of FICON.
pub(super) fn check_virtual_ports(fields: &Fields<'_>, channel: &FcpChannel, paths: &[ChannelPathEntry]) {
    let has_some = |path: &&ChannelPathEntry| !path.virtual_ports.is_empty();
    if let (true, Some(path)) = (channel.streams.is_empty(), paths.iter().find(has_some)) {
        let message = "`[[path.virtual_port]]` is about FCP, and the streams go to devices over FICON";
        let fix = "take `[[path.virtual_port]]` away";
        fields.error(toml_numbers::CHOOSE_ONE, path.span.clone(), message, fix);
    }
    for named in channel.streams.iter().filter_map(|stream| stream.virtual_port.as_ref()) {
        let is_there =
            |path: &&ChannelPathEntry| path.virtual_ports.iter().any(|port| port.name == named.value);
        if let Some(path) = paths.iter().find(|path| !is_there(path)) {
            let message = format!("no virtual port {} on path {:02X}", named.value, path.chpid);
            let fix = format!("add a `[[path.virtual_port]]` with this name to path {:02X}", path.chpid);
            fields.error(numbers::NO_VIRTUAL_PORT, named.span.clone(), message, fix);
        }
    }
}

/// Reports streams of both protocols, and tables that a channel of FCP does not have.
pub(super) fn check(fields: &Fields<'_>, channel: &FcpChannel, has_ficon: bool) {
    let Some(first) = channel.streams.first() else { return };
    if has_ficon {
        let message = "some streams are of FCP and others of FICON: expected one protocol in a file";
        let fix = "put the streams with `protocol = \"fcp\"` into a file of their own, with their own paths";
        fields.error(numbers::MIXED_PROTOCOLS, first.span.clone(), message, fix);
    }
    for key in ["alias", "zhyperlink"] {
        if fields.has(key) {
            let message = format!("`[[{key}]]` is about devices, and the streams go to LUNs over FCP");
            let fix = format!("take `[[{key}]]` away");
            fields.error(toml_numbers::CHOOSE_ONE, first.span.clone(), message, fix);
        }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_input::{SourceFile, read_document};

    use super::*;

    fn read(text: &str) -> (Option<FcpStream>, String) {
        let source = SourceFile::new("channel.toml", text);
        let (stream, found) = read_document(&source, |fields| read_stream(fields, &mut Vec::new()));
        (stream, found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_stream_goes_to_blocks_of_luns() {
        let text = "name = \"a\"\nluns = [3, 1]\nblock = \"128K\"\norder = \"sequential\"\nblocks = \"8-99\"\n\
                    read_share = 0.25\nclosed = { jobs = 4 }\n";
        let (stream, found) = read(text);
        assert!(found.is_empty() || found.contains("protocol"), "{found}");
        let stream = stream.unwrap();
        assert_eq!((stream.stream.devices, stream.stream.read_ppm), (vec![1, 3], 250_000));
        assert_eq!((stream.block_bytes, stream.order), (131_072, BlockOrder::Sequential));
        assert_eq!(stream.blocks, Some((8, 99)));
    }

    #[test]
    fn sizes_and_ranges_are_checked() {
        for wrong in ["\"0\"", "\"4k\"", "\"513\"", "\"9M\"", "4096", "\"\"", "\"K\""] {
            let (stream, found) =
                read(&format!("name = \"a\"\nluns = [0]\nblock = {wrong}\nclosed = {{ jobs = 1 }}\n"));
            assert!(stream.is_none() && found.contains("`block` is"), "{wrong}: {found}");
        }
        for wrong in ["", "5-4", "-", "1-", "x"] {
            assert_eq!(block_range(wrong), None, "{wrong}");
        }
        assert_eq!(block_range("7"), Some((7, 7)));
    }
}
