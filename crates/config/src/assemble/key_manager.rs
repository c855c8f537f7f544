//! The key manager and who takes keys from it.

use crate::assemble::inputs::Inputs;
use crate::key_manager::KeyManager;
use crate::site::Site;

/// Returns the key manager of the plant, with the channels and ports that are to encrypt.
pub fn key_manager(inputs: &Inputs<'_>, site: &Site) -> Option<KeyManager> {
    let name = inputs.plant.key_manager.clone()?;
    let channels = indices(site.channels.iter().map(|channel| channel.encrypts));
    Some(KeyManager { name, channels, ports: indices(site.secure_ports.iter().copied()) })
}

fn indices(wanted: impl Iterator<Item = bool>) -> Vec<u32> {
    wanted.zip(0..).filter_map(|(is_wanted, index)| is_wanted.then_some(index)).collect()
}
