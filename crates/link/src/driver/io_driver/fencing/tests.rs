//! A start that the missing-interrupt handler gives up, over paths that only record their requests.

use halftrack_config::read_channel;
use halftrack_exchange::{Cause, Program};
use halftrack_input::SourceFile;
use halftrack_program::Geometry;
use halftrack_program::command::NO_OPERATION;
use halftrack_subsystem::MISSING_INTERRUPT;

use super::*;
use crate::driver::Driven;
use crate::driver::{Phase, VolumeSize};

const UNIT: u8 = 0;

/// A program that was started.
#[derive(Debug, Clone, Copy)]
pub(in crate::driver::io_driver) struct Started {
    pub(in crate::driver::io_driver) path: u8,
    tag: u32,
    number: StartNumber,
    is_no_operation: bool,
}

/// Paths that take what they are given, but for those that are full.
#[derive(Default)]
pub(in crate::driver::io_driver) struct Paths {
    pub(in crate::driver::io_driver) started: Vec<Started>,
    cancelled: Vec<(u8, u32)>,
    freed: Vec<StartNumber>,
    full: Vec<u8>,
}

impl ChannelPaths for Paths {
    fn start(&mut self, _: Time, path: u8, _: u8, program: &Program, tag: u32) -> Option<StartNumber> {
        if self.full.contains(&path) {
            return None;
        }
        let number = StartNumber::new(self.started.len() as u32 + 1);
        let is_no_operation =
            matches!(program, Program::Command(chain) if chain.commands()[0].command == NO_OPERATION);
        self.started.push(Started { path, tag, number, is_no_operation });
        Some(number)
    }

    fn open(&self, _: u8) -> usize {
        0
    }

    fn cancel(&mut self, _: Time, path: u8, tag: u32) {
        self.cancelled.push((path, tag));
    }

    fn give_up(&mut self, _: u8, number: StartNumber) {
        self.freed.push(number);
    }
}

/// A driver with one write, which nothing answers.
pub(in crate::driver::io_driver) struct Run {
    pub(in crate::driver::io_driver) driver: IoDriver,
    pub(in crate::driver::io_driver) paths: Paths,
    now: Time,
}

impl Run {
    pub(in crate::driver::io_driver) fn new(path_count: usize) -> Self {
        let mut text = "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n".to_owned();
        for path in 0..path_count {
            text += &format!(
                "[[path]]\nchpid = \"4{path}\"\nconnect = \"127.0.0.1:1\"\nwwpn = \"50:05:07:64:00:00:00:4{path}\"\n"
            );
        }
        text += "[run]\nios = 1\n[[stream]]\nname = \"one\"\ndevices = [\"00\"]\nprogram = { block = \"4K\" }\n\
                 read_share = 0.0\nclosed = { jobs = 1 }\n";
        let (file, found) = read_channel(&SourceFile::new("channel.toml", text));
        assert!(found.is_empty(), "{found:?}");
        let geometries = [(UNIT, VolumeSize::Tracks(Geometry::with_cylinders(1).unwrap()))].into();
        let mut driver = IoDriver::new(&file.unwrap(), &geometries, false).unwrap();
        let mut paths = Paths::default();
        for path in 0..path_count {
            driver.set_online(Time::ZERO, path as u8, true, &mut paths);
        }
        driver.formatted();
        driver.begin(Time::ZERO);
        let mut run = Self { driver, paths, now: Time::ZERO };
        run.driver.work(run.now, &mut run.paths);
        run
    }

    /// Advances time, with whatever is due in it.
    pub(in crate::driver::io_driver) fn pass(&mut self, span: Span) {
        let until = self.now.saturating_add(span);
        while self.now < until {
            self.now = self.driver.poll_timeout().clamp(self.now, until);
            self.driver.handle_timeout(self.now, &mut self.paths);
            self.driver.work(self.now, &mut self.paths);
            if self.driver.poll_timeout() <= self.now {
                self.now = self.now.saturating_add(Span::from_us(1)).min(until);
            }
        }
    }

    /// Ends a program.
    pub(in crate::driver::io_driver) fn end(
        &mut self,
        started: Started,
        outcome: ChannelOutcome,
        is_settled: bool,
    ) {
        let Started { path, tag, number, .. } = started;
        let end = ExchangeEnd { tag, device: UNIT, number, is_settled, outcome, data: Vec::new() };
        self.driver.handle_end(self.now, path, &end, &mut self.paths);
    }

    fn failed(&self) -> u64 {
        assert!(self.driver.ledger().completed == 0);
        self.driver.ledger().failed
    }
}

pub(in crate::driver::io_driver) fn ended() -> ChannelOutcome {
    ChannelOutcome::Ended {
        device_status: 0x0C,
        residual: 0,
        sense: None,
        incorrect_length: false,
        last_command: 0,
    }
}

/// Returns a run whose only start has been given up, that start, and what was started since.
fn given_up(path_count: usize) -> (Run, Started, Vec<Started>) {
    let mut run = Run::new(path_count);
    let [start] = run.paths.started[..] else { panic!("one start") };
    run.pass(MISSING_INTERRUPT.saturating_sub(Span::from_us(1)));
    assert!(run.paths.cancelled.is_empty() && run.paths.started.len() == 1, "it has time until then");
    run.pass(Span::from_us(1));
    assert_eq!(run.paths.cancelled, [(start.path, start.tag)]);
    assert_eq!(run.failed(), 0, "it may still reach the records");
    let since = run.paths.started[1..].to_vec();
    (run, start, since)
}

#[test]
fn a_start_given_up_is_over_when_a_no_operation_over_another_path_is() {
    let (mut run, start, since) = given_up(2);
    let [fence] = since[..] else { panic!("one No-operation: {since:?}") };
    assert!(fence.is_no_operation && fence.path != start.path, "{fence:?} after {start:?}");
    run.pass(Span::from_ms(700));
    assert_eq!((run.failed(), run.paths.started.len()), (0, 2), "nothing else is tried meanwhile");
    run.end(fence, ended(), true);
    assert_eq!(run.failed(), 1);
    run.pass(RESOURCE_ALLOCATION_TIMEOUT);
    run.end(start, ended(), true);
    assert_eq!((run.failed(), run.driver.phase()), (1, Phase::Draining), "it is reported once");
}

#[test]
fn a_start_given_up_is_over_after_r_a_tov_at_the_latest() {
    for path_count in [1, 2] {
        let (mut run, _, since) = given_up(path_count);
        assert_eq!(since.len(), path_count - 1, "the only path may still carry it");
        run.pass(RESOURCE_ALLOCATION_TIMEOUT.saturating_sub(Span::from_us(1)));
        assert_eq!(run.failed(), 0);
        run.pass(Span::from_us(1));
        assert_eq!(run.failed(), 1);
        assert!(since.iter().all(|fence| run.paths.freed.contains(&fence.number)), "its subchannel is free");
    }
}

#[test]
fn a_no_operation_that_did_not_come_to_the_device_is_sent_again() {
    let (mut run, _, since) = given_up(2);
    run.end(since[0], ChannelOutcome::InterfaceControlCheck(Cause::LinkDown), false);
    assert_eq!(run.failed(), 0);
    run.paths.full = vec![0, 1];
    run.pass(Span::from_s(1));
    assert_eq!(run.paths.started.len(), 2);
    run.paths.full.clear();
    run.pass(FENCE_STEP);
    let [_, _, again] = run.paths.started[..] else { panic!("one more: {:?}", run.paths.started) };
    assert!(again.is_no_operation);
    run.end(again, ended(), true);
    assert_eq!(run.failed(), 1);
}

#[test]
fn a_start_given_up_is_over_when_the_control_unit_has_ended_it() {
    let (mut run, start, _) = given_up(2);
    run.end(start, ChannelOutcome::Cancelled, true);
    assert_eq!(run.failed(), 1);
    // An end at the channel alone implies nothing about frames on their way.
    let (mut run, start, since) = given_up(2);
    run.end(start, ChannelOutcome::Cancelled, false);
    assert_eq!(run.failed(), 0);
    run.end(since[0], ended(), true);
    assert_eq!(run.failed(), 1);
}
