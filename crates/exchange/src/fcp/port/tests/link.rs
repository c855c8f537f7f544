//! Both ports with a fibre between them on which frames can be lost, and a disk of 64 blocks.

use std::collections::{BTreeMap, VecDeque};

use halftrack_base::Time;
use halftrack_wire::els::{Els, ElsReply, ExchangeStatus, LsReject, RejectExplanation};
use halftrack_wire::fc_header::{FcHeader, fc_type, routing};
use halftrack_wire::fcp::{
    Cdb, FcpCommand, FcpTask, Lun, Residual, ResponseCode, ScsiStatus, TaskManagement,
};
use halftrack_wire::{Eof, FcFrame, FrameSink, Sof};

use crate::fcp::rig::{UNIT, agreement, cdb};
use crate::fcp::{
    CommandEnd, FcpAgreement, FcpInitiatorPort, FcpOutcome, FcpPeer, FcpRequest, FcpTargetPort, ScsiDevice,
    ScsiEnding, ScsiProgress, TaskTag,
};

pub const BLOCK: usize = 512;
pub const INITIATOR: u32 = 0x01_0100;
pub const TARGET: u32 = 0x01_0200;
/// Most octets of a sequence of data.
pub const BURST: usize = 2048;

/// A disk that takes bursts.
pub struct Disk {
    pub blocks: Vec<u8>,
    /// Writes whose data have not come.
    writes: BTreeMap<TaskTag, FcpCommand>,
    pub progress: VecDeque<(TaskTag, ScsiProgress)>,
    /// The next command waits.
    pub holds: bool,
}

fn extent(cdb: &Cdb) -> std::ops::Range<usize> {
    let octets = cdb.octets();
    usize::from(octets[5]) * BLOCK..(usize::from(octets[5]) + usize::from(octets[8])) * BLOCK
}

impl Disk {
    fn new() -> Self {
        let blocks = (0..64 * BLOCK).map(|at| (at / 7) as u8).collect();
        Self { blocks, writes: BTreeMap::new(), progress: VecDeque::new(), holds: false }
    }

    pub fn run(&mut self, task: TaskTag, command: &FcpCommand) -> ScsiProgress {
        let FcpTask::Command { cdb, .. } = command.task else { return ScsiProgress::Aborted };
        match cdb.operation_code() {
            0x2A => {
                self.writes.insert(task, *command);
                ScsiProgress::DataOut(extent(&cdb).len() as u32)
            }
            0x28 => {
                let data = self.blocks[extent(&cdb)].to_vec();
                ScsiProgress::Ended(ScsiEnding { data, ..ScsiEnding::default() })
            }
            0x00 => ScsiProgress::Ended(ScsiEnding::default()),
            _ => ScsiProgress::Ended(ScsiEnding {
                status: ScsiStatus::CHECK_CONDITION,
                sense: vec![0x70; 18],
                residual: Residual::of(0, command.transfer().1),
                wants_confirmation: true,
                ..ScsiEnding::default()
            }),
        }
    }
}

impl ScsiDevice for Disk {
    fn begin(&mut self, _: Time, task: TaskTag, command: &FcpCommand) -> ScsiProgress {
        if std::mem::take(&mut self.holds) {
            return ScsiProgress::Waits;
        }
        self.run(task, command)
    }

    fn finish(&mut self, _: Time, task: TaskTag, data: &[u8]) -> ScsiProgress {
        let command = self.writes.remove(&task).expect("a write");
        let FcpTask::Command { cdb, .. } = command.task else { panic!("a command") };
        self.blocks[extent(&cdb)].copy_from_slice(data);
        ScsiProgress::Ended(ScsiEnding::default())
    }

    fn abort(&mut self, _: Time, task: TaskTag) {
        self.writes.remove(&task);
    }

    fn manage(&mut self, _: Time, _: u32, _: Lun, _: TaskManagement) -> ResponseCode {
        let ended = std::mem::take(&mut self.writes);
        self.progress.extend(ended.into_keys().map(|task| (task, ScsiProgress::Aborted)));
        ResponseCode::Complete
    }

    fn poll_progress(&mut self) -> Option<(TaskTag, ScsiProgress)> {
        self.progress.pop_front()
    }

    fn read_again(&mut self, _: u32, command: &FcpCommand) -> Option<Vec<u8>> {
        let FcpTask::Command { cdb, .. } = command.task else { return None };
        (cdb.operation_code() == 0x28).then(|| self.blocks[extent(&cdb)].to_vec())
    }

    fn lend(&mut self, _: &mut Vec<u8>) {}
}

/// A frame on its way.
#[derive(Debug, Clone)]
pub struct Sent {
    pub header: FcHeader,
    pub payload: Vec<u8>,
}

#[derive(Default)]
struct Frames(VecDeque<Sent>);

impl FrameSink for Frames {
    fn frame(&mut self, _: Sof, header: &FcHeader, parts: &[&[u8]], _: Eof) {
        self.0.push_back(Sent { header: *header, payload: parts.concat() });
    }
}

/// Both ports, the fibre, the disk, and the time.
pub struct Link {
    pub initiator: FcpInitiatorPort,
    pub target: FcpTargetPort,
    pub disk: Disk,
    pub now: Time,
    agreement: FcpAgreement,
    /// Frames that were sent so far, and the numbers of those that are lost.
    pub sent: Vec<Sent>,
    pub lost: Vec<usize>,
}

impl Link {
    pub fn new(is_retried: bool, room: u16) -> Self {
        let agreement = FcpAgreement { burst_bytes: BURST as u32, ..agreement(is_retried) };
        let mut link = Self {
            initiator: FcpInitiatorPort::new(room),
            target: FcpTargetPort::new(room),
            disk: Disk::new(),
            now: Time::ZERO,
            agreement,
            sent: Vec::new(),
            lost: Vec::new(),
        };
        let peer = link.peer(TARGET, INITIATOR);
        link.target.log_in(Time::ZERO, peer, &mut link.disk);
        link
    }

    fn peer(&self, own: u32, address: u32) -> FcpPeer {
        FcpPeer { own, address, frame_payload_bytes: 512, agreement: self.agreement }
    }

    pub fn start(&mut self, request: FcpRequest, tag: u32) -> bool {
        let peer = self.peer(INITIATOR, TARGET);
        self.initiator.start(self.now, &peer, request, tag)
    }

    fn try_lose(&mut self, frame: &Sent) -> bool {
        self.sent.push(frame.clone());
        self.lost.contains(&(self.sent.len() - 1))
    }

    /// Carries what both have to send; false when there was nothing.
    pub fn carry(&mut self) -> bool {
        let mut frames = Frames::default();
        while self.initiator.poll_frame(&mut frames) {}
        let mut is_quiet = frames.0.is_empty();
        for frame in frames.0 {
            if !self.try_lose(&frame) {
                self.carry_to_target(&frame);
            }
        }
        let mut frames = Frames::default();
        while self.target.poll_frame(self.now, &mut frames) {}
        is_quiet &= frames.0.is_empty();
        for frame in frames.0 {
            if !self.try_lose(&frame) {
                self.carry_to_initiator(&frame);
            }
        }
        !is_quiet
    }

    fn carry_to_target(&mut self, sent: &Sent) {
        let frame = FcFrame { header: sent.header, optional: &[], payload: &sent.payload };
        if sent.header.fc_type != fc_type::EXTENDED_LINK_SERVICE {
            // A frame of an exchange that is over has no effect.
            let _ = self.target.handle_frame(self.now, &frame, &mut self.disk);
            return;
        }
        let reply = match Els::parse(&sent.payload).expect("a request") {
            Els::Rec(ids) => match self.target.exchange_state(ids.originator, ids.ox_id) {
                Some(state) => ElsReply::ExchangeStatus(ExchangeStatus {
                    received_bytes: state.received_bytes,
                    status: if state.has_initiative { ExchangeStatus::INITIATIVE } else { 0 }
                        | if state.is_complete { ExchangeStatus::COMPLETE } else { 0 },
                    ..ExchangeStatus::default()
                }),
                None => ElsReply::Reject(LsReject {
                    reason: RejectExplanation::LogicalError,
                    explanation: LsReject::NO_SUCH_EXCHANGE,
                    vendor: 0,
                }),
            },
            _ => ElsReply::Accept,
        };
        let header = FcHeader { r_ctl: routing::ELS_REPLY, s_id: TARGET, d_id: INITIATOR, ..sent.header };
        let answer = Sent { header, payload: reply.emit() };
        if !self.try_lose(&answer) {
            self.carry_to_initiator(&answer);
        }
    }

    fn carry_to_initiator(&mut self, sent: &Sent) {
        let frame = FcFrame { header: sent.header, optional: &[], payload: &sent.payload };
        // A frame of an exchange that is over has no effect.
        let _ = self.initiator.handle_frame(self.now, &frame);
    }

    /// Lets time pass until both are quiet and no timer of an open exchange of the initiator runs.
    pub fn run(&mut self) -> Vec<CommandEnd> {
        let mut ends = Vec::new();
        for _ in 0..10_000 {
            while self.carry() {}
            ends.extend(std::iter::from_fn(|| self.initiator.poll_end()));
            if self.initiator.open() == 0 {
                return ends;
            }
            let timers = [self.initiator.poll_timeout(), self.target.poll_timeout()];
            self.now = timers.into_iter().flatten().min().expect("a timer of what is open").max(self.now);
            self.initiator.handle_timeout(self.now);
            self.target.handle_timeout(self.now, &mut self.disk);
        }
        panic!("it goes on for ever: {:?}", self.sent.last());
    }
}

pub fn read(from: u8, blocks: u8) -> FcpRequest {
    FcpRequest::read(UNIT, cdb(0x28, from, blocks), u32::from(blocks) * BLOCK as u32)
}

pub fn write(from: u8, blocks: u8, octet: u8) -> FcpRequest {
    FcpRequest::write(UNIT, cdb(0x2A, from, blocks), vec![octet; usize::from(blocks) * BLOCK])
}

pub fn is_good(end: &CommandEnd) -> bool {
    matches!(end.outcome, FcpOutcome::Ended { status: ScsiStatus::GOOD, residual: Residual::None, .. })
}
