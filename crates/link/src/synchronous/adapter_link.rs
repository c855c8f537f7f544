//! A host that is connected to an adapter: its memory, and its requests.

use std::os::unix::net::UnixStream;

use halftrack_base::Time;
use halftrack_control_unit::PathGroupId;
use halftrack_exchange::synchronous::{SlotMemory, TakenRequest, answer, load_written, store_read, take};
use halftrack_wire::synchronous::{
    DATA_MAX, RemoteReject, SlotState, SlotWord, SynchronousAnswer, SynchronousRequest,
};

use super::adapter::{AdapterCounters, AdapterOptions};
use super::shared_area::{SharedArea, Slot};
use crate::control_unit::UnitTable;

/// A connected host.
#[derive(Debug)]
pub(super) struct AdapterLink {
    stream: UnixStream,
    area: SharedArea,
    group: PathGroupId,
}

/// Parts of the control unit that execute a request.
pub(super) struct Execution<'a> {
    pub now: Time,
    pub units: &'a mut UnitTable,
    pub options: &'a AdapterOptions,
    pub counters: &'a mut AdapterCounters,
}

impl AdapterLink {
    /// Returns the link of the host that sets the path group `group`, over memory that it has.
    pub fn new(stream: UnixStream, area: SharedArea, group: PathGroupId) -> Self {
        Self { stream, area, group }
    }

    pub fn stream(&self) -> &UnixStream {
        &self.stream
    }

    pub fn area(&self) -> &SharedArea {
        &self.area
    }

    pub fn group(&self) -> &PathGroupId {
        &self.group
    }

    /// Returns whether the host is gone, or has sent what nobody expects.
    pub fn is_gone(&self) -> bool {
        halftrack_shared_memory::is_gone(&self.stream)
    }

    /// Returns whether a request waits.
    pub fn has_posted(&self) -> bool {
        let is_posted = |function| {
            let word = SlotWord::from_bits(self.area.slot(function).load_state());
            word.is_some_and(|word| word.state == SlotState::Posted)
        };
        (0..self.area.functions()).any(is_posted)
    }

    /// Executes the requests that wait; true when there was one.
    #[inline]
    pub fn work(&self, execution: &mut Execution<'_>) -> bool {
        let mut worked = false;
        for function in 0..self.area.functions() {
            let slot = self.area.slot(function);
            if let Some(taken) = take(&slot) {
                worked = true;
                self.execute(&slot, &taken, execution);
            }
        }
        worked
    }

    #[inline]
    fn execute(&self, slot: &Slot<'_>, taken: &TakenRequest, execution: &mut Execution<'_>) {
        let request = taken.request.map_err(|_| RemoteReject::Malformed);
        let result = request.and_then(|request| {
            let options = execution.options;
            if !(if request.writes() { options.writes } else { options.reads }) {
                return Err(RemoteReject::NotEnabled);
            }
            if request.writes() {
                self.write(slot, &request, execution)
            } else {
                let (now, group) = (execution.now, &self.group);
                execution.units.read_at_once(now, group, &request, |data| store_read(slot, data))
            }
        });
        let writes = request.is_ok_and(|request| request.writes());
        execution.counters.count(writes, result.map(|answer| answer.data_bytes));
        answer(slot, taken, &result.unwrap_or_else(SynchronousAnswer::reject));
    }

    fn write(
        &self,
        slot: &Slot<'_>,
        request: &SynchronousRequest,
        execution: &mut Execution<'_>,
    ) -> Result<SynchronousAnswer, RemoteReject> {
        let mut buffer = [0; DATA_MAX];
        let data = load_written(slot, request, &mut buffer)?;
        execution.units.write_at_once(execution.now, &self.group, request, data)?;
        Ok(SynchronousAnswer { result: Ok(()), data_bytes: request.data_bytes, check: 0 })
    }
}
