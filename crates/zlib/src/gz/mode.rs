//! Modes of `gzopen`.

use libc::c_int;
use libz_rs_sys::{Z_DEFAULT_COMPRESSION, Z_DEFAULT_STRATEGY, Z_FILTERED, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE};

/// Mode in which a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Level.
    pub level: c_int,
    /// Strategy.
    pub strategy: c_int,
    /// Flags of `open`.
    pub flags: c_int,
}

impl Mode {
    /// Reads a mode; none when it is none in which a file is deflated.
    pub fn of_writing(text: &[u8]) -> Option<Self> {
        let mut mode = Self {
            level: Z_DEFAULT_COMPRESSION,
            strategy: Z_DEFAULT_STRATEGY,
            flags: libc::O_WRONLY | libc::O_CREAT,
        };
        let mut end = None;
        for octet in text {
            match octet {
                b'w' => end = Some(libc::O_TRUNC),
                b'a' => end = Some(libc::O_APPEND),
                b'r' => end = None,
                b'+' | b'T' => return None,
                b'x' => mode.flags |= libc::O_EXCL,
                b'e' => mode.flags |= libc::O_CLOEXEC,
                b'f' => mode.strategy = Z_FILTERED,
                b'h' => mode.strategy = Z_HUFFMAN_ONLY,
                b'R' => mode.strategy = Z_RLE,
                b'F' => mode.strategy = Z_FIXED,
                b'0'..=b'9' => mode.level = c_int::from(octet - b'0'),
                _ => {}
            }
        }
        mode.flags |= end?;
        Some(mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_has_level_strategy_and_flags() {
        let plain = libc::O_WRONLY | libc::O_CREAT;
        for (text, expected) in [
            ("w", Some((-1, 0, plain | libc::O_TRUNC))),
            ("wb9", Some((9, 0, plain | libc::O_TRUNC))),
            ("ab1h", Some((1, Z_HUFFMAN_ONLY, plain | libc::O_APPEND))),
            ("wxe6R", Some((6, Z_RLE, plain | libc::O_TRUNC | libc::O_EXCL | libc::O_CLOEXEC))),
            ("rb", None),
            ("wT", None),
            ("w+", None),
            ("wr", None),
            ("6", None),
            ("", None),
        ] {
            let mode = Mode::of_writing(text.as_bytes());
            assert_eq!(mode.map(|mode| (mode.level, mode.strategy, mode.flags)), expected, "{text}");
        }
    }
}
