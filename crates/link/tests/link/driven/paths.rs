//! Two paths to one control unit: one is pulled, and the I/O goes on over the other until it is back.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use halftrack_base::Time;
use halftrack_link::driver::{Drive, Progress, Stage, Surroundings};
use halftrack_link::{FrameDirection, FrameKind, FrameTap, StopSignal};
use halftrack_wire::{Eof, FcFrame, Sof};

use crate::driven::site::{Cable, channel, make_volumes, run, serve_tcp, tcp};

const TWO_SECONDS: &str = r#"
[[alias]]
base = "00"
addresses = ["80-87"]
[run]
duration_s = 2
[[stream]]
name = "oltp"
devices = ["00-01"]
cylinders = "1-2"
program = { block = "4K" }
read_share = 0.7
closed = { jobs = 12 }
"#;

/// Looks at the run that the path is given to come back, a quarter of a second each.
const LOOKS: u32 = 8;

/// The path is pulled when I/O has come, and the run ends when it is back: nothing depends on how fast the machine is.
#[test]
fn a_pulled_path_costs_no_io_and_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let places = serve_tcp(directory.path(), 2);
    let cable = Cable::to(&places[0]);
    let a_minute = TWO_SECONDS.replace("duration_s = 2", "duration_s = 60");
    let file = channel(&[cable.place.clone(), places[1].clone()], &a_minute);
    let connectors = tcp(&file);
    let (mut stop, handle) = StopSignal::by_hand().unwrap();
    let mut polls = 0;
    let mut pull_and_end = |progress: &Progress| {
        if polls == 0 && progress.stage == Stage::Running && progress.ios > 0 {
            cable.pull();
            polls = 1;
        } else if polls > 0 {
            polls += 1;
            if polls > LOOKS && progress.paths == 2 {
                handle.stop();
            }
        }
    };
    let mut around = Surroundings { taps: &mut |_| None, progress: &mut pull_and_end, stop: Some(&mut stop) };
    let report = Drive::new(file, connectors).run(true, &mut around).unwrap();
    assert!(report.is_right() && report.interrupted, "{report:?}");
    let one = &report.streams[0].statistics;
    assert!(one.by_path[0] > 0 && one.by_path[1] > 0, "{:?}", one.by_path);
    assert_eq!((report.paths[0].losses, report.paths[1].losses), (1, 0));
    assert!(report.paths.iter().all(|path| path.online), "{:?}", report.paths);
}

#[test]
fn without_any_path_the_run_ends_and_says_why() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let file = channel(&["127.0.0.1:1".to_owned()], TWO_SECONDS);
    let connectors = tcp(&file);
    let error = run(file, connectors, false).unwrap_err().to_string();
    assert!(error.starts_with("no channel path came online: path 40: no connection"), "{error}");
}

/// Stalls a cable for longer than an exchange and its withdrawal wait, at the first frame for a device.
struct StallsAtFirst(Option<Arc<Cable>>);

impl FrameTap for StallsAtFirst {
    fn frame(&mut self, _: FrameDirection, _: Time, _: Sof, frame: &[u8], _: Eof) {
        let is_for_device = |frame: FcFrame<'_>| FrameKind::of(&frame) == FrameKind::Device;
        if FcFrame::parse(frame).is_ok_and(is_for_device)
            && let Some(cable) = self.0.take()
        {
            cable.stall(true);
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(4200));
                cable.stall(false);
            });
        }
    }
}

/// A device that does not answer in time when it is varied online is varied online once more.
#[test]
fn a_control_unit_that_is_slow_at_the_beginning_ends_nothing() {
    let directory = tempfile::tempdir().unwrap();
    make_volumes(directory.path(), 2);
    let cable = Arc::new(Cable::to(&serve_tcp(directory.path(), 1)[0]));
    let few = TWO_SECONDS.replace("duration_s = 2", "ios = 50");
    let file = channel(std::slice::from_ref(&cable.place), &few);
    let connectors = tcp(&file);
    let mut tap = Some(StallsAtFirst(Some(Arc::clone(&cable))));
    let mut around = Surroundings {
        taps: &mut |_| tap.take().map(|tap| Box::new(tap) as Box<dyn FrameTap>),
        progress: &mut |_| (),
        stop: None,
    };
    let report = Drive::new(file, connectors).run(true, &mut around).unwrap();
    assert!(report.is_right(), "{report:?}");
}
