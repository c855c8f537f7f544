//! In steady state a queue pair takes no memory from the allocator.

use allocation_counter::measure;
use halftrack_base::Time;
use halftrack_roce::packet::{PACKET_BYTES_MAX, Packet};
use halftrack_roce::queue_pair::WorkId;

use crate::ends::{End, ends, send, write};

/// Moves packets between both ends through one buffer; returns how many.
fn exchange(ends: &mut [End; 2], buffer: &mut [u8; PACKET_BYTES_MAX]) -> u64 {
    let mut packets = 0;
    loop {
        let before = packets;
        for from in 0..2 {
            let (first, second) = ends.split_at_mut(1);
            let (from, to) =
                if from == 0 { (&mut first[0], &mut second[0]) } else { (&mut second[0], &mut first[0]) };
            let source = &from.source;
            let load = |address: u64, into: &mut [u8]| {
                into.copy_from_slice(&source[address as usize..address as usize + into.len()]);
            };
            while let Some(bytes) = from.pair.poll_transmit(Time::ZERO, &load, buffer) {
                let packet = Packet::decode(&to.peer_path, &buffer[..bytes]).expect("a packet");
                to.pair.receive(Time::ZERO, &packet, &mut to.memory);
                packets += 1;
            }
        }
        if packets == before {
            return packets;
        }
    }
}

#[test]
fn packets_take_no_memory() {
    let mut ends = ends(false, |_| {});
    let mut buffer = [0; PACKET_BYTES_MAX];
    let mut packets = 0;
    let counted = measure(|| {
        for round in 0..500_u64 {
            for end in &mut ends {
                end.pair.post_receives(20);
                for id in 0..20 {
                    let work = if id % 2 == 0 { write(round as u32, 5000) } else { send(b"message") };
                    end.pair.post(WorkId(id), work).expect("room");
                }
            }
            packets += exchange(&mut ends, &mut buffer);
            for end in &mut ends {
                while end.pair.poll_completion().is_some() | end.pair.poll_received().is_some() {}
            }
        }
    });
    assert!(packets > 50_000, "{packets} packets");
    assert_eq!(counted.count_total, 0);
}
