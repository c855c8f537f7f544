//! `[[zhyperlink]]` of a control unit: an adapter for synchronous I/O, and who may do what over it.

use std::ops::Range;
use std::path::PathBuf;

use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::synchronous::FUNCTIONS_MAX;

use crate::place::{INTERFACE_WORDS, interface_id};
use crate::unique::check_unique;

/// Functions by default: four hosts with as many as they have by default.
const FUNCTIONS_DEFAULT: u8 = 16;

/// One adapter for synchronous I/O.
#[derive(Debug, Clone)]
pub struct SynchronousAdapterEntry {
    /// Interface id, four hexadecimal digits.
    pub id: String,
    /// Socket at which hosts connect, as written.
    pub socket: Located<PathBuf>,
    /// Functions for all hosts together.
    pub functions: u8,
    /// Reads are enabled.
    pub reads: bool,
    /// Writes are enabled.
    pub writes: bool,
    /// The whole table.
    pub span: Range<usize>,
}

pub(super) fn read_adapters(fields: &mut Fields<'_>) -> Vec<SynchronousAdapterEntry> {
    let (mut ids, mut sockets) = (Vec::new(), Vec::new());
    let adapters = fields.tables("zhyperlink", |adapter| {
        let id = adapter.required("id", Expect::parsed(INTERFACE_WORDS, interface_id));
        ids.extend(id.clone());
        let socket = adapter.required("socket", Expect::text());
        sockets.extend(socket.clone());
        let functions = adapter.or("functions", Expect::integer(1..=FUNCTIONS_MAX), FUNCTIONS_DEFAULT);
        let reads = adapter.or("read", Expect::flag(), true);
        let writes = adapter.or("write", Expect::flag(), false);
        let socket = socket.map(|socket| Located::new(PathBuf::from(socket.value), socket.span));
        Some(SynchronousAdapterEntry {
            id: id?.value,
            socket: socket?,
            functions,
            reads,
            writes,
            span: adapter.span(),
        })
    });
    check_unique(fields, "zHyperLink", ids);
    check_unique(fields, "socket", sockets);
    adapters
}
