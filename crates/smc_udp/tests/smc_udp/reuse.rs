//! Connections one after the other over one link group.

use std::process;
use std::thread;
use std::time::Duration;

use halftrack_smc::link_group::{GroupState, Role};

use crate::pair::{fabric, octets, wait_for};

/// Connections: more than a buffer has elements.
const CONNECTIONS: u64 = 7;
const BYTES: usize = 300_000;

#[test]
fn elements_serve_one_connection_after_the_other() {
    let ((server, _), (client, _)) =
        (fabric(process::id() + 1, Role::Server), fabric(process::id() + 1, Role::Client));
    for number in 0..CONNECTIONS {
        let accept = server.accept().expect("an element");
        let confirm = client.confirm(&accept).expect("an element");
        // On a link that is there the first octets are sooner than the Confirm, whose program may be busy.
        let early = if number == 0 { 0 } else { 1000 };
        client.send(confirm.token, &octets(number, 0, early)).expect("sent");
        thread::sleep(Duration::from_millis(50));
        server.confirmed(accept.token, &confirm).expect("the client's end");
        let mut got = Vec::new();
        while got.len() < early {
            got.extend(server.receive(accept.token, 30_000).expect("octets"));
        }
        thread::scope(|scope| {
            scope.spawn(|| {
                client.send(confirm.token, &octets(number, early as u64, BYTES - early)).expect("sent");
                client.shut_down(confirm.token);
                assert_eq!(client.receive(confirm.token, 10).expect("the end"), b"");
                client.close(confirm.token);
            });
            loop {
                let part = server.receive(accept.token, 30_000).expect("octets");
                if part.is_empty() {
                    break;
                }
                got.extend(part);
            }
            assert!(got == octets(number, 0, BYTES), "connection {number}: {} octets", got.len());
            server.close(accept.token);
        });
        wait_for(&server, GroupState::Symmetric);
        wait_for(&client, GroupState::Symmetric);
    }
}
