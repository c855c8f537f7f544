//! Exchanges of conversations: those that began against those that ended.

use halftrack_smcr_twin::Exchanges;

use super::law::Law;

/// Checks the exchanges of conversation `name` since the start of the run.
pub(crate) fn check(law: &mut Law, name: &str, exchanges: Exchanges) {
    let Exchanges { started, ended, broken, open } = exchanges;
    law.check(started == ended + broken + open, || {
        format!("{name}: {started} exchanges started, {ended} ended, {broken} broken, {open} in progress")
    });
}

#[test]
fn an_exchange_without_an_end_is_seen() {
    let broken = |ended, open| {
        let mut law = Law::new("x");
        check(&mut law, "RR", Exchanges { started: 9, ended, broken: 2, open });
        law.report().violations.len()
    };
    assert_eq!([broken(6, 1), broken(6, 0), broken(7, 1)], [0, 1, 1]);
}
