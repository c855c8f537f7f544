//! Why octets are not of a format, or a representation cannot become octets.

use halftrack_base::LengthError;
use thiserror::Error;

/// Why octets were not accepted as an information unit, a frame or a link service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ParseError {
    /// Fewer or more octets than the format or its own counts require.
    #[error("{got} octets where the format has {expected}")]
    Length {
        /// Number of octets that the format or its counts require.
        expected: usize,
        /// Octets present.
        got: usize,
    },
    /// The longitudinal redundancy check does not match.
    #[error("LRC {found:#010x} where the words give {expected:#010x}")]
    Lrc {
        /// Computed over the words.
        expected: u32,
        /// In the IU.
        found: u32,
    },
    /// The data CRC does not match.
    #[error("data CRC {found:#010x} where the data give {expected:#010x}")]
    Crc {
        /// Computed over the padded data.
        expected: u32,
        /// In the IU.
        found: u32,
    },
    /// IU type that is reserved or not a device-level one.
    #[error("IU type {0} is not a device-level information unit")]
    Type(u8),
    /// Control function without a meaning.
    #[error("control function {0:#04x} is not defined")]
    Function(u8),
    /// A field whose value the format does not allow.
    #[error("field {field} holds {value:#x}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: u32,
    },
}

/// Why an information unit or a frame has no octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum EmitError {
    /// More data than one IU carries.
    #[error("{got} data octets where at most {most} fit")]
    TooMuchData {
        /// The most that fits.
        most: usize,
        /// Number of octets to be sent.
        got: usize,
    },
    /// Data that this kind of IU does not take, or of a wrong length.
    #[error("{0} data octets do not make this information unit")]
    Data(usize),
    /// A device-level frame of a circuit, whose octets are in no public document.
    #[error("a frame of an ESCON or parallel channel has no octets in this model")]
    Circuit,
}

impl From<LengthError> for ParseError {
    fn from(LengthError { expected, got }: LengthError) -> Self {
        Self::Length { expected, got }
    }
}
