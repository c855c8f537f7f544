//! Frames and bytes of each side, which must balance.

use super::law::Law;

/// Frames and bytes that one logical process has sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub frames_sent: u64,
    pub bytes_sent: u64,
    pub frames_received: u64,
    pub bytes_received: u64,
}

impl Traffic {
    /// Counts frames that an end point has put on its fibre.
    #[inline]
    pub(crate) fn frames_sent(&mut self, frames: u16, bytes: u32) {
        self.frames_sent += u64::from(frames);
        self.bytes_sent += u64::from(bytes);
    }

    /// Counts frames that have reached an end point.
    #[inline]
    pub(crate) fn frames_received(&mut self, frames: u16, bytes: u32) {
        self.frames_received += u64::from(frames);
        self.bytes_received += u64::from(bytes);
    }
}

/// Checks that frames and bytes sent by one side were received by the other or are still under way.
/// `under_way` counts frames and bytes found in the event sets and queues.
pub(crate) fn check_traffic(
    law: &mut Law,
    direction: &str,
    sender: &Traffic,
    receiver: &Traffic,
    under_way: (u64, u64),
) {
    let (frames, bytes) = under_way;
    law.check(sender.frames_sent == receiver.frames_received + frames, || {
        format!(
            "{direction}: {} frames sent, {} received, {frames} under way",
            sender.frames_sent, receiver.frames_received
        )
    });
    law.check(sender.bytes_sent == receiver.bytes_received + bytes, || {
        format!(
            "{direction}: {} bytes sent, {} received, {bytes} under way",
            sender.bytes_sent, receiver.bytes_received
        )
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_frame_is_seen() {
        let (mut sender, mut receiver) = (Traffic::default(), Traffic::default());
        sender.frames_sent(3, 4096);
        receiver.frames_received(2, 2048);
        let mut law = Law::new("frames and bytes are conserved");
        check_traffic(&mut law, "outbound", &sender, &receiver, (1, 2048));
        assert!(law.report().violations.is_empty());
        check_traffic(&mut law, "outbound", &sender, &receiver, (0, 0));
        assert_eq!(law.report().violations.len(), 2);
    }
}
