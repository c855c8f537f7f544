//! A logical control unit as the channel subsystem of a partition sees it: its path group and what its paths were used for.

use halftrack_subsystem::PathGroup;

/// Busy answers to one path of a view in this interval: counts and times.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PathBusySums {
    pub director_port_busy: u64,
    pub control_unit_busy: u64,
    pub control_unit_busy_ps: u64,
}

/// A logical control unit as one partition sees it. What every start touches fills the first two lines of the cache.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(super) struct LcuView {
    /// From START SUBCHANNEL to the first attempt, ps.
    pub css_delay_ps: u64,
    pub lpar: u32,
    pub lcu: u32,
    /// First of its paths among all paths.
    pub first_path: u32,
    /// Paths and their rotation.
    pub group: PathGroup,
    /// Starts that each path took in this interval.
    pub taken: [u64; 8],
    /// Their busy answers.
    pub path_busy: [PathBusySums; 8],
    /// Starts put on the control-unit-header queue in this interval, the lengths found, and how many are on it.
    pub queued: u64,
    pub queue_sum: u64,
    waiting: u32,
}

impl LcuView {
    pub(super) fn new(lpar: u32, lcu: u32, group: PathGroup, first_path: u32) -> Self {
        Self {
            lpar,
            lcu,
            group,
            first_path,
            taken: [0; 8],
            path_busy: [PathBusySums::default(); 8],
            queued: 0,
            queue_sum: 0,
            waiting: 0,
            css_delay_ps: 0,
        }
    }

    /// Puts a start on the control-unit-header queue.
    #[cold]
    pub(super) fn enqueue(&mut self) {
        self.waiting += 1;
        self.queued += 1;
        self.queue_sum += u64::from(self.waiting);
    }

    /// Takes a start off the control-unit-header queue.
    #[cold]
    pub(super) fn dequeue(&mut self) {
        self.waiting -= 1;
    }

    /// Begins a new interval.
    pub(super) fn reset(&mut self) {
        self.taken = [0; 8];
        self.path_busy = [PathBusySums::default(); 8];
        (self.queued, self.queue_sum, self.css_delay_ps) = (0, 0, 0);
    }
}
