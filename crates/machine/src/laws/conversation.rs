//! Exchanges of conversations: those that began against those that ended, and octets that were sent against those that were read.

use halftrack_smcr_twin::Exchanges;

use super::law::Law;

/// Checks the exchanges and octets of conversation `name` since the start of the run.
pub(crate) fn check(law: &mut Law, name: &str, exchanges: Exchanges) {
    let Exchanges { started, ended, broken, open, sent_bytes, read_bytes, broken_bytes, open_bytes } =
        exchanges;
    law.check(started == ended + broken + open, || {
        format!("{name}: {started} exchanges started, {ended} ended, {broken} broken, {open} in progress")
    });
    law.check(sent_bytes == read_bytes + broken_bytes + open_bytes, || {
        format!("{name}: {sent_bytes} octets sent, {read_bytes} read, {broken_bytes} lost, {open_bytes} on the way")
    });
}

#[test]
fn an_exchange_without_an_end_is_seen() {
    let broken = |ended, open| {
        let mut law = Law::new("x");
        let exchanges = Exchanges { started: 9, ended, broken: 2, open, ..Exchanges::default() };
        check(&mut law, "RR", exchanges);
        law.report().violations.len()
    };
    assert_eq!([broken(6, 1), broken(6, 0), broken(7, 1)], [0, 1, 1]);
}

#[test]
fn an_octet_that_is_nowhere_is_seen() {
    let broken = |read_bytes, open_bytes| {
        let mut law = Law::new("x");
        let octets =
            Exchanges { sent_bytes: 9, broken_bytes: 2, read_bytes, open_bytes, ..Exchanges::default() };
        check(&mut law, "RR", octets);
        law.report().violations.len()
    };
    assert_eq!([broken(6, 1), broken(6, 0), broken(7, 1)], [0, 1, 1]);
}
