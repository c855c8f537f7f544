//! Paths whose frames are encrypted, at the start of a run or at some time of it.
//!
//! An encrypted path has plans of its own, whose frames are longer, and hops of its own, at whose end adapters decrypt. Where
//! its state may change in the run, the path has other routes over the same links for the other state
//! ([`crate::wiring::alternatives::Alternatives`]), and an exchange takes those of the state in which it begins.

use halftrack_base::Span;
use halftrack_config::{Configuration, DisturbanceKind, Path};
use halftrack_fabric::endpoint_security::Protection;

/// Encryption of the frames of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PathEncryption {
    /// They are encrypted at the start of the run.
    pub at_start: bool,
    /// The state may change in the run: the class of plans of the other one.
    pub other_class: Option<u32>,
}

/// Returns true when connections may change in a run.
pub(crate) fn may_change(configuration: &Configuration) -> bool {
    let changes = |kind| {
        let is_link_lost =
            matches!(kind, DisturbanceKind::PathLost { .. } | DisturbanceKind::PartLost { .. });
        is_link_lost || matches!(kind, DisturbanceKind::KeyServerLost)
    };
    configuration.endpoint_security.is_some()
        && configuration.disturbances.iter().any(|one| changes(one.kind))
}

/// Returns true when the frames of `path` are encrypted at the start of a run.
pub(crate) fn is_encrypted(configuration: &Configuration, path: &Path) -> bool {
    configuration.connection_at_start(path).protection() == Protection::Encrypted
}

/// Returns the time by which a frame is later for the engines of both adapters. They take frames as lines bring them, so that
/// they are no stations.
pub(crate) fn engine_time(configuration: &Configuration) -> Span {
    configuration.endpoint_security.map_or(Span::ZERO, |security| security.engine_latency * 2)
}
