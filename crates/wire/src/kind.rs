//! The kinds of information unit.

/// Kind of an information unit, of either protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IuKind {
    /// Command: a CCW without data.
    Command,
    /// Command with (the first of) its data.
    CommandData,
    /// Data of a CCW.
    Data,
    /// Status of the control unit, with sense when it has some.
    Status,
    /// Control: end of the control function that the channel began.
    ControlEnd,
    /// Control: command response (CMR).
    CommandResponse,
    /// Control: the channel cannot take status now.
    StackStatus,
    /// Control: the channel cancels the operation.
    Cancel,
    /// Control: system reset.
    SystemReset,
    /// Control: selective reset of a device.
    SelectiveReset,
    /// Control: the channel requests stacked status.
    RequestStatus,
    /// Control: device-level exception, such as an address exception.
    DeviceException,
    /// Control: the channel took the status.
    StatusAccepted,
    /// Control: device-level acknowledge.
    DeviceAck,
    /// Control: the exchange pair is to be discarded.
    PurgePath,
    /// Control: the exchange pair was discarded.
    PurgePathResponse,
    /// Transport mode: the command with its TCCB.
    TransportCommand,
    /// Transport mode: the control unit is ready for a burst of data.
    TransferReady,
    /// Transport mode: a burst of data.
    TransportData,
    /// Transport mode: the response that ends the exchange.
    TransportResponse,
    /// Circuit: the channel has the command response.
    CommandResponseAccepted,
    /// Circuit: the receiver has taken data and wants more.
    DataRequest,
    /// ABTS: the exchange is to be aborted.
    Abort,
    /// BA_ACC: the exchange was aborted.
    AbortAccept,
    /// FCP: a SCSI command or a task management function (FCP_CMND).
    FcpCommand,
    /// FCP: a burst of data (FCP_DATA).
    FcpData,
    /// FCP: the response that ends the exchange (FCP_RSP).
    FcpResponse,
    /// FCP: the initiator has the response (FCP_CONF).
    FcpConfirmation,
    /// BA_RJT: the exchange is not aborted.
    AbortReject,
}

impl IuKind {
    /// Returns true for the IUs that withdraw or discard an exchange and for their answers. They are valid at any
    /// time and outside the count of IUs.
    #[must_use]
    pub const fn is_recovery(self) -> bool {
        matches!(
            self,
            IuKind::Cancel
                | IuKind::SystemReset
                | IuKind::SelectiveReset
                | IuKind::DeviceException
                | IuKind::DeviceAck
                | IuKind::PurgePath
                | IuKind::PurgePathResponse
                | IuKind::Abort
                | IuKind::AbortAccept
                | IuKind::AbortReject
        )
    }
}
