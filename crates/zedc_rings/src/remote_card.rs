//! A card that is a process of its own, as a program has it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use halftrack_shared_memory::{Event, connect_at_once, is_gone};
use halftrack_zedc::{
    Answer, CardId, Completion, FunctionError, FunctionPlace, FunctionState, Request, ResourceGroup,
    SubmitError, VfNumber,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::clock::Clock;
use crate::message::{FromCard, ToCard};
use crate::place::Place;
use crate::rings::ProgramRings;
use crate::submission::Submission;

/// How long a card may take to answer a message.
const ANSWER_WAIT: Duration = Duration::from_secs(5);

/// Waits until a card has sent a message.
///
/// # Errors
/// It is gone, has sent something else, or takes too long.
pub fn receive_in_time(stream: &UnixStream) -> io::Result<(FromCard, Vec<OwnedFd>)> {
    let limit = Timespec { tv_sec: ANSWER_WAIT.as_secs() as i64, tv_nsec: 0 };
    loop {
        if let Some(received) = FromCard::receive(stream)? {
            return Ok(received);
        }
        match poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&limit)) {
            Ok(0) => return Err(ErrorKind::TimedOut.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Card to which a program is connected.
#[derive(Debug)]
pub struct RemoteCard {
    pub group: ResourceGroup,
    pub place: FunctionPlace,
    stream: UnixStream,
    rings: ProgramRings,
    waker: Event,
    /// Clock of the card.
    clock: Clock,
    /// Requests that have not ended, by their ids.
    outstanding: BTreeMap<u64, Request>,
    ended: VecDeque<Completion>,
    is_lost: bool,
    /// Ends of requests whose region is gone are no ends.
    is_setting_aside: bool,
    submission: Submission,
}

impl RemoteCard {
    /// Connects to a card and is let in to its function `vf`, any for 0.
    ///
    /// # Errors
    /// There is no such card, or it does not let the program in.
    pub fn connect(place: &Place, card: CardId, vf: u8) -> io::Result<Self> {
        let stream = connect_at_once(&place.socket(card))?;
        ToCard::Attach { vf }.send(&stream, &[])?;
        let (group, vf, clock, descriptors) = match receive_in_time(&stream)? {
            (FromCard::Welcome { card: number, group, vf, zero_ns }, descriptors) if number == card.get() => {
                (group, vf, Clock::of(zero_ns), descriptors)
            }
            (FromCard::Refused(refusal), _) => {
                return Err(io::Error::new(ErrorKind::PermissionDenied, refusal));
            }
            _ => return Err(ErrorKind::InvalidData.into()),
        };
        let vf = VfNumber::new(vf).ok_or(ErrorKind::InvalidData)?;
        let Ok([memory, waker]) = <[OwnedFd; 2]>::try_from(descriptors) else {
            return Err(ErrorKind::InvalidData.into());
        };
        Ok(Self {
            group,
            place: FunctionPlace { card, vf },
            stream,
            rings: ProgramRings::open(memory)?,
            waker: waker.into(),
            clock,
            outstanding: BTreeMap::new(),
            ended: VecDeque::new(),
            is_lost: false,
            is_setting_aside: false,
            submission: Submission::default(),
        })
    }

    /// Returns whether the card is gone and everything was collected.
    pub fn is_over(&self) -> bool {
        self.is_lost && self.ended.is_empty()
    }

    /// Returns whether a request has not ended here.
    pub fn has(&self, id: u64) -> bool {
        self.outstanding.contains_key(&id)
    }

    /// Returns the octets of input that wait, when the function takes another request.
    pub fn backlog_bytes(&self) -> Result<usize, SubmitError> {
        if self.is_lost {
            return Err(FunctionError::State(FunctionState::InError).into());
        }
        let shown = self.rings.shown();
        let (state, shown_bytes) = shown.map_err(|_| FunctionError::State(FunctionState::InError))?;
        let own_bytes: usize = self.outstanding.values().map(|request| request.input.length_bytes()).sum();
        match state {
            FunctionState::Allocated if self.rings.has_room() => Ok(own_bytes.max(shown_bytes)),
            FunctionState::Allocated => Err(SubmitError::Full),
            state => Err(FunctionError::State(state).into()),
        }
    }

    /// Submits a request; the caller has checked that there is room.
    pub fn submit(&mut self, request: Request) {
        self.submission.fill(&request, self.clock.now_ns());
        if self.rings.submit(&self.submission) {
            self.waker.set();
        }
        self.outstanding.insert(request.id.0, request);
    }

    /// Takes the first end that was not collected. Those of a card that is gone are that the card was lost.
    pub fn collect(&mut self) -> Option<Completion> {
        while self.ended.is_empty() {
            match self.rings.collect() {
                Ok(Some(completion)) => self.take_end(completion),
                Ok(None) => break,
                Err(_) => {
                    self.lose();
                    break;
                }
            }
        }
        if self.is_lost {
            let lost = std::mem::take(&mut self.outstanding).into_values();
            self.ended.extend(lost.map(|request| Completion::without_data(request.id, Answer::DeviceLost)));
        }
        self.ended.pop_front()
    }

    fn take_end(&mut self, completion: Completion) {
        // The end of a request that was ended here already is no news.
        if self.outstanding.remove(&completion.id.0).is_none() {
            return;
        }
        let answer = match completion.answer {
            // A card whose function does not work any more gives requests back for another card.
            Answer::NoHardware | Answer::QueuesFull => Answer::DeviceLost,
            // The region was there when the request was submitted: it was freed before the card took the request.
            Answer::RegionFreed | Answer::BadRegionToken if self.is_setting_aside => Answer::DeviceLost,
            Answer::BadRegionToken => Answer::RegionFreed,
            answer => answer,
        };
        self.ended.push_back(Completion { answer, ..completion });
    }

    /// Takes a region from the card for a while: requests that use it are given back.
    pub fn set_aside(&mut self, token: u64) {
        self.is_setting_aside = true;
        self.deregister(token);
        self.drain();
        self.is_setting_aside = false;
    }

    /// Ends the requests that are `chosen` here; the card touches their areas no more, for their regions are deregistered.
    pub fn purge(&mut self, answer: Answer, chosen: &dyn Fn(&Request) -> bool) {
        for request in self.outstanding.extract_if(.., |_, request| chosen(request)).map(|(_, one)| one) {
            self.ended.push_back(Completion::without_data(request.id, answer));
        }
    }

    /// Gives the card up when it is gone.
    pub fn check(&mut self) {
        if !self.is_lost && is_gone(&self.stream) {
            self.lose();
        }
    }

    /// Takes every end that is in the ring.
    fn drain(&mut self) {
        while let Ok(Some(completion)) = self.rings.collect() {
            self.take_end(completion);
        }
    }

    /// Gives the card up.
    pub fn lose(&mut self) {
        // What the card has ended before is done.
        self.drain();
        self.is_lost = true;
    }

    /// Returns a copy of the connection.
    #[cfg(test)]
    pub fn inherited(&self) -> UnixStream {
        self.stream.try_clone().expect("a descriptor")
    }

    /// Closes the connection, for processes that have inherited it, too.
    pub fn hang_up(&self) {
        // A card that is gone has closed it already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Sleeps until an end is there, at most as long as `limit`.
    pub fn sleep(&self, limit: Duration) {
        self.rings.sleep(limit);
    }

    /// Sends a message and waits for the answer. A card that does not answer is lost.
    fn exchange(&mut self, message: ToCard, descriptors: &[BorrowedFd<'_>]) -> Answer {
        let sent = message.send(&self.stream, descriptors);
        match sent.and_then(|()| receive_in_time(&self.stream)) {
            Ok((FromCard::Answered(answer), _)) => answer,
            _ => {
                self.lose();
                Answer::DeviceLost
            }
        }
    }

    /// Registers a region of the program at the card.
    pub fn register(&mut self, token: u64, address: u64, bytes: u64, memory: &OwnedFd) -> Answer {
        self.exchange(ToCard::Register { token, address, bytes }, &[memory.as_fd()])
    }

    /// Deregisters a region at the card, which touches none of its octets any more then.
    pub fn deregister(&mut self, token: u64) -> Answer {
        self.exchange(ToCard::Deregister { token }, &[])
    }
}
