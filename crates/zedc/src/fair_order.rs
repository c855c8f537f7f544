//! Order in which the functions of a card have the engine: fair by octets (start-time fair queueing; Goyal, Vin and Cheng, 1996).
//!
//! Each function has a count of the octets that it was served. The next slice is that of the lowest count. A function that
//! begins to have work is set to the count of the function that was served last, unless its own is higher: it is owed nothing
//! for the time that it had none, and each of the others has at most one slice before it, whatever it has queued. One that
//! had a slice just before waits until the others have had as many octets. Deficit round robin would be as fair, but a
//! function may have two slices in one of its turns.

/// Order of a fixed number of functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FairOrder<const FUNCTIONS: usize> {
    served_bytes: [u64; FUNCTIONS],
    /// Count of the function that was served last, before its slice.
    front_bytes: u64,
    last: usize,
}

impl<const FUNCTIONS: usize> Default for FairOrder<FUNCTIONS> {
    fn default() -> Self {
        Self { served_bytes: [0; FUNCTIONS], front_bytes: 0, last: FUNCTIONS - 1 }
    }
}

impl<const FUNCTIONS: usize> FairOrder<FUNCTIONS> {
    /// Takes in a function that had no work and now has some.
    pub fn begin(&mut self, function: usize) {
        self.served_bytes[function] = self.served_bytes[function].max(self.front_bytes);
    }

    /// Returns the next function among those that have work.
    pub fn next(&self, has_work: impl Fn(usize) -> bool) -> Option<usize> {
        let turn = |function: usize| (function + FUNCTIONS - self.last - 1) % FUNCTIONS;
        (0..FUNCTIONS)
            .filter(|function| has_work(*function))
            .min_by_key(|function| (self.served_bytes[*function], turn(*function)))
    }

    /// Counts a slice of a function.
    pub fn serve(&mut self, function: usize, bytes: usize) {
        self.front_bytes = self.served_bytes[function];
        self.served_bytes[function] += bytes as u64;
        self.last = function;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SLICE: u64 = 32 * 1024;

    proptest! {
        /// Functions that have work all the time get octets that differ by one slice at most, whatever the slices are.
        #[test]
        fn functions_that_have_work_get_as_many_octets(
            slices in prop::collection::vec(1..=SLICE as usize, 50..300),
            busy in prop::collection::btree_set(0_usize..15, 1..15),
        ) {
            let mut order = FairOrder::<15>::default();
            let mut served = [0_u64; 15];
            for bytes in slices {
                let function = order.next(|function| busy.contains(&function)).expect("one has work");
                order.serve(function, bytes);
                served[function] += bytes as u64;
                let counts = || busy.iter().map(|function| served[*function]);
                prop_assert!(counts().max().unwrap() - counts().min().unwrap() <= SLICE);
            }
        }

        /// A function that begins to have work waits for one slice of each other one at most.
        #[test]
        fn a_function_waits_for_one_slice_of_each_other(
            before in prop::collection::vec((0_usize..14, 1..=SLICE as usize), 0..200),
            own in 0_usize..20,
            slices in prop::collection::vec(1..=SLICE as usize, 14),
        ) {
            let mut order = FairOrder::<15>::default();
            for (at, (_, bytes)) in before.into_iter().enumerate() {
                // The function itself has had its octets, more than the others, before it had no work.
                let function = if at < own { 14 } else { order.next(|function| function < 14).unwrap() };
                order.serve(function, bytes);
            }
            let is_ahead = order.served_bytes[14] > order.front_bytes;
            order.begin(14);
            let mut waited = [0; 15];
            for bytes in slices.into_iter().cycle().take(14 * 40) {
                let function = order.next(|_| true).expect("all have work");
                if function == 14 {
                    break;
                }
                order.serve(function, bytes);
                waited[function] += 1;
            }
            prop_assert!(is_ahead || waited.iter().all(|slices| *slices <= 1), "{waited:?}");
        }
    }

    #[test]
    fn a_function_without_work_saves_up_nothing() {
        let mut order = FairOrder::<2>::default();
        for _ in 0..100 {
            order.serve(0, SLICE as usize);
        }
        order.begin(1);
        let mut taken = Vec::new();
        for _ in 0..4 {
            let function = order.next(|_| true).expect("both have work");
            order.serve(function, SLICE as usize);
            taken.push(function);
        }
        assert_eq!(taken, [1, 0, 1, 0]);
    }
}
