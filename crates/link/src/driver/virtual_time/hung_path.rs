//! One of four paths hangs: it answers probes and loses every frame of a device.

use halftrack_base::{Span, Time};

use super::fault::{Event, Fault};
use super::history::violations;
use super::{Rig, Site};

/// When the path hangs, from the begin of the run, and when it works again.
const HANGS: (Span, Span) = (Span::from_s(2), Span::from_s(42));

/// Runs many jobs over four paths of which one hangs; the rig, and when the run began.
fn run(protocol: &str) -> (Rig, Time) {
    let directory = tempfile::tempdir().unwrap();
    let text = format!(
        "[[alias]]\nbase = \"00\"\naddresses = [\"80-83\"]\n[run]\nduration_s = 3600\n[[stream]]\nname = \"s\"\n\
         devices = [\"00\"]\nprogram = {{ record_bytes = 1024, records = 1 }}\nread_share = 0.4\n\
         protocol = \"{protocol}\"\nclosed = {{ jobs = 8, think_us = 2000 }}\n"
    );
    let site = Site {
        km: &[10; 4],
        cascades: &[None; 4],
        links: 0,
        clock: None,
        channel: ("", &text),
        fenced: true,
    };
    let mut rig = Rig::new(directory.path(), &site);
    rig.bring_up();
    let began = rig.now();
    let (at, lasts) = (began.saturating_add(HANGS.0), HANGS.1.saturating_sub(HANGS.0));
    rig.drive(vec![Event { at, path: 0, lasts, fault: Fault::Hang }], Span::from_s(50));
    (rig, began)
}

/// Returns the I/Os that ended in each second from `began` on.
fn ended_by_second(rig: &Rig, began: Time) -> Vec<u64> {
    let mut seconds = vec![0; HANGS.1.as_s_f64() as usize];
    for event in &rig.driver.as_ref().unwrap().history {
        let second = event.ended.saturating_since(began).as_s_f64() as usize;
        if let Some(count) = seconds.get_mut(second) {
            *count += 1;
        }
    }
    seconds
}

fn mean(seconds: &[u64]) -> f64 {
    seconds.iter().sum::<u64>() as f64 / seconds.len() as f64
}

/// It costs at most 40 % of the I/Os from 10 s after it hung, at no time all of them, and the path returns when it works.
#[test]
fn a_path_that_hangs_leaves_the_group_until_it_is_tested_well() {
    for protocol in ["transport", "command"] {
        let (rig, began) = run(protocol);
        let driver = rig.driver.as_ref().unwrap();
        let found = violations(&driver.history);
        assert!(found.is_empty() && driver.ledger().failed == 0, "{found:?} {:?}", driver.ledger());
        let seconds = ended_by_second(&rig, began);
        let (before, hung) = (mean(&seconds[..2]), mean(&seconds[12..]));
        assert!(hung >= 0.6 * before, "{protocol}: {before} before, {hung} while one path of four hangs");
        assert!(!seconds.contains(&0), "{protocol}: nothing ended for a second: {seconds:?}");
        assert!(rig.online.iter().all(|online| *online), "{protocol}: the path that works again is not used");
    }
}
