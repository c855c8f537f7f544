//! A program whose threads use the cards at a time.

use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use halftrack_base::{Span, Time};
use halftrack_shared_memory::Pause;
use halftrack_zedc::{Answer, Autonomous, Completion, RequestId};

use crate::clock::Clock;
use crate::program::{POLLS, Program, SPIN};

/// Sleep between two polls for an end that takes long. Our choice: a tenth of what 1 MiB takes a fast engine.
const SLEEP: Duration = Duration::from_micros(100);

/// Program that threads share. A thread that waits for its request does not keep others from starting theirs.
#[derive(Debug)]
pub struct SharedProgram {
    /// None once it has ended.
    program: Mutex<Option<Program>>,
    clock: Clock,
    pause: Pause,
}

impl SharedProgram {
    /// Shares a program.
    pub fn new(program: Program) -> Self {
        Self { program: Mutex::new(Some(program)), clock: Clock::default(), pause: Pause::default() }
    }

    fn locked(&self) -> MutexGuard<'_, Option<Program>> {
        self.program.lock().unwrap_or_else(|poisoned| {
            // A thread has panicked in the middle of a service: nobody uses what it has left.
            let mut program = poisoned.into_inner();
            *program = None;
            program
        })
    }

    /// Calls a service that does not wait.
    ///
    /// # Errors
    /// Any of `service`; [`Answer::BadRendezvousToken`] once the program has ended.
    pub fn with<R>(&self, service: impl FnOnce(&mut Program) -> Result<R, Answer>) -> Result<R, Answer> {
        self.locked().as_mut().ok_or(Answer::BadRendezvousToken).and_then(service)
    }

    /// Does a request to its end (FPZ4ABC).
    ///
    /// # Errors
    /// Why it is no request, or is not started. The end of one that was started is a completion, whatever its answer.
    pub fn run(&self, parameters: Autonomous<'_>) -> Result<Completion, Answer> {
        let id = self.with(|program| program.start(parameters))?;
        let began = self.clock.now();
        loop {
            for _ in 0..POLLS {
                match self.locked().as_mut().map(|program| program.take(id)) {
                    Some(Some(end)) => return Ok(end),
                    Some(None) => self.pause.wait(),
                    None => return Ok(Completion::without_data(id, Answer::Ended)),
                }
            }
            if !self.is_watched(id, began) {
                return Ok(Completion::without_data(id, Answer::DeviceLost));
            }
        }
    }

    /// Lets time pass until the next poll; false when the request is none any more.
    fn is_watched(&self, id: RequestId, began: Time) -> bool {
        let waited = self.clock.now().saturating_since(began);
        if waited < SPIN && !self.pause.shares_processor() {
            return true;
        }
        thread::sleep(SLEEP);
        self.is_pending(id, waited)
    }

    fn is_pending(&self, id: RequestId, waited: Span) -> bool {
        // One that has ended meanwhile, with the program or by itself, is taken by the next poll.
        self.locked().as_mut().is_none_or(|program| program.watch(id, waited) || program.has_ended(id))
    }

    /// Ends the program (FPZ4URZ). Requests that have not ended end with [`Answer::Ended`]; its memory is gone when this returns.
    ///
    /// # Errors
    /// [`Answer::BadRendezvousToken`] when it has ended already.
    pub fn end(&self) -> Result<(), Answer> {
        self.locked().take().map(Program::end).ok_or(Answer::BadRendezvousToken)
    }
}
