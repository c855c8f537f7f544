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

/// Returns the names of the bits of `value`, in the words of the manuals: no hyphens, commas between. Bits without a
/// name are in hexadecimal; `none` when nothing is on.
pub(crate) fn words(value: u64, names: Names) -> String {
    let mut left = value;
    let mut found = Vec::new();
    for (name, bits) in names {
        if *bits != 0 && left & bits == *bits {
            found.push(name.replace('-', " "));
            left &= !bits;
        }
    }
    if left != 0 {
        found.push(format!("0x{left:02X}"));
    }
    if found.is_empty() { "none".to_owned() } else { found.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_said_in_words() {
        assert_eq!(words(0x0E, DEVICE_STATUS), "channel end, device end, unit check");
        assert_eq!(words(0, SUBCHANNEL_STATUS), "none");
        assert_eq!(words(0x8200, SENSE), "command reject, 0x200");
    }
}
