//! IU pacing: how many command and data IUs a channel may send before a command response (reference 6.4).
//!
//! IUs are counted from 1 over the chain. The control unit's command response for the CCW whose command IU was
//! number `a` lets the channel send up to number `a + window`; until the first one `a` is 0. A command response
//! may widen the window.

/// One state of the window: IUs up to `limit` may be sent.
#[derive(Debug, Clone, Copy)]
struct Opening {
    limit: u32,
    window: u32,
    /// IUs received by the channel when it came into force.
    received: u16,
}

/// The window of one chain at the channel.
#[derive(Debug)]
pub(crate) struct Pacing {
    /// Every state so far; limits rise.
    openings: Vec<Opening>,
    /// Number of the last command IU that asked for a command response; 0 before the first.
    requested: u32,
    /// Number of the next IU.
    next: u32,
}

impl Pacing {
    /// The window at the start of a chain whose longest CCW takes `longest_ius` IUs.
    ///
    /// Only the first IU of a CCW can ask for a command response, so a window below the longest CCW would
    /// never open again; it is taken to be that long.
    pub(crate) fn new(initial: u8, longest_ius: u32, received: u16) -> Pacing {
        let window = u32::from(initial).max(longest_ius).max(1);
        Pacing { openings: vec![Opening { limit: window, window, received }], requested: 0, next: 1 }
    }

    /// The state by which the next IU may be sent, as the number of IUs received when it came into force.
    pub(crate) fn permits(&self) -> Option<u16> {
        self.opening().map(|opening| opening.received)
    }

    fn opening(&self) -> Option<&Opening> {
        self.openings.iter().find(|opening| opening.limit >= self.next)
    }

    /// Whether the command IU to be sent next must ask for a command response so that the chain can go on.
    ///
    /// It must when the IU after the CCW's `ius` IUs lies beyond what the responses asked for so far will
    /// permit. The answer is taken from the window by which this IU is permitted, not from the newest one, so
    /// that it does not depend on how fast a response came.
    pub(crate) fn must_ask(&self, ius: u32) -> bool {
        let window = self.opening().map_or(1, |opening| opening.window);
        self.next + ius > self.requested + window
    }

    /// The next IU has been sent; it `asks` for a command response or not.
    pub(crate) fn advance(&mut self, asks: bool) {
        if asks {
            self.requested = self.next;
        }
        self.next += 1;
    }

    /// Number of the IU to be sent next.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// A command response for the command IU number `iu` grants `pacing` (0: no change); `received` IUs have
    /// come so far.
    pub(crate) fn acknowledge(&mut self, iu: u32, pacing: u8, received: u16) {
        let newest = self.openings[self.openings.len() - 1];
        let window = newest.window.max(u32::from(pacing));
        let limit = iu + window;
        if limit > newest.limit {
            self.openings.push(Opening { limit, window, received });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_reads_asks_when_it_fills() {
        let mut pacing = Pacing::new(4, 1, 0);
        let mut asked = Vec::new();
        for number in 1..=4 {
            let asks = number == 2 || pacing.must_ask(1);
            if asks {
                asked.push(pacing.next());
            }
            pacing.advance(asks);
        }
        assert_eq!((asked.as_slice(), pacing.permits()), ([2].as_slice(), None));
        pacing.acknowledge(2, 0, 1);
        assert_eq!(pacing.permits(), Some(1));
        assert!(!pacing.must_ask(1));
        pacing.advance(false);
        assert!(pacing.must_ask(1), "number 6 fills the window after number 2");
        pacing.advance(true);
        assert_eq!(pacing.permits(), None);
    }

    #[test]
    fn a_grant_widens_and_never_narrows() {
        let mut pacing = Pacing::new(2, 1, 0);
        pacing.advance(true);
        pacing.acknowledge(1, 10, 1);
        pacing.acknowledge(1, 3, 2);
        while pacing.permits().is_some() {
            pacing.advance(false);
        }
        assert_eq!(pacing.next(), 12);
    }

    #[test]
    fn a_window_holds_the_longest_ccw() {
        let mut pacing = Pacing::new(1, 9, 0);
        for _ in 0..9 {
            assert_eq!(pacing.permits(), Some(0));
            pacing.advance(false);
        }
        assert_eq!(pacing.permits(), None);
    }
}
