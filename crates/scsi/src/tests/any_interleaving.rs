//! Tasks of several initiators in any order, with data late, aborts, resets and losses.

use std::collections::BTreeSet;

use halftrack_base::Time;
use proptest::prelude::*;

use crate::rig::{Rig, cdb_10, nexus};
use crate::{Request, TaskAttribute, TaskId, TaskManagement, Transfer, Transmit};

/// An event at the target.
#[derive(Debug, Clone, Copy)]
enum Event {
    Command {
        initiator: u64,
        attribute: TaskAttribute,
        writes: bool,
    },
    /// Data of the task that has waited for it the longest, or of another.
    Data {
        at: usize,
    },
    Abort {
        at: usize,
    },
    Manage {
        initiator: u64,
        function: TaskManagement,
    },
    Loss {
        initiator: u64,
    },
}

fn events() -> impl Strategy<Value = Event> {
    use TaskAttribute::{HeadOfQueue, Ordered, Simple};
    let attribute = prop::sample::select(vec![Simple, Simple, Simple, Ordered, HeadOfQueue]);
    let function = prop::sample::select(vec![
        TaskManagement::AbortTaskSet,
        TaskManagement::ClearTaskSet,
        TaskManagement::LogicalUnitReset,
        TaskManagement::TargetReset,
    ]);
    prop_oneof![
        6 => (0_u64..3, attribute, any::<bool>())
            .prop_map(|(initiator, attribute, writes)| Event::Command { initiator, attribute, writes }),
        6 => (0_usize..3).prop_map(|at| Event::Data { at }),
        1 => (0_usize..3).prop_map(|at| Event::Abort { at }),
        1 => (0_u64..3, function).prop_map(|(initiator, function)| Event::Manage { initiator, function }),
        1 => (0_u64..3).prop_map(|initiator| Event::Loss { initiator }),
    ]
}

/// Tasks as their initiators see them.
#[derive(Default)]
struct Initiators {
    open: BTreeSet<TaskId>,
    waiting: Vec<TaskId>,
}

impl Initiators {
    /// Takes the output of the target; a task ends once.
    fn receive(&mut self, rig: &mut Rig) {
        while let Some(transmit) = rig.target.poll_transmit() {
            match transmit {
                Transmit::DataOut { task, .. } => {
                    assert!(self.open.contains(&task), "data of {task:?} after its end");
                    self.waiting.push(task);
                }
                Transmit::Response { task, .. } | Transmit::Aborted { task } => {
                    assert!(self.open.remove(&task), "{task:?} ends twice");
                    self.waiting.retain(|one| *one != task);
                }
            }
        }
    }
}

proptest! {
    /// Every task ends once, none is left when the last data has come, and the unit takes commands again.
    #[test]
    fn every_task_ends_once(events in prop::collection::vec(events(), 1..60)) {
        let mut rig = Rig::ready(512);
        let mut initiators = Initiators::default();
        let lun = crate::rig::lun_of(0);
        for (tag, event) in (1000..).zip(events) {
            let now = Time::from_ps(tag);
            match event {
                Event::Command { initiator, attribute, writes } => {
                    let task = TaskId { nexus: nexus(initiator), tag };
                    initiators.open.insert(task);
                    let (cdb, transfer) = if writes {
                        (cdb_10(0x2A, 0, 0, 1), Transfer::Out(512))
                    } else {
                        (cdb_10(0x28, 0, 0, 1), Transfer::In(512))
                    };
                    rig.target.handle_command(now, &Request { task, lun, attribute, cdb: &cdb, transfer });
                }
                Event::Data { at } => {
                    if let Some(task) = initiators.waiting.get(at).copied() {
                        initiators.waiting.remove(at);
                        rig.target.handle_data_out(now, task, &[1; 512]);
                    }
                }
                Event::Abort { at } => {
                    if let Some(task) = initiators.waiting.get(at).copied() {
                        initiators.waiting.remove(at);
                        initiators.open.remove(&task);
                        prop_assert!(rig.target.handle_abort(now, task));
                    }
                }
                Event::Manage { initiator, function } => {
                    rig.target.handle_task_management(now, nexus(initiator), lun, function);
                }
                Event::Loss { initiator } => rig.target.handle_nexus_loss(now, nexus(initiator)),
            }
            initiators.receive(&mut rig);
        }
        while let Some(task) = initiators.waiting.pop() {
            rig.target.handle_data_out(Time::from_ps(5000), task, &[1; 512]);
            initiators.receive(&mut rig);
        }
        prop_assert!(initiators.open.is_empty(), "{:?} did not end", initiators.open);
        rig.admit(1);
        prop_assert_eq!(rig.data(0, &cdb_10(0x28, 0, 0, 1)).len(), 512);
    }
}
