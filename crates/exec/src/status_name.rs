//! Names of status and sense bits, as texts write them and traces show them.

use crate::parameter::field::Names;

/// Device status.
pub(crate) const DEVICE_STATUS: Names = &[
    ("attention", 0x80),
    ("status-modifier", 0x40),
    ("control-unit-end", 0x20),
    ("busy", 0x10),
    ("channel-end", 0x08),
    ("device-end", 0x04),
    ("unit-check", 0x02),
    ("unit-exception", 0x01),
];

/// Subchannel status.
pub(crate) const SUBCHANNEL_STATUS: Names = &[
    ("none", 0x00),
    ("program-controlled-interruption", 0x80),
    ("incorrect-length", 0x40),
    ("program-check", 0x20),
    ("protection-check", 0x10),
    ("channel-data-check", 0x08),
    ("channel-control-check", 0x04),
    ("interface-control-check", 0x02),
    ("chaining-check", 0x01),
];

/// Sense bytes 0 and 1.
pub(crate) const SENSE: Names = &[
    ("command-reject", 0x8000),
    ("intervention-required", 0x4000),
    ("bus-out-parity", 0x2000),
    ("equipment-check", 0x1000),
    ("data-check", 0x0800),
    ("overrun", 0x0400),
    ("permanent-error", 0x0080),
    ("invalid-track-format", 0x0040),
    ("end-of-cylinder", 0x0020),
    ("message-to-operator", 0x0010),
    ("no-record-found", 0x0008),
    ("file-protected", 0x0004),
    ("write-inhibited", 0x0002),
    ("imprecise-ending", 0x0001),
];
