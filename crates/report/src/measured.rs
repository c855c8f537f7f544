//! Measurements that RMF has of a channel, by its kind.

use halftrack_record::ChannelKind;

/// Figures that RMF has for a channel of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measured {
    /// All columns.
    All,
    /// All but those of FICON and zHPF operations: FCP.
    Data,
    /// How long its path was busy, and no more: ESCON, and block multiplexers (SMF type 73, CMG 1).
    PathBusy {
        /// Of each partition, too.
        by_partition: bool,
    },
    /// A byte multiplexer is not measured.
    Nothing,
}

impl Measured {
    pub(crate) const fn of(kind: ChannelKind) -> Self {
        match kind {
            ChannelKind::Ficon | ChannelKind::FiconSwitched | ChannelKind::FiconBridge => Self::All,
            ChannelKind::Fcp => Self::Data,
            ChannelKind::Escon
            | ChannelKind::EsconSwitched
            | ChannelKind::EsconFunction
            | ChannelKind::EsconFunctionSwitched => Self::PathBusy { by_partition: true },
            ChannelKind::BlockMultiplexer => Self::PathBusy { by_partition: false },
            ChannelKind::ByteMultiplexer => Self::Nothing,
        }
    }

    /// Returns the part of the channel whose utilisation is TOTAL.
    pub(crate) const fn busy_part(self) -> &'static str {
        match self {
            Self::All | Self::Data => "processor",
            Self::PathBusy { .. } | Self::Nothing => "path",
        }
    }

    /// Returns true when PART columns have something: a parallel channel belongs to one partition, and is not divided further.
    pub(crate) const fn by_partition(self) -> bool {
        matches!(self, Self::All | Self::Data | Self::PathBusy { by_partition: true })
    }
}
