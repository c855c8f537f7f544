//! One run of a machine with a script, and its verdict.

use std::cell::RefCell;
use std::rc::Rc;

use halftrack_base::{Decision, Span, Time};
use halftrack_link::driver::{IoEnd, IoObserver, IoStart};
use halftrack_subsystem::MISSING_INTERRUPT;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;

use crate::history::History;
use crate::ledger::Ledger;
use crate::machine::{CONTENTS_SEED, Machine};
use crate::mutation::Mutation;
use crate::script::Script;
use crate::world::World;

/// I/Os of a run at least.
pub const IOS_MIN: u64 = 1000;
/// I/Os that spread over a script, where nothing fails.
const IOS_AIM: u64 = 1200;
/// How long after the last fault nothing may be held any more: three times R_A_TOV, and the missing-interrupt interval.
pub const REST: Span =
    Span::from_ps(3 * RESOURCE_ALLOCATION_TIMEOUT.as_ps()).saturating_add(MISSING_INTERRUPT);

/// Starts and ends, reads and writes of a run.
#[derive(Debug)]
pub struct Account {
    /// Starts and ends.
    pub ledger: Ledger,
    /// Reads and writes.
    pub history: History,
    began: Vec<Time>,
    longest: Span,
    ended_by_second: Vec<u64>,
}

impl Account {
    /// Returns the empty account of a host, whose records have so many bytes.
    #[must_use]
    pub fn new(record_bytes: u16) -> Self {
        Self {
            ledger: Ledger::default(),
            history: History::new(CONTENTS_SEED, record_bytes),
            began: Vec::new(),
            longest: Span::ZERO,
            ended_by_second: Vec::new(),
        }
    }
}

/// Observer that writes into an account.
pub struct Accountant(pub Rc<RefCell<Account>>);

impl IoObserver for Accountant {
    fn started(&mut self, now: Time, start: &IoStart) {
        let account = &mut *self.0.borrow_mut();
        account.ledger.started(start.io);
        account.history.started(now, start);
        account.began.resize(start.io as usize + 1, now);
    }

    fn ended(&mut self, now: Time, end: &IoEnd<'_>) {
        let account = &mut *self.0.borrow_mut();
        account.ledger.ended(end.io, end.result.is_ok());
        account.history.ended(now, end);
        let began = account.began.get(end.io as usize).copied().unwrap_or(now);
        account.longest = account.longest.max(now.saturating_since(began));
        let first = account.began.first().copied().unwrap_or(now);
        let second = now.saturating_since(first).as_s_f64() as usize;
        if account.ended_by_second.len() <= second {
            account.ended_by_second.resize(second + 1, 0);
        }
        account.ended_by_second[second] += 1;
    }
}

/// Verdict on a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdict {
    /// I/Os started.
    pub ios: u64,
    /// I/Os that ended with an error.
    pub failed: u64,
    /// Ends beside the one that each I/O has.
    pub ended_twice: u64,
    /// I/Os that did not end.
    pub never_ended: u64,
    /// Records that hold something older than was acknowledged or read, or nothing whole, when all is over.
    pub lost_records: u64,
    /// Reads that saw such a record.
    pub stale_records: u64,
    /// Parts of either end that still hold something.
    pub held: Vec<String>,
    /// Longest time from a start to its end.
    pub longest: Span,
    /// Starts answered busy.
    pub busy: u64,
    /// I/Os that ended in each second since the first start.
    pub ended_by_second: Vec<u64>,
    /// Links that each port of the control unit has had since its process began.
    pub links: Vec<u64>,
    /// Reads that saw what they must not, in words.
    pub words: Vec<String>,
    /// How often each decision of recovery was taken, in the order of [`Decision::ALL`].
    pub decisions: Vec<u64>,
    /// Why the run could not be made.
    pub trouble: Option<String>,
}

impl Verdict {
    /// Returns whether everything that must hold does.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let counts = [self.ended_twice, self.never_ended, self.lost_records, self.stale_records];
        counts == [0; 4] && self.held.is_empty() && self.trouble.is_none()
    }

    /// Adds what the account of a host shows.
    fn add(&mut self, account: &Account) {
        let ledger = &account.ledger;
        self.ios += ledger.ios();
        self.failed += ledger.failed();
        self.ended_twice += ledger.ended_twice();
        self.never_ended += ledger.open();
        self.longest = self.longest.max(account.longest);
        let seconds = self.ended_by_second.len().max(account.ended_by_second.len());
        self.ended_by_second.resize(seconds, 0);
        for (sum, ended) in self.ended_by_second.iter_mut().zip(&account.ended_by_second) {
            *sum += ended;
        }
        for violation in account.history.violations() {
            let is_of_end = violation.is_of_read_back();
            let count = if is_of_end { &mut self.lost_records } else { &mut self.stale_records };
            *count += 1;
            self.words.push(violation.to_string());
        }
    }
}

/// Runs a machine with a script, and a bug put back where one is given, and judges the run.
#[must_use]
pub fn check(machine: &Machine, script: &Script, mutation: Option<Mutation>) -> Verdict {
    // A process that ends at once may lose what a volume in write-back mode had acknowledged: that is its promise.
    let is_sync = machine.is_sync || script.events.iter().any(|event| event.ends_control_unit());
    let spread = Span::from_ps(script.duration.as_ps() / IOS_AIM * u64::from(machine.jobs));
    let machine = Machine { is_sync, think: machine.think.or(Some(spread)), ..machine.clone() };
    // A run stays on its thread, which counts its decisions.
    let _ = Decision::take_counts();
    let verdict = run(&machine, script, mutation)
        .unwrap_or_else(|trouble| Verdict { trouble: Some(trouble), ..Verdict::default() });
    Verdict { decisions: Decision::take_counts().to_vec(), ..verdict }
}

fn run(machine: &Machine, script: &Script, mutation: Option<Mutation>) -> Result<Verdict, String> {
    let mut world = World::new(machine, mutation)?;
    world.bring_up()?;
    world.run(script, IOS_MIN, REST)?;
    let (held, links) = (world.held(), world.links());
    let now = world.now();
    let accounts = world.accounts();
    accounts.iter().for_each(|account| account.borrow_mut().history.finish());
    let records: Vec<_> = accounts.iter().map(|account| account.borrow().history.records()).collect();
    let octets = world.read_back(&records)?;
    let mut verdict = Verdict { held, links, busy: world.busy(), ..Verdict::default() };
    for (account, octets) in accounts.iter().zip(octets) {
        let account = &mut *account.borrow_mut();
        for (id, octets) in octets {
            account.history.read_back(now, id, &octets);
        }
        verdict.add(account);
    }
    Ok(verdict)
}
