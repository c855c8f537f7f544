//! Return and reason codes as C gets them.

use halftrack_zedc::{Answer, ReturnCode};

/// Both codes of an answer (`fpz4_codes`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Codes {
    /// Return code.
    pub return_code: u32,
    /// Reason code.
    pub reason_code: u32,
}

/// Answer of a function that has not done what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A service has this answer.
    Answer(Answer),
    /// A pointer is null, or leads to no storage.
    BadPointer,
    /// A defect of this library.
    Failed,
}

impl From<Answer> for Fault {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

impl Fault {
    /// Returns the codes.
    pub const fn codes(self) -> Codes {
        let (return_code, reason) = match self {
            Self::Answer(answer) => (answer.return_code(), answer.reason()),
            // Our choice: no document has such codes.
            Self::BadPointer => (ReturnCode::Program, 0x0F30),
            Self::Failed => (ReturnCode::Environment, 0x0F31),
        };
        Codes { return_code: return_code as u32, reason_code: reason as u32 }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    const HEADER: &str = include_str!("../include/halftrack_zedc.h");

    /// Returns the name of a reason code in the header.
    fn macro_name(variant: &str) -> String {
        let mut name = "FPZ4_RSN".to_owned();
        for char in variant.chars() {
            let separator = if char.is_uppercase() { "_" } else { "" };
            write!(name, "{separator}{}", char.to_ascii_uppercase()).expect("memory");
        }
        name
    }

    #[test]
    fn the_header_names_every_answer() {
        let answers = Answer::ALL.iter().map(|answer| (format!("{answer:?}"), Fault::Answer(*answer)));
        let own = [Fault::BadPointer, Fault::Failed].map(|fault| (format!("{fault:?}"), fault));
        let mut codes = Vec::new();
        for (variant, fault) in answers.chain(own) {
            let Codes { return_code, reason_code } = fault.codes();
            let start = format!("#define {} 0x{reason_code:04X}u", macro_name(&variant));
            let lines: Vec<_> = HEADER.lines().filter(|line| line.starts_with(&start)).collect();
            assert_eq!(lines.len(), 1, "{start}");
            assert!(lines[0].contains(&format!("{return_code:02X}")), "{}: {return_code:02X}", lines[0]);
            codes.push((return_code, reason_code));
        }
        assert_eq!(HEADER.matches("#define FPZ4_RSN_").count(), codes.len());
        codes.sort_unstable();
        assert!(codes.windows(2).all(|pair| pair[0] != pair[1]), "no two have the same codes");
    }

    #[test]
    fn the_header_has_the_limits_of_the_services() {
        for (name, value) in [
            ("FPZ4_PAGE_BYTES", halftrack_zedc::PAGE_BYTES),
            ("FPZ4_INPUT_BYTES_MAX", halftrack_zedc::INPUT_BYTES_MAX as u64),
            ("FPZ4_SEGMENTS_MAX", halftrack_zedc::SEGMENTS_MAX as u64),
        ] {
            assert!(HEADER.contains(&format!("#define {name} {value}u")), "{name} is {value}");
        }
        for (name, option) in [
            ("FPZ4_INFLATE", halftrack_zedc::Options::INFLATE),
            ("FPZ4_INPUT_LIST", halftrack_zedc::Options::INPUT_LIST),
            ("FPZ4_OUTPUT_LIST", halftrack_zedc::Options::OUTPUT_LIST),
            ("FPZ4_OPEN", halftrack_zedc::Options::OPEN),
        ] {
            assert!(HEADER.contains(&format!("#define {name} UINT64_C(0x{:016X})", option.0)), "{name}");
        }
    }
}
