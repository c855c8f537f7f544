//! Streams whose devices have no path left, because none of their paths would be encrypted and an end sends no clear text.

use std::collections::BTreeSet;

use halftrack_fabric::endpoint_security::{Connection, Policy};
use halftrack_input::messages::study as numbers;

use crate::assemble::streams::Machine;
use crate::logical_control_unit::Path;
use crate::workload_file::Stream;

/// Reports the devices of `stream` in `lpar` that have no path which is not refused, at the start of the run and ever.
pub fn check(machine: &Machine<'_, '_>, stream: &Stream, lpar: u32, devices: &BTreeSet<u32>) {
    let subsystem = machine.lpars[lpar as usize].subsystem();
    let paths_of =
        |device: &u32| machine.path_group(*device, subsystem).map_or(&[][..], |group| &group.paths);
    let without = |device: &&u32| machine.are_refused(paths_of(device));
    let mut refused = devices.iter().filter(without);
    let Some(first) = refused.next() else { return };
    let more = match refused.count() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let to = format!("device {:04X}{more}", machine.devices.device(*first).number);
    machine.report_refused(stream, &to, paths_of(first));
}

/// Reports a set of logical units of `stream` in `lpar` that likewise has no path.
pub fn check_luns(machine: &Machine<'_, '_>, stream: &Stream, lpar: u32, name: &str) {
    let paths = machine.luns.paths(name, lpar);
    if machine.are_refused(paths) {
        machine.report_refused(stream, &format!("logical units {name}"), paths);
    }
}

impl Machine<'_, '_> {
    /// Returns true when there are paths, and all are refused.
    fn are_refused(&self, paths: &[Path]) -> bool {
        let has_keys = self.inputs.plant.key_manager.as_ref().is_some_and(|manager| manager.is_reachable);
        let is_refused = |path: &Path| path.security.with_key(has_keys) == Connection::Refused;
        !paths.is_empty() && paths.iter().all(is_refused)
    }

    fn report_refused(&self, stream: &Stream, to: &str, paths: &[Path]) {
        let message = format!(
            "no path from {} to {to} of stream {} is encrypted, and `enforced` sends no clear text",
            stream.lpar.value, stream.name.value
        );
        let error = self.inputs.in_workload(numbers::NO_ENCRYPTED_PATH, &stream.lpar.span, message);
        let policies = paths.iter().filter_map(|path| self.enforced(path));
        let error = policies.take(1).fold(error, |error, policy| {
            error.other(self.inputs.plant.label(&policy.span, "what sends no clear text"))
        });
        let fix = "give the plant a `[key_manager]` that is reached and let both ends of a path take part, or write \"audit\"";
        self.inputs.report(error.fix(fix));
    }

    /// Returns the policy of an end of `path` that sends no clear text.
    fn enforced(&self, path: &Path) -> Option<&halftrack_input::Located<Policy>> {
        let policies = [self.channels.policy(path.channel), self.ports.policy(path.port)];
        policies.into_iter().flatten().find(|policy| policy.value == Policy::Enforced)
    }
}
