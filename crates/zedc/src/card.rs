//! A card: one engine for up to 15 functions, slice by slice in fair order.

use halftrack_base::Time;

use crate::answer::Answer;
use crate::counters::Counters;
use crate::cpc::ResourceGroup;
use crate::engine::Engine;
use crate::execution::Workspace;
use crate::fair_order::FairOrder;
use crate::function_state::{FunctionError, FunctionState};
use crate::queue_pair::SubmitError;
use crate::request::{Completion, PartitionId, Request, Spaces};
use crate::virtual_function::VirtualFunction;

/// Most functions of a card.
pub const FUNCTIONS_MAX: usize = 15;

/// Number of a function of a card, 1 to 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VfNumber(u8);

impl VfNumber {
    /// Returns the number; none when it is not 1 to 15.
    pub const fn new(number: u8) -> Option<Self> {
        if 1 <= number && number as usize <= FUNCTIONS_MAX { Some(Self(number)) } else { None }
    }

    /// Returns the number.
    pub const fn get(self) -> u8 {
        self.0
    }

    const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

/// Condition of a card as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    Operational,
    InUpdate,
    Lost,
}

/// Slice that the engine does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Function.
    pub function: VfNumber,
    /// Octets that it counts: those of input or output, whichever are more.
    pub bytes: usize,
}

/// Card.
///
/// The engine does one slice at a time: [`Card::begin_slice`] does its work and [`Card::end_slice`] is when it is done, however
/// long that took by whoever's clock.
#[derive(Debug)]
pub struct Card {
    group: ResourceGroup,
    condition: Condition,
    pub(crate) functions: [Option<VirtualFunction>; FUNCTIONS_MAX],
    order: FairOrder<FUNCTIONS_MAX>,
    slice: Option<(Slice, Time)>,
    workspace: Workspace,
}

impl Card {
    /// Makes a card without functions.
    pub fn new(group: ResourceGroup) -> Self {
        Self {
            group,
            condition: Condition::Operational,
            functions: Default::default(),
            order: FairOrder::default(),
            slice: None,
            workspace: Workspace::default(),
        }
    }

    /// Returns the resource group.
    pub const fn group(&self) -> ResourceGroup {
        self.group
    }

    fn function(&self, vf: VfNumber) -> Result<&VirtualFunction, FunctionError> {
        self.functions[vf.index()].as_ref().ok_or(FunctionError::NotConfigured)
    }

    fn function_mut(&mut self, vf: VfNumber) -> Result<&mut VirtualFunction, FunctionError> {
        self.functions[vf.index()].as_mut().ok_or(FunctionError::NotConfigured)
    }

    /// Configures a function with queues of this many entries.
    ///
    /// # Errors
    /// [`FunctionError::Duplicate`].
    pub fn configure(&mut self, vf: VfNumber, depth: usize) -> Result<(), FunctionError> {
        let place = &mut self.functions[vf.index()];
        if place.is_some() {
            return Err(FunctionError::Duplicate);
        }
        *place = Some(VirtualFunction::new(depth));
        Ok(())
    }

    /// Takes a function away that nobody uses.
    ///
    /// # Errors
    /// It is not configured, or is used.
    pub fn deconfigure(&mut self, vf: VfNumber) -> Result<(), FunctionError> {
        if self.function(vf)?.owner().is_some() {
            return Err(FunctionError::State(self.state(vf)?));
        }
        self.functions[vf.index()] = None;
        Ok(())
    }

    /// Returns the state of a function.
    ///
    /// # Errors
    /// [`FunctionError::NotConfigured`].
    pub fn state(&self, vf: VfNumber) -> Result<FunctionState, FunctionError> {
        let state = self.function(vf)?.state();
        Ok(match self.condition {
            Condition::Operational => state,
            Condition::InUpdate => FunctionState::InUpdate,
            Condition::Lost => FunctionState::InError,
        })
    }

    /// Returns the counts of a function.
    ///
    /// # Errors
    /// [`FunctionError::NotConfigured`].
    pub fn counters(&self, vf: VfNumber) -> Result<Counters, FunctionError> {
        Ok(self.function(vf)?.counters())
    }

    /// Lets a partition use a function.
    ///
    /// # Errors
    /// It is not configured, is used, or does not work.
    pub fn allocate(&mut self, vf: VfNumber, partition: PartitionId) -> Result<(), FunctionError> {
        match self.state(vf)? {
            FunctionState::Configured => self.function_mut(vf)?.allocate(partition),
            state => return Err(FunctionError::State(state)),
        }
        Ok(())
    }

    /// Takes a function from its partition. While requests have not ended or were not collected, that is pending.
    ///
    /// # Errors
    /// The partition does not use it.
    pub fn deallocate(&mut self, vf: VfNumber, partition: PartitionId) -> Result<(), FunctionError> {
        let function = self.function_mut(vf)?;
        function.check_owner(partition)?;
        function.deallocate();
        Ok(())
    }

    /// Returns the octets of input that wait at a function, when it takes another request of the partition.
    ///
    /// # Errors
    /// Why it takes none.
    pub fn backlog_bytes(&self, vf: VfNumber, partition: PartitionId) -> Result<usize, SubmitError> {
        let function = self.function(vf)?;
        function.check_owner(partition)?;
        match self.state(vf)? {
            FunctionState::Allocated if function.has_room() => Ok(function.queued_bytes()),
            FunctionState::Allocated => Err(SubmitError::Full),
            state => Err(FunctionError::State(state).into()),
        }
    }

    /// Takes a request that was submitted first at `submitted`.
    ///
    /// # Errors
    /// Why it is not taken.
    pub fn submit(
        &mut self,
        vf: VfNumber,
        partition: PartitionId,
        request: Request,
        submitted: Time,
    ) -> Result<(), SubmitError> {
        self.backlog_bytes(vf, partition)?;
        let function = self.function_mut(vf)?;
        let had_work = function.has_work();
        function.submit(request, submitted);
        if !had_work {
            self.order.begin(vf.index());
        }
        Ok(())
    }

    /// Takes the first end of the partition's requests at a function that was not collected.
    pub fn collect(&mut self, vf: VfNumber, partition: PartitionId) -> Option<Completion> {
        let function = self.function_mut(vf).ok()?;
        function.check_owner(partition).ok()?;
        function.collect()
    }

    /// Ends the partition's requests at a function that are `chosen` and have not ended.
    pub fn purge(
        &mut self,
        vf: VfNumber,
        partition: PartitionId,
        answer: Answer,
        chosen: impl Fn(&Request) -> bool,
        now: Time,
    ) {
        let function = self.functions[vf.index()].as_mut();
        if let Some(function) = function.filter(|one| one.check_owner(partition).is_ok()) {
            function.purge(answer, chosen, now, &mut self.workspace);
        }
    }

    /// Returns whether a slice can begin.
    pub fn is_ready(&self) -> bool {
        self.condition == Condition::Operational
            && self.slice.is_none()
            && self.functions.iter().flatten().any(VirtualFunction::has_work)
    }

    /// Begins a slice; none when there is no work, the engine is busy, or the card does not work.
    pub fn begin_slice(
        &mut self,
        engine: &mut dyn Engine,
        spaces: &mut impl Spaces,
        now: Time,
    ) -> Option<Slice> {
        if !self.is_ready() {
            return None;
        }
        let has_work = |at: usize| self.functions[at].as_ref().is_some_and(VirtualFunction::has_work);
        let at = self.order.next(has_work)?;
        let bytes = self.functions[at].as_mut()?.step(engine, spaces, &mut self.workspace, now);
        self.order.serve(at, bytes);
        let slice = Slice { function: VfNumber(at as u8 + 1), bytes };
        self.slice = Some((slice, now));
        Some(slice)
    }

    /// Ends the slice that the engine does, if it does one.
    pub fn end_slice(&mut self, now: Time) {
        let Some((slice, began)) = self.slice.take() else { return };
        if let Some(function) = &mut self.functions[slice.function.index()] {
            function.slice_done(now.saturating_since(began), &mut self.workspace);
        }
    }

    /// Gives back all requests, for the card does not work from now on.
    fn stop(&mut self, condition: Condition, now: Time) {
        self.condition = condition;
        self.slice = None;
        for function in self.functions.iter_mut().flatten() {
            function.purge(Answer::DeviceLost, |_| true, now, &mut self.workspace);
        }
    }

    /// Loses the card: it failed, or was pulled.
    pub fn lose(&mut self, now: Time) {
        self.stop(Condition::Lost, now);
    }

    /// Has a card again in the place of one that was lost.
    pub fn restore(&mut self) {
        if self.condition == Condition::Lost {
            self.condition = Condition::Operational;
        }
    }

    /// Begins the update of the firmware. A card that is lost stays lost.
    pub fn begin_update(&mut self, now: Time) {
        if self.condition == Condition::Operational {
            self.stop(Condition::InUpdate, now);
        }
    }

    /// Ends the update of the firmware.
    pub fn end_update(&mut self) {
        if self.condition == Condition::InUpdate {
            self.condition = Condition::Operational;
        }
    }

    /// Has a function fail: only its own requests are given back.
    ///
    /// # Errors
    /// [`FunctionError::NotConfigured`].
    pub fn fail_function(&mut self, vf: VfNumber, now: Time) -> Result<(), FunctionError> {
        let function = self.functions[vf.index()].as_mut().ok_or(FunctionError::NotConfigured)?;
        function.fail(now, &mut self.workspace);
        Ok(())
    }

    /// Has a function work again that failed.
    ///
    /// # Errors
    /// [`FunctionError::NotConfigured`].
    pub fn recover_function(&mut self, vf: VfNumber) -> Result<(), FunctionError> {
        self.function_mut(vf)?.recover();
        Ok(())
    }
}
