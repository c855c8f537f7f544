//! Ownership of buffers, and every interleaving of the adapter and the program.

use super::*;

type Queues = Qdio<u32, u32>;

fn active() -> Queues {
    let mut queues = Queues::default();
    queues.activate();
    queues
}

#[test]
fn queues_that_are_not_active_take_nothing() {
    let mut queues = Queues::default();
    assert_eq!(queues.post(1, 1), Err(QueueError::Inactive));
    assert_eq!(queues.respond(1), Err(QueueError::Inactive));
    assert!(!queues.indicate() && !queues.is_active());
    queues.activate();
    assert_eq!(queues.post(1, 1), Ok(Signal::Write));
    assert_eq!(queues.respond(1), Ok(()));
    assert!(queues.indicate() && queues.is_active());
    queues.deactivate();
    assert_eq!((queues.take(), queues.take_response(), queues.in_use()), (None, None, 0));
    assert_eq!(queues, Queues::default());
}

#[test]
fn an_adapter_that_searches_needs_no_signal() {
    let mut queues = active();
    assert_eq!([queues.post(1, 1), queues.post(2, 1)], [Ok(Signal::Write), Ok(Signal::None)]);
    assert_eq!(queues.take(), Some((0, 1)));
    assert_eq!(queues.post(3, 1), Ok(Signal::None));
    assert_eq!([queues.take(), queues.take(), queues.take()], [Some((1, 2)), Some((2, 3)), None]);
    assert_eq!(queues.post(4, 1), Ok(Signal::Write));
}

#[test]
fn a_full_queue_is_reported_and_buffers_are_used_in_order() {
    let mut queues = active();
    for request in 0..128 {
        assert!(queues.post(request, 1).is_ok());
    }
    assert_eq!((queues.post(128, 1), queues.in_use()), (Err(QueueError::Full), 128));
    assert!(!queues.give_back(0), "it was not taken");
    while queues.take().is_some() {}
    assert!(queues.give_back(1) && !queues.give_back(1) && !queues.give_back(200));
    assert_eq!((queues.post(128, 2), queues.in_use()), (Err(QueueError::Full), 127), "two in a row");
    assert!(queues.give_back(0));
    assert_eq!(queues.post(128, 2), Ok(Signal::Write));
    assert_eq!(queues.take(), Some((0, 128)));
    assert_eq!(queues.take(), None, "buffer 1 is of the same request");
    assert!(queues.give_back(70));
    assert_eq!(queues.post(129, 1), Ok(Signal::Write), "those that the adapter keeps are passed over");
    assert_eq!((queues.take(), queues.in_use()), (Some((70, 129)), 128));
}

#[test]
fn a_request_takes_its_buffers_around_the_end_of_the_queue() {
    let mut queues = active();
    for buffers in [0, REQUEST_BUFFERS_MAX + 1] {
        assert_eq!(queues.post(0, buffers), Err(QueueError::Buffers(buffers)));
    }
    for request in 0..20 {
        assert!(queues.post(request, 36).is_ok());
        assert_eq!(queues.in_use(), 36);
        let (first, taken) = queues.take().expect("a request");
        assert_eq!((usize::from(first), taken), (request as usize * 36 % QUEUE_BUFFERS, request));
        assert!(queues.give_back(first));
    }
    for request in 0..3 {
        assert!(queues.post(request, 36).is_ok());
    }
    assert_eq!((queues.post(3, 21), queues.in_use()), (Err(QueueError::Full), 108));
    assert!(queues.post(3, 20).is_ok());
}

#[test]
fn a_request_has_an_entry_for_each_page_and_two_more() {
    let pages = [(0, 1), (1, 1), (14, 1), (15, 2), (16, 2), (30, 2), (31, 3), (574, 36), (10_000, 36)];
    for (pages, buffers) in pages {
        assert_eq!(request_buffers(pages * 4096), buffers, "{pages} pages");
    }
    assert_eq!(request_buffers(14 * 4096 + 1), 2);
}

#[test]
fn one_interruption_covers_many_responses() {
    let mut queues = active();
    for response in 0..128 {
        assert_eq!(queues.respond(response), Ok(()));
        assert_eq!(queues.indicate(), response == 0);
    }
    assert_eq!(queues.respond(128), Err(QueueError::Full));
    assert_eq!(queues.drain().collect::<Vec<_>>(), (0..128).collect::<Vec<_>>());
    assert_eq!((queues.respond(128), queues.indicate()), (Ok(()), true));
}

/// Steps of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// It waits for an interruption.
    Waiting,
    /// It turns the indicator off next.
    Clearing,
    /// It searches for a response next.
    Searching,
    /// It has found none.
    Again,
}

/// Both sides and what is between them.
#[derive(Debug, Clone)]
struct Situation {
    queues: Queues,
    program: Program,
    /// Responses that the adapter has still to put in, and whether the indicator is to follow.
    left: u32,
    is_indicating: bool,
    has_interruption: bool,
    taken: Vec<u32>,
}

impl Situation {
    fn step_adapter(&self) -> Option<Self> {
        let mut next = self.clone();
        if next.is_indicating {
            next.is_indicating = false;
            next.has_interruption |= next.queues.indicate();
        } else {
            next.left = next.left.checked_sub(1)?;
            next.queues.respond(next.left).expect("there is room");
            next.is_indicating = true;
        }
        Some(next)
    }

    fn step_program(&self, clears_first: bool) -> Option<Self> {
        let mut next = self.clone();
        next.program = match self.program {
            Program::Waiting => {
                next.has_interruption.then_some(())?;
                next.has_interruption = false;
                if clears_first { Program::Clearing } else { Program::Searching }
            }
            Program::Clearing => {
                next.queues.clear_indicator();
                if clears_first { Program::Searching } else { Program::Waiting }
            }
            Program::Searching => match next.queues.take_response() {
                Some(response) => {
                    next.taken.push(response);
                    Program::Searching
                }
                None if clears_first => Program::Again,
                None => Program::Clearing,
            },
            Program::Again if next.queues.clear_indicator() => Program::Searching,
            Program::Again => Program::Waiting,
        };
        Some(next)
    }
}

/// Returns how many interleavings there are, and in how many a response is left when nothing goes on.
fn interleavings(situation: &Situation, clears_first: bool, responses: usize) -> (u32, u32) {
    let steps = [situation.step_adapter(), situation.step_program(clears_first)];
    if steps.iter().all(Option::is_none) {
        return (1, u32::from(situation.taken.len() != responses));
    }
    let ends = steps.iter().flatten().map(|next| interleavings(next, clears_first, responses));
    ends.fold((0, 0), |sum, end| (sum.0 + end.0, sum.1 + end.1))
}

/// The order matters: a program that turns the indicator off after its search loses responses.
#[test]
fn no_response_is_left_in_any_interleaving() {
    let begun = Situation {
        queues: active(),
        program: Program::Waiting,
        left: 3,
        is_indicating: false,
        has_interruption: false,
        taken: Vec::new(),
    };
    let (all, lost) = interleavings(&begun, true, 3);
    assert!(all > 1000, "{all}");
    assert_eq!(lost, 0);
    let (_, lost) = interleavings(&begun, false, 3);
    assert!(lost > 0, "the test finds a lost response");
}

/// Requests that the program has still to post, a signal on its way, and whether the adapter searches.
#[derive(Debug, Clone)]
struct Posting {
    queues: Queues,
    left: u32,
    has_signal: bool,
    is_adapter_awake: bool,
    taken: u32,
}

/// Requests that the program posts.
const POSTED: u32 = 7;

/// Returns how many interleavings there are; in each the adapter takes all requests.
fn postings(posting: &Posting) -> u32 {
    let mut ends = 0;
    if posting.left > 0 {
        let mut next = posting.clone();
        next.left -= 1;
        next.has_signal |= next.queues.post(next.left, 1) == Ok(Signal::Write);
        ends += postings(&next);
    }
    if posting.has_signal {
        let next = Posting { has_signal: false, is_adapter_awake: true, ..posting.clone() };
        ends += postings(&next);
    }
    if posting.is_adapter_awake {
        let mut next = posting.clone();
        match next.queues.take() {
            Some(_) => next.taken += 1,
            None => next.is_adapter_awake = false,
        }
        ends += postings(&next);
    }
    if ends > 0 {
        return ends;
    }
    assert_eq!(posting.taken, POSTED, "{posting:?}");
    1
}

#[test]
fn no_request_waits_for_a_signal_that_does_not_come() {
    let begun =
        Posting { queues: active(), left: POSTED, has_signal: false, is_adapter_awake: false, taken: 0 };
    let all = postings(&begun);
    assert!(all > 1000, "{all}");
}
