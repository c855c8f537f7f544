//! The events of the two logical processes: plain values of eight bytes, which the pending set moves about in
//! one register.

use halftrack_smcr_twin::Step;

/// An event of the host's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostEvent {
    /// A CP has executed START SUBCHANNEL.
    Started {
        /// The I/O.
        io: u32,
    },
    /// An operation on an EADM subchannel comes.
    Eadm {
        /// The flow that it is of.
        flow: u32,
    },
    /// The I/O's turn in the serial part of its image has come.
    Admitted {
        /// The I/O.
        io: u32,
    },
    /// An IOP has done its part of a start or of a retry: drive the chosen path.
    Drive {
        /// The I/O.
        io: u32,
    },
    /// The channel processor has done the visit of an exchange, if that was alone all the time.
    Visited {
        /// The exchange.
        exchange: u32,
    },
    /// Data for the next chunk of an exchange has come over the channel's bus: put it on the fibre.
    Fetched {
        /// The exchange.
        exchange: u32,
    },
    /// A chunk has entered the fibre: the exchange's next can be prepared.
    Pump {
        /// The exchange.
        exchange: u32,
    },
    /// Frames have arrived at the channel.
    Inbound {
        /// Slot of the transit.
        transit: u32,
    },
    /// An express exchange is answered.
    ExpressAnswer {
        /// Where the answer has been laid aside.
        aside: u32,
    },
    /// The bus of a channel may be free for a burst that waits.
    Bus {
        /// The channel.
        channel: u32,
    },
    /// Their data has gone over the channel's bus.
    Stored {
        /// The exchange.
        exchange: u32,
        /// IUs completed.
        steps: u16,
    },
    /// Frames are ready for a later link that the host's process owns.
    Hop {
        /// Slot of the transit.
        transit: u32,
    },
    /// A credit is back.
    Credit {
        /// The link.
        link: u32,
    },
    /// The control unit's half of an exchange is over.
    Closed {
        /// The exchange.
        exchange: u32,
    },
    /// Frames that an exchange had sent were lost.
    Lost {
        /// The exchange.
        exchange: u32,
    },
    /// The time may be up for an answer to an exchange that has lost frames.
    Timeout {
        /// The exchange.
        exchange: u32,
    },
    /// The first burst of written data has passed the stage that only writes pass.
    Staged {
        /// The exchange.
        exchange: u32,
    },
    /// Data of a unit between channels have come over the sender's bus.
    UnitFetched {
        /// The unit.
        unit: u32,
    },
    /// A unit between channels has entered the fibre.
    UnitEntered {
        /// Its lane.
        lane: u32,
    },
    /// A unit between channels has arrived.
    UnitArrived {
        /// Slot of the transit.
        transit: u32,
    },
    /// Data of a unit between channels have gone over the receiver's bus.
    UnitStored {
        /// The unit.
        unit: u32,
    },
    /// The receiver's processor has done a unit between channels.
    UnitHandled {
        /// The unit.
        unit: u32,
    },
    /// The sender of a unit between channels has the answer to it.
    UnitAnswered {
        /// Its lane.
        lane: u32,
    },
    /// The time is up after which a circuit between channels is requested again.
    CircuitTriedAgain {
        /// The device.
        device: u32,
    },
    /// CP and IOP have done the start of a command of a channel-to-channel device.
    AdapterStarted {
        /// The device and the end, as the lane from there.
        side: u32,
        /// How often the path of the device was lost before.
        epoch: u16,
    },
    /// A channel-to-channel device has rested, and a block may move.
    AdapterMoves {
        /// The device.
        device: u32,
        /// How often the path of the device was lost before.
        epoch: u16,
    },
    /// CP and IOP have done an interrupt of a channel-to-channel device.
    AdapterInterrupt {
        /// The device and the end, as the lane from there.
        side: u32,
        /// How often the path of the device was lost before.
        epoch: u16,
    },
    /// A system at an end of a logical link has something to do although nothing has come.
    IsLinkTimer {
        /// The logical link.
        islink: u32,
        /// The end.
        end: u8,
    },
    /// A login of FCP is complete, unless light was lost meanwhile.
    LoggedIn {
        /// The path.
        path: u32,
        /// How often its link had come up.
        login: u16,
    },
    /// The missing-interrupt time of a start that has lost frames may be up.
    MissingInterrupt {
        /// The I/O.
        io: u32,
    },
    /// A control unit presents control-unit end.
    ControlUnitEnd {
        /// The logical control unit.
        lcu: u32,
    },
    /// A notice of the other end of a circuit, or of the director.
    Circuit {
        /// The exchange.
        exchange: u32,
        /// The notice.
        notice: Notice,
    },
    /// The time is up after which a start that found every director port busy is tried again.
    PortsTriedAgain {
        /// The I/O.
        io: u32,
    },
    /// A disturbance begins or ends.
    Disturbance {
        /// Index in the configuration.
        index: u32,
        /// It begins.
        begins: bool,
    },
}

/// A notice of a circuit to its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The control unit has let it go until the data are there.
    Disconnected,
    /// The control unit has it again.
    Reconnected,
    /// A port that it needs is another circuit's.
    PortBusy,
    /// The channel's own port has been taken by a reconnection meanwhile.
    Overtaken,
}

/// An event of the storage's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StorageEvent {
    /// Frames are ready for the next link.
    Hop {
        /// Slot of the transit.
        transit: u32,
    },
    /// Frames have arrived at a host-adapter port.
    Arrived {
        /// Slot of the transit.
        transit: u32,
    },
    /// The command of an exchange in the express lane has arrived.
    ExpressCommand {
        /// Where it has been laid aside.
        aside: u32,
    },
    /// The command of an exchange in the express lane is ready for the second link of its route.
    ExpressCommandAtDirector {
        /// Where it has been laid aside.
        aside: u32,
    },
    /// The answer of an express exchange is ready for the second link of its route.
    ExpressAnswerAtDirector {
        /// Where it has been laid aside.
        aside: u32,
    },
    /// The ports of a command that a bridge holds are free and its own.
    Bridged {
        /// Slot of the transit.
        transit: u32,
    },
    /// The last of an exchange has left what is behind a bridge.
    Released {
        /// The exchange.
        exchange: u32,
    },
    /// A cache miss: the track is to be staged.
    Stage {
        /// The exchange.
        exchange: u32,
    },
    /// The control unit may send its next IU.
    Send {
        /// The exchange.
        exchange: u32,
    },
    /// The port has worked on what an exchange sends, behind other work: it enters the fibre.
    Leave {
        /// The exchange.
        exchange: u32,
    },
    /// A chunk has entered the fibre: the exchange's next can be prepared.
    Pump {
        /// The exchange.
        exchange: u32,
    },
    /// Frames that an exchange had sent were lost.
    Lost {
        /// The exchange.
        exchange: u32,
    },
    /// The time may be up for an answer to an exchange that has lost frames.
    Timeout {
        /// The exchange.
        exchange: u32,
    },
    /// The bus of a port may be free for what waits for it.
    Bus {
        /// The port.
        port: u32,
    },
    /// A credit is back.
    Credit {
        /// The link.
        link: u32,
    },
    /// The time is up after which a busy control unit presents control-unit end.
    BusyOver {
        /// The logical control unit.
        lcu: u32,
    },
    /// A circuit between channels is over.
    CircuitOver {
        /// The device.
        device: u32,
    },
    /// A disturbance begins or ends.
    Disturbance {
        /// Index in the configuration.
        index: u32,
        /// It begins.
        begins: bool,
    },
}

const _: () = assert!(size_of::<HostEvent>() == 8 && size_of::<StorageEvent>() == 8);

/// An event on the side of the images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageEvent {
    /// An open stream's next I/O arrives.
    Arrival {
        /// The stream.
        stream: u32,
    },
    /// The next row of a stream that follows a trace is due.
    Row {
        /// The stream.
        stream: u32,
    },
    /// A job of a closed stream has thought.
    Ready {
        /// The stream.
        stream: u16,
        /// The job.
        job: u32,
    },
    /// An IOP has processed the interrupt: it comes from the channel subsystem.
    Interrupt {
        /// The I/O.
        io: u32,
    },
    /// A CP that the interrupt has waited for takes it.
    Complete {
        /// The I/O.
        io: u32,
    },
    /// A SCSI command has ended, and its response is for the queue of its subchannel.
    Response {
        /// The I/O.
        io: u32,
    },
    /// A disturbance of synchronous I/O begins or ends.
    Disturbance {
        /// Index among those of synchronous I/O.
        index: u32,
        /// It begins.
        begins: bool,
    },
    /// The next request of a program that compresses comes.
    Compression {
        /// The program.
        flow: u32,
    },
    /// The data of a compressed stream are to grow again behind a read.
    Expand {
        /// The stream.
        stream: u16,
        /// Its job.
        job: u32,
    },
    /// A request of a compressed stream has ended, and its job goes on.
    Compressed {
        /// Its slot among those that wait.
        slot: u32,
    },
    /// A slice ends on a compression card.
    SliceEnds {
        /// Machine and card, a byte each.
        place: u16,
        /// Number of the slice on the card.
        number: u32,
    },
    /// An outage of compression cards begins or ends.
    CardOutage {
        /// Index among these outages.
        index: u32,
        /// It begins.
        begins: bool,
    },
    /// A connection takes a step.
    Conversation {
        /// The connection.
        connection: u32,
        /// Its moves before.
        moves: u16,
        /// Its step.
        step: Step,
    },
    /// An outage of RoCE functions begins or ends.
    FunctionOutage {
        /// Index among these outages.
        index: u32,
        /// It begins.
        begins: bool,
    },
    /// A CP may be free for a synchronous request, or its outcome is there.
    Synchronous {
        /// The request.
        attempt: u32,
    },
}
