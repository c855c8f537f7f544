//! The blocks that the channel reads: TCW, TIDAW, MIDAW, TCCB header and trailer, interrogation.

use halftrack_program::{
    MIDAW_BYTES, TCAH_BYTES, TCAT_BIDIRECTIONAL_BYTES, TCAT_BYTES, TCW_BYTES, TIDAW_BYTES,
};

use crate::parameter::blocks::NOTHING;
use crate::parameter::field::{Block, Field, FieldKind, Names};
use FieldKind::{Address, Bits, Hex, Number};

const MIDAW_FLAGS: Names = &[("last", 0x80), ("skip", 0x40), ("data-transfer-interruption", 0x20)];
/// Modified indirect-data-address word.
pub(crate) static MIDAW: Block = Block {
    name: "midaw",
    bytes: MIDAW_BYTES,
    short_bytes: MIDAW_BYTES,
    boundary: 16,
    fields: &[
        Field::named("flags", 5, Hex(1), MIDAW_FLAGS),
        Field::new("count", 6, Number(2)),
        Field::new("address", 8, Address(8)),
    ],
    template: &[],
    derive: NOTHING,
};

const TIDAW_FLAGS: Names = &[
    ("last", 0x80),
    ("skip", 0x40),
    ("data-transfer-interruption", 0x20),
    ("tic", 0x10),
    ("insert-check-word", 0x08),
];
/// Transport-indirect-data-address word.
pub(crate) static TIDAW: Block = Block {
    name: "tidaw",
    bytes: TIDAW_BYTES,
    short_bytes: TIDAW_BYTES,
    boundary: 16,
    fields: &[
        Field::named("flags", 0, Hex(1), TIDAW_FLAGS),
        Field::new("count", 4, Number(4)),
        Field::new("address", 8, Address(8)),
    ],
    template: &[],
    derive: NOTHING,
};

const TCW_FLAGS: Names = &[("input-tidaws", 0x04), ("tccb-tidaws", 0x02), ("output-tidaws", 0x01)];
const TRANSFER: Names = &[("read", 0x02), ("write", 0x01)];
/// Transport-control word.
pub(crate) static TCW: Block = Block {
    name: "tcw",
    bytes: TCW_BYTES,
    short_bytes: TCW_BYTES,
    boundary: 64,
    fields: &[
        Field::new("format", 0, Hex(1)),
        Field::named("flags", 1, Hex(1), TCW_FLAGS),
        Field::new("tidaw-format", 2, Hex(1)),
        Field::new("tccb-length", 5, Bits(0xFC)),
        Field::named("transfer", 5, Bits(0x03), TRANSFER),
        Field::new("output-address", 8, Address(8)),
        Field::new("input-address", 16, Address(8)),
        Field::new("tsb-address", 24, Address(8)),
        Field::new("tccb-address", 32, Address(8)),
        Field::new("output-count", 40, Number(4)),
        Field::new("input-count", 44, Number(4)),
        Field::new("interrogate-address", 60, Address(4)),
    ],
    template: &[],
    derive: NOTHING,
};

const ACTION: Names = &[("normal", 0x1FFE), ("interrogate", 0x1FFF)];
/// Header of a TCCB.
pub(crate) static TCAH: Block = Block {
    name: "tcah",
    bytes: TCAH_BYTES,
    short_bytes: TCAH_BYTES,
    boundary: 8,
    fields: &[
        Field::new("format", 0, Hex(1)),
        Field::new("length", 7, Number(1)),
        Field::named("action", 8, Hex(2), ACTION),
        Field::new("priority", 11, Number(1)),
    ],
    template: &[(0, 0x7F), (8, 0x1F), (9, 0xFE)],
    derive: NOTHING,
};
/// Trailer of a TCCB.
pub(crate) static TCAT: Block = Block {
    name: "tcat",
    bytes: TCAT_BIDIRECTIONAL_BYTES,
    short_bytes: TCAT_BYTES,
    boundary: 4,
    fields: &[
        Field::new("check-word", 0, Hex(4)),
        Field::new("transport-count", 4, Number(4)),
        Field::new("read-count", 8, Number(4)),
    ],
    template: &[],
    derive: NOTHING,
};

const REASON: Names = &[("timeout", 1)];
const QUALIFIER: Names = &[("primary", 1), ("secondary", 2)];
const INTERROGATE_FLAGS: Names = &[("multipath", 0x80), ("program-path-recovery", 0x40), ("critical", 0x20)];
/// Control data of an interrogation.
pub(crate) static INTERROGATE: Block = Block {
    name: "interrogate",
    bytes: 32,
    short_bytes: 32,
    boundary: 8,
    fields: &[
        Field::new("format", 0, Hex(1)),
        Field::named("reason", 1, Number(1), REASON),
        Field::named("qualifier", 2, Number(1), QUALIFIER),
        Field::new("logical-path-mask", 3, Hex(1)),
        Field::new("path-available-mask", 4, Hex(1)),
        Field::new("path-installed-mask", 5, Hex(1)),
        Field::new("timeout", 6, Number(2)),
        Field::named("flags", 8, Hex(1), INTERROGATE_FLAGS),
        Field::new("time", 16, Hex(8)),
        Field::new("program-id", 24, Hex(8)),
    ],
    template: &[],
    derive: NOTHING,
};
