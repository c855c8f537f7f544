//! The key manager and who takes keys from it.

use std::collections::BTreeSet;

use halftrack_fabric::endpoint_security::{Connection, Protection};

use crate::assemble::inputs::Inputs;
use crate::key_manager::KeyManager;
use crate::logical_control_unit::{Lcu, Path};

/// Returns the key manager of the plant, with the channels and ports of paths that a key makes secure.
pub fn key_manager(inputs: &Inputs<'_>, lcus: &[Lcu]) -> Option<KeyManager> {
    let name = inputs.plant.key_manager.as_ref()?.name.value.clone();
    let is_secure = |path: &&Path| path.security.with_key(true) != Connection::Open(Protection::None);
    let secure =
        || lcus.iter().flat_map(|lcu| &lcu.path_groups).flat_map(|group| &group.paths).filter(is_secure);
    let channels: BTreeSet<_> = secure().map(|path| path.channel).collect();
    let ports: BTreeSet<_> = secure().map(|path| path.port).collect();
    Some(KeyManager { name, channels: channels.into_iter().collect(), ports: ports.into_iter().collect() })
}
