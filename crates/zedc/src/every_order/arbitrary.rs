//! Long runs of arbitrary steps.

use proptest::prelude::*;

use super::visit::ALL;
use super::{Ledger, Right};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn each_request_ends_once_in_long_runs(steps in prop::collection::vec(prop::sample::select(&ALL[..]), 1..60)) {
        let mut ledger = Ledger::new();
        for step in steps {
            ledger.step::<Right>(step);
        }
        ledger.settle::<Right>();
    }
}
