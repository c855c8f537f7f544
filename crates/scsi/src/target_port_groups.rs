//! Target port groups: REPORT and SET TARGET PORT GROUPS (SPC-4, 6.37 and 6.45).

use std::collections::BTreeMap;

use halftrack_base::fields::u16_at;

use crate::access_state::AccessState;
use crate::response::Refusal;
use crate::sense::{Sense, SenseCode};
use crate::target_port::TargetPort;

/// States that a group can have: all but offline and that of single blocks.
const SUPPORTED: u8 = 0x8F;
/// Status codes: changed by a command, and by the target.
const EXPLICIT: u8 = 1;
const IMPLICIT: u8 = 2;
/// Bytes of a descriptor of SET TARGET PORT GROUPS, and of the header before them.
const DESCRIPTOR_BYTES: usize = 4;

/// Ports of the target, in groups that have a state each.
#[derive(Debug, Clone)]
pub(crate) struct TargetPortGroups {
    ports: Vec<TargetPort>,
    /// State and status code by group.
    groups: BTreeMap<u16, (AccessState, u8)>,
}

impl TargetPortGroups {
    /// Creates the groups of these ports, all of them active.
    pub fn new(ports: Vec<TargetPort>) -> Self {
        let groups = ports.iter().map(|port| (port.group, (AccessState::default(), 0))).collect();
        Self { ports, groups }
    }

    /// Returns a port by its relative identifier.
    pub fn port(&self, relative_id: u16) -> Option<&TargetPort> {
        self.ports.iter().find(|port| port.relative_id == relative_id)
    }

    /// Returns the state in which a port is.
    pub fn state(&self, relative_id: u16) -> AccessState {
        let group = self.port(relative_id).and_then(|port| self.groups.get(&port.group));
        group.map_or(AccessState::default(), |group| group.0)
    }

    /// Changes the state of a group; returns whether it was another.
    pub fn set_implicitly(&mut self, group: u16, state: AccessState) -> bool {
        self.groups.get_mut(&group).is_some_and(|entry| {
            let is_new = entry.0 != state;
            *entry = (state, IMPLICIT);
            is_new
        })
    }

    /// Returns the states that the list of SET TARGET PORT GROUPS gives to groups.
    pub fn requested(&self, list: &[u8]) -> Result<Vec<(u16, AccessState)>, Refusal> {
        let Some((_, descriptors)) = list.split_at_checked(DESCRIPTOR_BYTES) else {
            return if list.is_empty() {
                Ok(Vec::new())
            } else {
                Err(SenseCode::PARAMETER_LIST_LENGTH.into())
            };
        };
        if !descriptors.len().is_multiple_of(DESCRIPTOR_BYTES) {
            return Err(SenseCode::PARAMETER_LIST_LENGTH.into());
        }
        let mut requested = Vec::new();
        for (at, descriptor) in (1..).zip(descriptors.chunks_exact(DESCRIPTOR_BYTES)) {
            let group = u16_at(descriptor, 2);
            let state = AccessState::of_list_byte(descriptor[0]);
            match state.filter(|_| self.groups.contains_key(&group)) {
                Some(state) => requested.push((group, state)),
                None => return Err(Sense::of_list_byte(at * DESCRIPTOR_BYTES).into()),
            }
        }
        Ok(requested)
    }

    /// Changes states at the demand of a command; returns whether any was another.
    pub fn set_explicitly(&mut self, requested: &[(u16, AccessState)]) -> bool {
        let mut is_new = false;
        for (group, state) in requested {
            if let Some(entry) = self.groups.get_mut(group) {
                is_new |= entry.0 != *state;
                *entry = (*state, EXPLICIT);
            }
        }
        is_new
    }

    /// Returns the data of REPORT TARGET PORT GROUPS, with the extended header or without.
    pub fn report(&self, extended: bool) -> Vec<u8> {
        let mut body = if extended { vec![0x10, 0, 0, 0] } else { Vec::new() };
        for (group, (state, status)) in &self.groups {
            let ports: Vec<_> = self.ports.iter().filter(|port| port.group == *group).collect();
            body.extend([*state as u8, SUPPORTED]);
            body.extend(group.to_be_bytes());
            body.extend([0, *status, 0, ports.len() as u8]);
            for port in ports {
                body.extend([0, 0]);
                body.extend(port.relative_id.to_be_bytes());
            }
        }
        let mut data = (body.len() as u32).to_be_bytes().to_vec();
        data.extend(body);
        data
    }
}
