//! Both ports take no memory for an I/O once their buffers are there.

use halftrack_base::Time;
use halftrack_wire::fc_header::FcHeader;
use halftrack_wire::fcp::{FcpCommand, Lun, ResponseCode, TaskManagement};
use halftrack_wire::{Eof, FcFrame, FrameSink, Sof};

use super::link::{BLOCK, INITIATOR, TARGET, is_good, read, write};
use crate::fcp::rig::agreement;
use crate::fcp::{
    FcpAgreement, FcpInitiatorPort, FcpPeer, FcpTargetPort, ScsiDevice, ScsiEnding, ScsiProgress, TaskTag,
};

/// Blocks of an I/O, and octets of a frame.
const BLOCKS: u8 = 8;
const FRAME: usize = 2048;

/// A disk without contents, which reads into the buffer that it was lent.
#[derive(Default)]
struct Null(Vec<u8>);

impl ScsiDevice for Null {
    fn begin(&mut self, _: Time, _: TaskTag, command: &FcpCommand) -> ScsiProgress {
        let bytes = usize::from(BLOCKS) * BLOCK;
        if command.transfer().0 == halftrack_wire::fcp::DataDirection::Out {
            return ScsiProgress::DataOut(bytes as u32);
        }
        let mut data = std::mem::take(&mut self.0);
        data.clear();
        data.resize(bytes, 7);
        ScsiProgress::Ended(ScsiEnding { data, ..ScsiEnding::default() })
    }

    fn finish(&mut self, _: Time, _: TaskTag, _: &[u8]) -> ScsiProgress {
        ScsiProgress::Ended(ScsiEnding::default())
    }

    fn abort(&mut self, _: Time, _: TaskTag) {}

    fn manage(&mut self, _: Time, _: u32, _: Lun, _: TaskManagement) -> ResponseCode {
        ResponseCode::Rejected
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        if buffer.capacity() > self.0.capacity() {
            std::mem::swap(buffer, &mut self.0);
        }
    }
}

/// Frames in memory that is there before.
struct Frames(Vec<(FcHeader, [u8; FRAME], usize)>);

impl FrameSink for Frames {
    fn frame(&mut self, _: Sof, header: &FcHeader, parts: &[&[u8]], _: Eof) {
        let (mut payload, mut end) = ([0; FRAME], 0);
        for part in parts {
            payload[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        self.0.push((*header, payload, end));
    }
}

#[test]
fn an_io_takes_no_memory_of_its_own() {
    let agreement = FcpAgreement { burst_bytes: 0, ..agreement(true) };
    let peer = |own, address| FcpPeer { own, address, frame_payload_bytes: 2112, agreement };
    let (mut initiator, mut target) = (FcpInitiatorPort::new(4), FcpTargetPort::new(4));
    let (mut disk, now) = (Null::default(), Time::ZERO);
    target.log_in(now, peer(TARGET, INITIATOR), &mut disk);
    let mut frames = Frames(Vec::with_capacity(16));
    let mut run = |request| {
        allocation_counter::measure(|| {
            assert!(initiator.start(now, &peer(INITIATOR, TARGET), request, 1));
            loop {
                while initiator.poll_frame(&mut frames) {}
                let is_quiet = frames.0.is_empty();
                for (header, payload, bytes) in frames.0.drain(..) {
                    let frame = FcFrame { header, optional: &[], payload: &payload[..bytes] };
                    target.handle_frame(now, &frame, &mut disk).unwrap();
                }
                while target.poll_frame(now, &mut frames) {}
                for (header, payload, bytes) in frames.0.drain(..) {
                    let frame = FcFrame { header, optional: &[], payload: &payload[..bytes] };
                    initiator.handle_frame(now, &frame).unwrap();
                }
                if is_quiet {
                    break;
                }
            }
            let end = initiator.poll_end().unwrap();
            assert!(is_good(&end) && end.data.len() == usize::from(BLOCKS) * BLOCK);
            initiator.recycle(end.data);
        })
        .count_total
    };
    for _ in 0..700 {
        let (reading, writing) = (read(0, BLOCKS), write(0, BLOCKS, 9));
        run(reading);
        run(writing);
    }
    assert_eq!([run(read(0, BLOCKS)), run(write(0, BLOCKS, 9))], [0, 0]);
}
