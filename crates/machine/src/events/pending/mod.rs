//! Pending events of the logical processes: a lane for each kind of which there are many, because most delays of a
//! kind are constant; all others wait together.

mod credits;
mod host;
mod images;
mod lanes;
mod saps;
mod storage;

pub(crate) use self::credits::ReturningCredits;
pub(crate) use self::host::{HostPending, Turn};
pub(crate) use self::images::ImageLines;
pub(crate) use self::lanes::{MessageLane, Slots};
pub(crate) use self::saps::SapsPending;
pub(crate) use self::storage::StoragePending;

/// Places of the lines of each process in its tournament of [`Heads`](halftrack_engine::Heads): the more events of a line an
/// I/O has, the nearer to the root.
pub(crate) mod leaf {
    pub(crate) const STARTED: usize = 4;
    pub(crate) const DRIVE: usize = 5;
    pub(crate) const REPORT: usize = 5;
    pub(crate) const VISITED: usize = 12;
    pub(crate) const ANSWER: usize = 13;
    pub(crate) const INTERRUPT: usize = 14;
    pub(crate) const INBOUND: usize = 30;
    pub(crate) const IMAGE_OTHERS: usize = 62;
    pub(crate) const FETCHED: usize = 252;
    pub(crate) const STORED: usize = 253;
    pub(crate) const PROCESSORS: usize = 254;
    pub(crate) const HOST_OTHERS: usize = 255;
    pub(crate) const COMMAND: usize = 4;
    pub(crate) const SEND: usize = 5;
    pub(crate) const COMMAND_AT_DIRECTOR: usize = 12;
    pub(crate) const ANSWER_AT_DIRECTOR: usize = 13;
    pub(crate) const ARRIVED: usize = 14;
    pub(crate) const HOP: usize = 30;
    pub(crate) const PUMP: usize = 62;
    pub(crate) const CREDIT: usize = 126;
    pub(crate) const STORAGE_OTHERS: usize = 127;
}

#[cfg(test)]
mod tests {
    /// No line stands above another in its tournament: their nodes would be each other's.
    #[test]
    fn leaves_are_leaves() {
        use super::leaf::*;

        let host = [
            STARTED,
            DRIVE,
            VISITED,
            INBOUND,
            INTERRUPT,
            ANSWER,
            IMAGE_OTHERS,
            PROCESSORS,
            HOST_OTHERS,
            FETCHED,
            STORED,
        ];
        let storage = [
            COMMAND,
            SEND,
            COMMAND_AT_DIRECTOR,
            ANSWER_AT_DIRECTOR,
            ARRIVED,
            HOP,
            PUMP,
            CREDIT,
            STORAGE_OTHERS,
        ];
        let saps = [STARTED, REPORT, INTERRUPT, IMAGE_OTHERS, HOST_OTHERS];
        for lines in [&host[..], &saps, &storage] {
            for leaf in lines {
                let above =
                    std::iter::successors(Some(leaf / 2), |node| Some(node / 2)).take_while(|node| *node > 0);
                assert!(*leaf > 1 && above.clone().all(|node| !lines.contains(&node)));
                assert_eq!(lines.iter().filter(|line| *line == leaf).count(), 1);
            }
        }
    }
}
