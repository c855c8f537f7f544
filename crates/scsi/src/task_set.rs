//! Tasks of a unit, and the order in which they begin (SAM-5, 8).

use std::collections::BTreeSet;

use halftrack_base::Time;

use crate::command::Command;
use crate::nexus::{Nexus, TaskId};
use crate::request::{Request, TaskAttribute, Transfer};
use halftrack_wire::fcp::ScsiStatus;

/// Longest CDB of the target.
const CDB_BYTES_MAX: usize = 16;

/// State of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskState {
    /// Behind older tasks.
    Queued,
    /// So many bytes of data-out are on their way.
    DataOut(Command, u32),
}

/// A task.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub id: TaskId,
    pub attribute: TaskAttribute,
    /// Octets of the CDB, and how many there are.
    cdb: ([u8; CDB_BYTES_MAX], usize),
    pub transfer: Transfer,
    /// Arrival.
    pub since: Time,
    pub state: TaskState,
}

impl Task {
    /// Returns the task of a command that arrives.
    pub fn new(now: Time, request: &Request<'_>) -> Self {
        let mut cdb = ([0; CDB_BYTES_MAX], request.cdb.len().min(CDB_BYTES_MAX));
        cdb.0[..cdb.1].copy_from_slice(&request.cdb[..cdb.1]);
        Self {
            id: request.task,
            attribute: request.attribute,
            cdb,
            transfer: request.transfer,
            since: now,
            state: TaskState::Queued,
        }
    }

    /// Returns the CDB.
    pub fn cdb(&self) -> &[u8] {
        &self.cdb.0[..self.cdb.1]
    }
}

/// Tasks of a unit, those at the head of the queue first, then by age.
#[derive(Debug, Clone)]
pub(crate) struct TaskSet {
    tasks: Vec<Task>,
    depth: usize,
}

impl TaskSet {
    /// Creates a set with room for so many tasks.
    pub const fn new(depth: usize) -> Self {
        Self { tasks: Vec::new(), depth }
    }

    /// Adds a task; without room for it returns the status with which it ends.
    pub fn insert(&mut self, task: Task) -> Result<(), ScsiStatus> {
        if self.tasks.len() >= self.depth {
            let has_task = self.tasks.iter().any(|one| one.id.nexus == task.id.nexus);
            return Err(if has_task { ScsiStatus::TASK_SET_FULL } else { ScsiStatus::BUSY });
        }
        let at = if task.attribute == TaskAttribute::HeadOfQueue { 0 } else { self.tasks.len() };
        self.tasks.insert(at, task);
        Ok(())
    }

    /// Returns the first task that may begin.
    pub fn next_enabled(&mut self) -> Option<&mut Task> {
        let mut is_first = true;
        let mut is_simple_held = false;
        let at = self.tasks.iter().position(|task| {
            let may_begin = match task.attribute {
                TaskAttribute::HeadOfQueue => true,
                TaskAttribute::Ordered => is_first,
                TaskAttribute::Simple => !is_simple_held,
            };
            is_first = false;
            is_simple_held |= task.attribute != TaskAttribute::Simple;
            may_begin && task.state == TaskState::Queued
        })?;
        self.tasks.get_mut(at)
    }

    /// Takes a task out.
    pub fn remove(&mut self, id: TaskId) -> Option<Task> {
        let at = self.tasks.iter().position(|task| task.id == id)?;
        Some(self.tasks.remove(at))
    }

    /// Returns a task.
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Changes the state of a task.
    pub fn set_state(&mut self, id: TaskId, state: TaskState) {
        if let Some(task) = self.tasks.iter_mut().find(|task| task.id == id) {
            task.state = state;
        }
    }

    /// Returns the nexuses that have tasks.
    pub fn nexuses(&self) -> BTreeSet<Nexus> {
        self.tasks.iter().map(|task| task.id.nexus).collect()
    }

    /// Takes out the tasks of some nexuses.
    pub fn remove_of(&mut self, is_of: impl Fn(Nexus) -> bool) -> Vec<Task> {
        let (removed, kept) =
            std::mem::take(&mut self.tasks).into_iter().partition(|task| is_of(task.id.nexus));
        self.tasks = kept;
        removed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halftrack_wire::fcp::Lun;

    fn task(initiator: u64, tag: u64, attribute: TaskAttribute) -> Task {
        let task = TaskId { nexus: Nexus { initiator, target_port: 1 }, tag };
        let request =
            Request { task, lun: Lun::default(), attribute, cdb: &[0; 6], transfer: Transfer::None };
        Task::new(Time::ZERO, &request)
    }

    /// Begins every task that may, and returns their tags.
    fn begin(set: &mut TaskSet) -> Vec<u64> {
        let mut begun = Vec::new();
        while let Some(task) = set.next_enabled() {
            task.state = TaskState::DataOut(Command::TestUnitReady, 1);
            begun.push(task.id.tag);
        }
        begun
    }

    #[test]
    fn an_ordered_task_is_behind_the_older_and_before_the_newer() {
        use TaskAttribute::{HeadOfQueue, Ordered, Simple};
        let mut set = TaskSet::new(8);
        for (tag, attribute) in [(1, Simple), (2, Simple), (3, Ordered), (4, Simple), (5, HeadOfQueue)] {
            set.insert(task(1, tag, attribute)).unwrap();
        }
        assert_eq!(begin(&mut set), [5]);
        let mut end = |tag| {
            set.remove(task(1, tag, Simple).id);
            begin(&mut set)
        };
        assert_eq!(end(5), [1, 2]);
        assert_eq!(end(2), []);
        assert_eq!(end(1), [3]);
        assert_eq!(end(3), [4]);
    }

    #[test]
    fn a_nexus_without_a_task_in_a_full_set_gets_busy() {
        let mut set = TaskSet::new(1);
        assert_eq!(set.insert(task(1, 1, TaskAttribute::Simple)), Ok(()));
        assert_eq!(set.insert(task(1, 2, TaskAttribute::HeadOfQueue)), Err(ScsiStatus::TASK_SET_FULL));
        assert_eq!(set.insert(task(2, 1, TaskAttribute::Simple)), Err(ScsiStatus::BUSY));
    }
}
