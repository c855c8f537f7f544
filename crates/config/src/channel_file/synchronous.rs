//! `[[zhyperlink]]` of a host, a link for synchronous I/O, and `synchronous` of a stream: the I/Os that go over it first.

use std::path::PathBuf;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Diagnostic, Expect, Fields, Located, Severity};
use halftrack_program::ProgramShape;
use halftrack_wire::synchronous::{ALIGNMENT, DATA_MAX, FUNCTIONS_MAX};

use crate::unique::check_unique;

/// Time-out of a request by default, us: five times what a 4 KiB read takes over a real link.
pub const TIMEOUT_DEFAULT_US: u64 = 100;
/// Longest time-out, us: the processor waits.
const TIMEOUT_MAX_US: u64 = 10_000;
/// Functions that a host has by default.
const FUNCTIONS_DEFAULT: u8 = 4;
/// Longest cable, m (zHyperLink reference, A1).
const METRES_MAX: f64 = 150.0;
/// Most links of a machine: eight adapters of two ports (zHyperLink reference, A1).
const LINKS_MAX: usize = 16;

/// I/Os of a stream that are synchronous first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// None.
    #[default]
    None,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes.
    All,
}

/// One link for synchronous I/O.
#[derive(Debug, Clone)]
pub struct SynchronousLinkEntry {
    /// Socket of the control unit, as written.
    pub socket: Located<PathBuf>,
    /// Functions that the host would have.
    pub functions: u8,
    /// Time-out of a request, us.
    pub timeout_us: u64,
    /// Length of the cable that is simulated, m.
    pub metres: f64,
}

impl Synchronous {
    /// Returns whether the reads, or writes, are synchronous first.
    #[must_use]
    pub fn covers(self, writes: bool) -> bool {
        match self {
            Self::None => false,
            Self::Read => !writes,
            Self::Write => writes,
            Self::All => true,
        }
    }

    pub(super) fn expect<'e>() -> Expect<'e, Self> {
        let words = [("none", Self::None), ("read", Self::Read), ("write", Self::Write), ("all", Self::All)];
        Expect::one_of(words)
    }
}

pub(super) fn read_links(fields: &mut Fields<'_>, has_path_group: bool) -> Vec<SynchronousLinkEntry> {
    let (mut sockets, mut spans) = (Vec::new(), Vec::new());
    let links = fields.tables("zhyperlink", |link| {
        spans.push(link.span());
        let socket = link.required("socket", Expect::text());
        sockets.extend(socket.clone());
        let functions = link.or("functions", Expect::integer(1..=FUNCTIONS_MAX), FUNCTIONS_DEFAULT);
        let timeout_us = link.or("timeout_us", Expect::integer(1..=TIMEOUT_MAX_US), TIMEOUT_DEFAULT_US);
        let metres = link.or("metres", metres(), 0.0);
        let socket = socket.map(|socket| Located::new(PathBuf::from(socket.value), socket.span));
        Some(SynchronousLinkEntry { socket: socket?, functions, timeout_us, metres })
    });
    check_unique(fields, "socket", sockets);
    if let Some(span) = spans.get(LINKS_MAX) {
        let message = format!("{} zHyperLinks: a machine has at most {LINKS_MAX}", spans.len());
        let fix = "take some `[[zhyperlink]]` away";
        fields.error(numbers::NO_SYNCHRONOUS_LINK, span.clone(), message, fix);
    }
    if let Some(span) = spans.first().filter(|_| !has_path_group) {
        let message = "zHyperLink with `path_group = false`: the control unit knows a host by its path group";
        let fix = "take `path_group = false` away, or the `[[zhyperlink]]`";
        fields.error(numbers::NO_SYNCHRONOUS_LINK, span.clone(), message, fix);
    }
    links
}

fn metres<'e>() -> Expect<'e, f64> {
    let number = Expect::<f64>::number(0.0..=METRES_MAX);
    let words = number.words().to_owned();
    let fixed = Expect::new(words, move |value| number.take(value));
    fixed.or_fix(|_| {
        Some(format!("zHyperLink reaches {METRES_MAX} m: leave the I/O of a longer way to the channel paths"))
    })
}

/// Returns the wish of a stream with these reads and writes; a stream that nothing comes of is reported.
pub(super) fn read_synchronous(
    stream: &Fields<'_>,
    wished: Option<Located<Synchronous>>,
    has_links: bool,
    [read, write]: [&Located<ProgramShape>; 2],
) -> Synchronous {
    let Some(wished) = wished.filter(|wished| wished.value != Synchronous::None) else {
        return Synchronous::None;
    };
    if !has_links {
        let message = "`synchronous` without a `[[zhyperlink]]`: no link for it";
        let fix = "add a `[[zhyperlink]]` with `socket`, or take `synchronous` away";
        stream.error(numbers::NO_SYNCHRONOUS_LINK, wished.span.clone(), message, fix);
    }
    let covered =
        [(read, false), (write, true)].into_iter().filter(|(_, writes)| wished.value.covers(*writes));
    let why = covered.filter_map(|(shape, _)| why_never(&shape.value)).next();
    if let Some(why) = why {
        let message = format!("{why}: it is never tried over zHyperLink, and goes over the channel paths");
        let fix = "one record of at most 4096 bytes, a multiple of 16, or `synchronous = \"none\"`";
        let source = stream.source();
        let warning = Diagnostic::error(numbers::NEVER_SYNCHRONOUS, source, wished.span.clone(), message);
        stream.report(warning.severity(Severity::Warning).fix(fix));
    }
    wished.value
}

/// Returns why an I/O of this shape is never synchronous.
fn why_never(shape: &ProgramShape) -> Option<String> {
    let bytes = u32::from(shape.record_bytes);
    if shape.records != 1 {
        Some(format!("an I/O of {} records", shape.records))
    } else if bytes as usize > DATA_MAX {
        Some(format!("a record of {bytes} bytes"))
    } else if !u64::from(bytes).is_multiple_of(ALIGNMENT) {
        Some(format!("a record of {bytes} bytes, no multiple of {ALIGNMENT}"))
    } else {
        None
    }
}
