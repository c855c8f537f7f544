//! Laws of the exchanges of an FCP target for messages in any order. The tests of `exchange` run the committed corpus and random
//! octets through the same function.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_exchange::fcp::{FcpAgreement, FcpMessage, FcpTimers, Nexus, ScsiDevice, ScsiEnding, TaskSet};
use halftrack_wire::fcp::{
    Cdb, DataDirection, FcpCategory, FcpCommand, FcpIu, FcpTask, Lun, ResponseCode, ScsiStatus,
    TaskManagement,
};

/// Time after which everything that waits for an initiator has given up.
const LONG: Span = Span::from_s(3600);
const BURST_BYTES: u32 = 64;

/// Device whose answers are octets of the CDB.
struct WildDevice;

impl ScsiDevice for WildDevice {
    fn data_out_bytes(&mut self, _: Nexus, cdb: &Cdb) -> Result<u32, ScsiEnding> {
        match cdb.octets()[0] % 4 {
            0 | 1 => Ok(0),
            2 => Ok(u32::from(cdb.octets()[1])),
            _ => Err(ScsiEnding { status: ScsiStatus::BUSY, ..ScsiEnding::default() }),
        }
    }

    fn execute(&mut self, _: Nexus, cdb: &Cdb, data: &[u8]) -> ScsiEnding {
        let octets = cdb.octets();
        assert!(data.len() <= usize::from(octets[1]), "more data than the command takes");
        let data =
            if octets[0].is_multiple_of(4) { vec![octets[2]; usize::from(octets[1])] } else { Vec::new() };
        ScsiEnding { data, wants_confirmation: octets[2] & 1 != 0, ..ScsiEnding::default() }
    }

    fn manage(&mut self, _: Nexus, function: TaskManagement) -> ResponseCode {
        if function == TaskManagement::ClearAca { ResponseCode::Rejected } else { ResponseCode::Complete }
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
    tasks: TaskSet,
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
    let tasks = TaskSet::default();
    let mut all = Exchanges { now: Time::ZERO, agreement, tasks, begun: 0, ended: 0, seen: BTreeMap::new() };
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
                return self.tasks.handle_timeout(self.now);
            }
            14 => return self.tasks.handle_logout(tag.0),
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

    fn handle(&mut self, tag: (u32, u16), message: FcpMessage) {
        self.tasks.handle(&mut WildDevice, self.now, tag, &self.agreement, message);
    }

    fn receive(&mut self) {
        while let Some((tag, message)) = self.tasks.poll_transmit() {
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
        self.ended += std::iter::from_fn(|| self.tasks.poll_outcome()).count();
        assert!(self.ended <= self.begun, "an exchange has two outcomes");
    }

    fn finish(mut self) {
        self.now = self.now.saturating_add(LONG);
        for _ in 0..2 {
            self.tasks.handle_timeout(self.now);
            self.receive();
            self.now = self.now.saturating_add(LONG);
        }
        assert_eq!((self.tasks.open(), self.ended), (0, self.begun), "exchanges stay open");
    }
}
