//! The blocks of the command mode and of ECKD devices, field by field.

use halftrack_program::{
    DEFINE_EXTENT_BYTES, DEFINE_EXTENT_EXTENDED_BYTES, LOCATE_RECORD_BYTES, LOCATE_RECORD_EXTENDED_BYTES,
    NO_SECTOR, PREFIX_BYTES,
};

use crate::parameter::field::{Block, Derive, Field, FieldKind, Names};
use FieldKind::{Bits, Extent, Hex, Number, Record, Tail, Track};

/// Nothing follows from anything.
pub(crate) const NOTHING: Derive = |_, _| {};

const MASK: Names = &[
    ("all-writes", 0xC0),
    ("update-writes-only", 0x80),
    ("inhibit-writes", 0x40),
    ("inhibit-seeks", 0x18),
    ("seek-track", 0x10),
    ("seek-cylinder", 0x08),
    ("diagnostic", 0x04),
    ("device-support", 0x02),
    ("pci-fetch", 0x01),
];
const ATTRIBUTES: Names = &[
    ("eckd", 0xC0),
    ("record-access", 0x14),
    ("sequential-prestage", 0x10),
    ("sequential", 0x0C),
    ("inhibit-load", 0x08),
    ("bypass-cache", 0x04),
    ("ckd-conversion", 0x20),
    ("cache-fast-write", 0x02),
    ("inhibit-dasd-fast-write", 0x01),
];
const EXTENDED_ATTRIBUTES: Names =
    &[("regular-data-format", 0x40), ("time-stamp-valid", 0x08), ("extended-parameters", 0x02)];
const EXTENSION_FORMAT: Names = &[("records-per-track-valid", 0x20)];

/// Define Extent of an ECKD device.
pub(crate) static DEFINE_EXTENT: Block = Block {
    name: "define-extent",
    bytes: DEFINE_EXTENT_EXTENDED_BYTES,
    short_bytes: DEFINE_EXTENT_BYTES,
    boundary: 8,
    fields: &[
        Field::named("mask", 0, Hex(1), MASK),
        Field::named("attributes", 1, Hex(1), ATTRIBUTES),
        Field::new("block-size", 2, Number(2)),
        Field::new("fast-write-id", 4, Hex(2)),
        Field::named("extended-attributes", 7, Hex(1), EXTENDED_ATTRIBUTES),
        Field::new("extent", 8, Extent),
        Field::new("time-stamp", 16, Hex(8)),
        Field::named("extension-format", 24, Hex(1), EXTENSION_FORMAT),
        Field::new("priority", 25, Number(1)),
        Field::new("records-per-track", 27, Number(1)),
    ],
    template: &[(1, 0xC0)],
    derive: |octets, given| {
        let announce = |octets: &mut [u8], bit: u8| {
            if !given("extended-attributes") {
                octets[7] |= bit;
            }
        };
        if given("time-stamp") {
            announce(octets, 0x08);
        }
        if given("records-per-track") {
            announce(octets, 0x02);
            if !given("extension-format") {
                octets[24] |= 0x20;
            }
        }
    },
};

const ORIENTATION: Names = &[("index", 0xC0), ("data", 0x80), ("home", 0x40), ("count", 0x00)];
const OPERATION: Names = &[
    ("extended", 0x3F),
    ("read", 0x16),
    ("read-tracks", 0x0C),
    ("write-track", 0x0B),
    ("read-data", 0x06),
    ("format-write", 0x03),
    ("write-data", 0x01),
    ("orient", 0x00),
];
const AUXILIARY: Names = &[("transfer-length-valid", 0x80), ("read-count-suffix", 0x01)];

/// Sets the seek address to the search address by default.
fn seek_from_search(octets: &mut [u8], given: &dyn Fn(&str) -> bool) {
    if given("search") && !given("seek") {
        octets.copy_within(8..12, 4);
    }
    if given("transfer-length") && !given("auxiliary") {
        octets[1] |= 0x80;
    }
}

/// Locate Record.
pub(crate) static LOCATE_RECORD: Block = Block {
    name: "locate-record",
    bytes: LOCATE_RECORD_BYTES,
    short_bytes: LOCATE_RECORD_BYTES,
    boundary: 8,
    fields: &[
        Field::named("orientation", 0, Bits(0xC0), ORIENTATION),
        Field::named("operation", 0, Bits(0x3F), OPERATION),
        Field::named("auxiliary", 1, Hex(1), AUXILIARY),
        Field::new("count", 3, Number(1)),
        Field::new("seek", 4, Track),
        Field::new("search", 8, Record),
        Field::new("sector", 13, Number(1)),
        Field::new("transfer-length", 14, Number(2)),
    ],
    template: &[(13, NO_SECTOR)],
    derive: seek_from_search,
};

const EXTENDED_AUXILIARY: Names = &[
    ("transfer-length-valid", 0x80),
    ("transfer-length-of-last-track", 0x40),
    ("imbedded-command-valid", 0x20),
    ("check-bytes-each-track", 0x10),
    ("check-bytes-at-end", 0x08),
    ("imbedded-count-valid", 0x04),
    ("read-count-suffix", 0x01),
];
const EXTENDED_OPERATION: Names = &[
    ("write-track-data", 0x23),
    ("write-full-track", 0x11),
    ("read-track-set", 0x0E),
    ("read-any", 0x0A),
    ("write-any", 0x09),
];
const IMBEDDED: Names = &[("read-track-data", 0xA6), ("write-track-data", 0xA5)];

/// Locate Record Extended.
pub(crate) static LOCATE_RECORD_EXTENDED: Block = Block {
    name: "locate-record-extended",
    bytes: LOCATE_RECORD_EXTENDED_BYTES,
    short_bytes: LOCATE_RECORD_EXTENDED_BYTES,
    boundary: 8,
    fields: &[
        Field::named("orientation", 0, Bits(0xC0), ORIENTATION),
        Field::named("operation", 0, Bits(0x3F), OPERATION),
        Field::named("auxiliary", 1, Hex(1), EXTENDED_AUXILIARY),
        Field::named("imbedded-command", 2, Hex(1), IMBEDDED),
        Field::new("count", 3, Number(1)),
        Field::new("seek", 4, Track),
        Field::new("search", 8, Record),
        Field::new("sector", 13, Number(1)),
        Field::new("transfer-length", 14, Number(2)),
        Field::new("imbedded-count", 16, Number(1)),
        Field::named("extended-operation", 17, Hex(1), EXTENDED_OPERATION),
        Field::new("parameters-length", 18, Number(2)),
        Field::new("extended-parameters", LOCATE_RECORD_EXTENDED_BYTES, Tail),
    ],
    template: &[(13, NO_SECTOR)],
    derive: |octets, given| {
        seek_from_search(octets, given);
        if given("extended-operation") && !given("operation") {
            octets[0] |= 0x3F;
        }
        for (field, bit) in [("imbedded-command", 0x20), ("imbedded-count", 0x04)] {
            if given(field) && !given("auxiliary") {
                octets[1] |= bit;
            }
        }
        let tail = octets.len().saturating_sub(LOCATE_RECORD_EXTENDED_BYTES) as u16;
        if given("extended-parameters") && !given("parameters-length") {
            octets[18..20].copy_from_slice(&tail.to_be_bytes());
        }
    },
};

const PREFIX_FORMAT: Names =
    &[("define-extent", 0), ("locate-record-extended", 1), ("perform-subsystem-function", 2)];
const PREFIX_VALIDITY: Names =
    &[("define-extent", 0x80), ("time-stamp", 0x40), ("verify-base", 0x20), ("hyper-pav", 0x10)];
const PREFIX_AUXILIARY: Names = &[("suspend-multipath-reconnection", 0x80), ("trusted", 0x08)];

/// Prefix.
pub(crate) static PREFIX: Block = Block {
    name: "prefix",
    bytes: PREFIX_BYTES,
    short_bytes: PREFIX_BYTES,
    boundary: 8,
    fields: &[
        Field::named("format", 0, Number(1), PREFIX_FORMAT),
        Field::named("validity", 1, Hex(1), PREFIX_VALIDITY),
        Field::new("base-address", 2, Hex(1)),
        Field::named("auxiliary", 3, Hex(1), PREFIX_AUXILIARY),
        Field::new("base-lcu", 4, Hex(1)),
        Field::new("define-extent", 12, FieldKind::Block(&DEFINE_EXTENT)),
        Field::new("locate-record-extended", 44, FieldKind::Block(&LOCATE_RECORD_EXTENDED)),
    ],
    template: &[],
    derive: |octets, given| {
        if given("locate-record-extended") && !given("format") {
            octets[0] = 1;
        }
        if given("define-extent") && !given("validity") {
            octets[1] |= 0x80;
        }
    },
};

/// Makes one field from the start of the block on.
const fn single(
    name: &'static str,
    bytes: usize,
    fields: &'static [Field],
    template: &'static [(usize, u8)],
) -> Block {
    Block { name, bytes, short_bytes: bytes, boundary: 8, fields, template, derive: NOTHING }
}

/// Seek, Seek Cylinder, Seek Head: two zeros and CCHH.
pub(crate) static SEEK: Block = single("seek", 6, &[Field::new("track", 2, Track)], &[]);
/// Search ID: CCHHR.
pub(crate) static SEARCH_ID: Block = single("search-id", 5, &[Field::new("record", 0, Record)], &[]);
/// Search Home Address: CCHH.
pub(crate) static SEARCH_HOME_ADDRESS: Block =
    single("search-home-address", 4, &[Field::new("track", 0, Track)], &[]);
/// Set File Mask.
pub(crate) static FILE_MASK: Block = single("file-mask", 1, &[Field::named("mask", 0, Hex(1), MASK)], &[]);
/// Set Sector.
pub(crate) static SECTOR: Block = single("sector", 1, &[Field::new("sector", 0, Number(1))], &[]);
/// Count area of a record.
pub(crate) static COUNT_AREA: Block = single(
    "count-area",
    8,
    &[
        Field::new("record", 0, Record),
        Field::new("key-length", 5, Number(1)),
        Field::new("data-length", 6, Number(2)),
    ],
    &[],
);
/// Home address.
pub(crate) static HOME_ADDRESS: Block =
    single("home-address", 5, &[Field::new("flag", 0, Hex(1)), Field::new("track", 1, Track)], &[]);

const FIXED_BLOCK_OPERATION: Names = &[
    ("read", 0x06),
    ("write-and-verify", 0x05),
    ("read-replicated", 0x04),
    ("format", 0x02),
    ("write", 0x01),
];

/// Define Extent of a fixed-block device.
pub(crate) static FIXED_BLOCK_EXTENT: Block = single(
    "fixed-block-extent",
    16,
    &[
        Field::named("mask", 0, Hex(1), MASK),
        Field::new("block-size", 2, Number(2)),
        Field::new("offset", 4, Number(4)),
        Field::new("first-block", 8, Number(4)),
        Field::new("last-block", 12, Number(4)),
    ],
    &[],
);
/// Locate of a fixed-block device.
pub(crate) static FIXED_BLOCK_LOCATE: Block = single(
    "fixed-block-locate",
    8,
    &[
        Field::named("operation", 0, Hex(1), FIXED_BLOCK_OPERATION),
        Field::new("replication-count", 1, Number(1)),
        Field::new("count", 2, Number(2)),
        Field::new("block", 4, Number(4)),
    ],
    &[],
);
