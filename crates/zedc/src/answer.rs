//! Return and reason codes of the services.

use std::fmt;

use thiserror::Error;

/// Return code: whom an answer concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ReturnCode {
    /// Done.
    Done = 0x00,
    /// The environment cannot do it now: the program falls back to software.
    Warning = 0x04,
    /// The environment cannot do it: the program falls back to software.
    Environment = 0x08,
    /// A mistake of the program, or in its data. Software would not do it either.
    Program = 0x0C,
}

/// Origin of a pair of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// Public tables of the return and reason codes of the FPZ4 services (reference on zEDC, section 2).
    Documented,
    /// Our choice: no document that we have prints one.
    Own,
}

/// Defines the answers in one table: variant, return code, reason code, source and text.
macro_rules! answers {
    ($($variant:ident $return_code:ident $reason:literal $source:ident $text:literal;)*) => {
        /// Answer of a service.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
        pub enum Answer {
            $(#[doc = $text] #[error("{}: {}", self.codes(), $text)] $variant,)*
        }

        impl Answer {
            /// Every answer, in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns return code, reason code and where they come from.
            const fn row(self) -> (ReturnCode, u16, Source) {
                match self {
                    $(Self::$variant => (ReturnCode::$return_code, $reason, Source::$source),)*
                }
            }

            /// Returns the text for users.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

answers! {
    Done Done 0x0000 Documented "Done.";
    QueuesFull Warning 0x0F01 Own "The queues of every usable function are full.";
    NoHardware Environment 0x0000 Documented "No card can be used.";
    SoftwareLevel Environment 0x0900 Documented "The operating system is too old for compression by a card.";
    DeviceLost Environment 0x0F02 Own "The card was lost before it ended the request.";
    WrongEnvironment Program 0x0207 Documented "The caller is in the wrong environment: it is not authorized.";
    BadRendezvousToken Program 0x0208 Documented "The rendezvous token is of no address space.";
    BadRegionAddress Program 0x021E Documented "The address of the region is on no page, or is no storage.";
    BadRegionLength Program 0x021F Documented "The length of the region is no multiple of a page.";
    KeyMismatch Program 0x0220 Documented "The key does not match the storage key of the region.";
    BadApplicationId Program 0x0226 Documented "The application is unknown.";
    NoDataSpaces Program 0x0227 Documented "The region is in a data space.";
    RegionOverlap Program 0x0F10 Own "The region overlaps one that is registered.";
    TooManyRegions Program 0x0F11 Own "The address space has as many regions as it may have.";
    BadRegionToken Program 0x0F12 Own "The region is not registered.";
    OutsideRegion Program 0x0F13 Own "An area is not within its region.";
    BadOptions Program 0x0F14 Own "A bit of the options is on that has no meaning.";
    BadList Program 0x0F15 Own "A list has no entry, or too many.";
    TooLong Program 0x0F16 Own "The request is longer than 1 MiB.";
    AreaOverlap Program 0x0F17 Own "The output overlaps the input or itself.";
    OutputTooSmall Program 0x0F20 Own "The output area is too small.";
    Corrupt Program 0x0F21 Own "The input is no DEFLATE.";
    Truncated Program 0x0F22 Own "The input ends before its last block does.";
    ExpandsTooFar Program 0x0F23 Own "The input expands beyond what one request may give.";
    RegionFreed Program 0x0F24 Own "A region was deregistered before the request ended.";
    StorageFault Program 0x0F25 Own "A page of a region is no storage of the key any more.";
    Ended Program 0x0F26 Own "The address space ended its rendezvous before the request ended.";
}

impl Answer {
    /// Returns the return code.
    pub const fn return_code(self) -> ReturnCode {
        self.row().0
    }

    /// Returns the reason code.
    pub const fn reason(self) -> u16 {
        self.row().1
    }

    /// Returns where the codes come from.
    pub const fn source(self) -> Source {
        self.row().2
    }

    /// Returns whether the program goes on in software.
    pub const fn is_software_fallback(self) -> bool {
        matches!(self.return_code(), ReturnCode::Warning | ReturnCode::Environment)
    }

    /// Returns both codes as they are printed, `0C/0208`.
    pub const fn codes(self) -> Codes {
        Codes(self)
    }
}

/// Both codes of an answer, for printing.
#[derive(Debug, Clone, Copy)]
pub struct Codes(Answer);

impl fmt::Display for Codes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02X}/{:04X}", self.0.return_code() as u8, self.0.reason())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_answers_have_the_same_codes_and_they_are_in_order() {
        for pair in Answer::ALL.windows(2) {
            let key = |answer: Answer| (answer.return_code(), answer.reason());
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn own_codes_are_apart_from_documented_ones() {
        for answer in Answer::ALL {
            assert_eq!(answer.source() == Source::Own, answer.reason() >= 0x0F00, "{answer}");
        }
    }

    #[test]
    fn codes_are_printed_as_in_the_tables() {
        assert_eq!(
            Answer::BadRendezvousToken.to_string(),
            "0C/0208: The rendezvous token is of no address space."
        );
        let fall_back: Vec<_> = Answer::ALL.iter().filter(|answer| answer.is_software_fallback()).collect();
        assert_eq!(fall_back.len(), 4);
    }
}
