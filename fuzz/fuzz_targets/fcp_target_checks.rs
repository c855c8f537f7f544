//! Laws of the exchanges of an FCP target for messages in any order. The tests of `exchange` run the committed corpus and random
//! octets through the same function.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_exchange::fcp::{
    FcpAgreement, FcpMessage, FcpTarget, FcpTimers, ScsiDevice, ScsiEnding, ScsiProgress, TaskTag,
};
use halftrack_wire::fcp::{
    Cdb, DataDirection, FcpCategory, FcpCommand, FcpIu, FcpTask, Lun, Residual, ResponseCode, ScsiStatus,
    TaskManagement,
};

/// Time after which everything that waits for an initiator has given up.
const LONG: Span = Span::from_s(3600);
const BURST_BYTES: u32 = 64;

/// Device whose answers are octets of the CDB.
#[derive(Default)]
struct WildDevice {
    /// Commands that wait for data.
    open: BTreeMap<TaskTag, FcpCommand>,
}

impl WildDevice {
    fn end(command: &FcpCommand, cdb: &Cdb) -> ScsiProgress {
        let octets = cdb.octets();
        let (direction, stated_bytes) = command.transfer();
        let mut data =
            if octets[0].is_multiple_of(4) { vec![octets[2]; usize::from(octets[1])] } else { Vec::new() };
        let residual = Residual::of(data.len() as u64, stated_bytes);
        data.truncate(if direction == DataDirection::In { stated_bytes as usize } else { 0 });
        let wants_confirmation = octets[2] & 1 != 0;
        ScsiProgress::Ended(ScsiEnding { data, residual, wants_confirmation, ..ScsiEnding::default() })
    }
}

impl ScsiDevice for WildDevice {
    fn begin(&mut self, _: Time, task: TaskTag, command: &FcpCommand) -> ScsiProgress {
        let FcpTask::Command { cdb, .. } = command.task else { panic!("a function is no command") };
        let (direction, stated_bytes) = command.transfer();
        match cdb.octets()[0] % 4 {
            2 if direction == DataDirection::Out && stated_bytes > 0 => {
                self.open.insert(task, *command);
                ScsiProgress::DataOut(stated_bytes)
            }
            3 => ScsiProgress::Ended(ScsiEnding { status: ScsiStatus::BUSY, ..ScsiEnding::default() }),
            _ => Self::end(command, &cdb),
        }
    }

    fn finish(&mut self, _: Time, task: TaskTag, data: &[u8]) -> ScsiProgress {
        let command = self.open.remove(&task).expect("a command that waits for data");
        assert_eq!(data.len(), command.transfer().1 as usize, "other data than the command takes");
        let FcpTask::Command { cdb, .. } = command.task else { panic!("a function is no command") };
        Self::end(&command, &cdb)
    }

    fn abort(&mut self, _: Time, task: TaskTag) {
        assert!(self.open.remove(&task).is_some(), "a command is dropped twice, or is over");
    }

    fn manage(&mut self, _: Time, _: u32, _: Lun, function: TaskManagement) -> ResponseCode {
        if function == TaskManagement::ClearAca { ResponseCode::Rejected } else { ResponseCode::Complete }
    }

    fn read_again(&mut self, _: u32, command: &FcpCommand) -> Option<Vec<u8>> {
        let FcpTask::Command { cdb, .. } = command.task else { return None };
        match Self::end(command, &cdb) {
            ScsiProgress::Ended(ending) => Some(ending.data),
            _ => None,
        }
    }
}

/// An exchange as its initiator sees it.
#[derive(Debug, Default)]
struct Exchange {
    /// Octets that the initiator stated, and those that have come since the response before.
    stated_bytes: u32,
    received_bytes: u64,
}

struct Exchanges {
    now: Time,
    agreement: FcpAgreement,
    device: WildDevice,
    /// Exchanges, with their tags; those before of a tag are over.
    targets: Vec<(TaskTag, FcpTarget)>,
    begun: usize,
    ended: usize,
    seen: BTreeMap<(u32, u16), Exchange>,
}

/// Sends messages to a target, three octets for each. Each command has one outcome, no transfer has more than was stated, and
/// nothing stays open.
pub fn fcp_target(octets: &[u8]) {
    let is_retried = octets.first().is_some_and(|first| first & 1 != 0);
    let timers = FcpTimers::standard(is_retried);
    let agreement = FcpAgreement { is_retried, is_confirmed: true, burst_bytes: BURST_BYTES, timers };
    let (device, targets) = (WildDevice::default(), Vec::new());
    let seen = BTreeMap::new();
    let mut all = Exchanges { now: Time::ZERO, agreement, device, targets, begun: 0, ended: 0, seen };
    for step in octets.chunks_exact(3) {
        all.step(step[0], step[1], step[2]);
        all.receive();
    }
    all.finish();
}

impl Exchanges {
    fn step(&mut self, action: u8, one: u8, two: u8) {
        let tag = (u32::from(action >> 7), u16::from(action >> 5 & 3));
        let iu = match action % 16 {
            0..=4 => FcpIu::Command(self.command(tag, one, two)),
            5..=8 => FcpIu::Data {
                relative_offset: u32::from(one) / 4 * (BURST_BYTES / 4),
                data: vec![two; usize::from(two).max(1)],
            },
            9 => FcpIu::Confirmation,
            10 => FcpIu::Abort,
            11 => return self.handle(tag, FcpMessage::StateRequest),
            12 => {
                let categories = [FcpCategory::Data, FcpCategory::TransferReady, FcpCategory::Response];
                let category = categories[usize::from(one) % categories.len()];
                return self
                    .handle(tag, FcpMessage::Retransmission { category, relative_offset: two.into() });
            }
            13 => {
                self.now = self.now.saturating_add(Span::from_ms(u64::from(one) * u64::from(two)));
                return self.time_out();
            }
            14 => return self.cut_off(|(initiator, _)| initiator == tag.0),
            _ => FcpIu::AbortAccept { ox_id: tag.1, rx_id: one.into() },
        };
        self.handle(tag, FcpMessage::Iu(iu));
    }

    fn command(&mut self, tag: (u32, u16), one: u8, two: u8) -> FcpCommand {
        self.begun += 1;
        let unit = Lun::of_number(u32::from(two & 1)).expect("a small number");
        if one % 8 == 7 {
            let (function, _) = TaskManagement::ALL[usize::from(two) % TaskManagement::ALL.len()];
            self.seen.insert(tag, Exchange::default());
            return FcpCommand { logical_unit: unit, task: FcpTask::Management(function) };
        }
        let cdb = Cdb::new(&[one, two, one ^ two]).expect("a short block");
        let direction =
            [DataDirection::None, DataDirection::In, DataDirection::Out][usize::from(one >> 3) % 3];
        let stated_bytes = u32::from(two ^ (one >> 5 << 4));
        self.seen.insert(tag, Exchange { stated_bytes, received_bytes: 0 });
        FcpCommand::simple(unit, cdb, direction, stated_bytes)
    }

    /// Hands a message to the target of its exchange. A command begins a new one, and ends one before of its tag.
    fn handle(&mut self, tag: TaskTag, message: FcpMessage) {
        if matches!(message, FcpMessage::Iu(FcpIu::Command(_))) {
            self.cut_off(|other| other == tag);
            self.targets.push((tag, FcpTarget::new(tag.0, (tag.1, 1), self.agreement, self.now)));
        }
        if let Some((_, target)) = self.targets.iter_mut().find(|(other, _)| *other == tag) {
            target.handle(&mut self.device, self.now, message);
        }
    }

    fn cut_off(&mut self, is_cut: impl Fn(TaskTag) -> bool) {
        for (_, target) in self.targets.iter_mut().filter(|(tag, _)| is_cut(*tag)) {
            target.handle_link_down(&mut self.device, self.now);
        }
        self.receive();
    }

    fn time_out(&mut self) {
        for (_, target) in &mut self.targets {
            target.handle_timeout(&mut self.device, self.now);
        }
    }

    fn receive(&mut self) {
        let next = |targets: &mut Vec<(TaskTag, FcpTarget)>| {
            targets.iter_mut().find_map(|(tag, target)| Some((*tag, target.poll_transmit()?)))
        };
        while let Some((tag, message)) = next(&mut self.targets) {
            match message {
                FcpMessage::Iu(FcpIu::TransferReady(ready)) => {
                    let end = u64::from(ready.relative_offset) + u64::from(ready.burst_bytes);
                    assert!(ready.burst_bytes > 0 && ready.burst_bytes <= BURST_BYTES);
                    assert!(end <= self.seen[&tag].stated_bytes.into(), "more than the initiator has");
                }
                FcpMessage::Iu(FcpIu::Data { relative_offset, data }) => {
                    let end = u64::from(relative_offset) + data.len() as u64;
                    let exchange = self.seen.get_mut(&tag).expect("data of an exchange");
                    assert!(end <= exchange.stated_bytes.into(), "more than there is room for");
                    exchange.received_bytes = exchange.received_bytes.max(end);
                }
                _ => {}
            }
        }
        let ends = self.targets.iter_mut().filter_map(|(_, target)| target.poll_outcome());
        self.ended += ends.count();
        self.targets.retain(|(_, target)| !target.is_over() || target.has_transmit());
        assert!(self.ended <= self.begun, "an exchange has two outcomes");
    }

    fn finish(mut self) {
        self.now = self.now.saturating_add(LONG);
        for _ in 0..2 {
            self.time_out();
            self.receive();
            self.now = self.now.saturating_add(LONG);
        }
        assert_eq!((self.targets.len(), self.ended), (0, self.begun), "exchanges stay open");
    }
}
