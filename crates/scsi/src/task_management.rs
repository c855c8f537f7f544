//! Task management (SAM-5, 7).

/// Function of task management. ABORT TASK is [`crate::Target::handle_abort`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskManagement {
    /// Ends the tasks of this nexus in the unit.
    AbortTaskSet,
    /// Ends the tasks of all nexuses in the unit.
    ClearTaskSet,
    /// Resets the unit.
    LogicalUnitReset,
    /// Resets every unit that the nexus sees.
    TargetReset,
    /// Ends an auto contingent allegiance, which the target does not have.
    ClearAutoContingentAllegiance,
}

/// Response to a function of task management; its number is RSP_CODE of FCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TaskManagementResponse {
    /// The tasks can no longer touch the medium.
    Complete = 0x00,
    /// The target does not have the function.
    Rejected = 0x04,
    /// The nexus has no such unit.
    IncorrectLun = 0x09,
}
