//! Kinds of channels, as the TYPE column of the channel report distinguishes them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Kind of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ChannelKind {
    /// FICON, point-to-point.
    #[serde(rename = "FC")]
    Ficon,
    /// FICON, switched.
    #[serde(rename = "FC_S")]
    FiconSwitched,
    /// FICON to a bridge, with ESCON behind it.
    #[serde(rename = "FCV")]
    FiconBridge,
    /// SCSI over Fibre Channel.
    #[serde(rename = "FCP")]
    Fcp,
    /// ESCON, point-to-point.
    #[serde(rename = "CNC_P")]
    Escon,
    /// ESCON, switched.
    #[serde(rename = "CNC_S")]
    EsconSwitched,
    /// ESCON with the control-unit function of channel-to-channel devices, point-to-point.
    #[serde(rename = "CTC_P")]
    EsconFunction,
    /// ESCON with the control-unit function of channel-to-channel devices, switched.
    #[serde(rename = "CTC_S")]
    EsconFunctionSwitched,
    /// Parallel, multiplexing blocks.
    #[serde(rename = "BLOCK")]
    BlockMultiplexer,
    /// Parallel, multiplexing bytes.
    #[serde(rename = "BYTE")]
    ByteMultiplexer,
}

impl ChannelKind {
    /// Returns the acronym of the report.
    #[must_use]
    pub const fn acronym(self) -> &'static str {
        match self {
            Self::Ficon => "FC",
            Self::FiconSwitched => "FC_S",
            Self::FiconBridge => "FCV",
            Self::Fcp => "FCP",
            Self::Escon => "CNC_P",
            Self::EsconSwitched => "CNC_S",
            Self::EsconFunction => "CTC_P",
            Self::EsconFunctionSwitched => "CTC_S",
            Self::BlockMultiplexer => "BLOCK",
            Self::ByteMultiplexer => "BYTE",
        }
    }
}

impl fmt::Display for ChannelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.acronym())
    }
}
