//! Directors in a row and in a ring.

use super::*;

/// Returns four directors in a ring, 61 to 64, each with one link to the next; those before the last one are up.
fn ring(km: [f64; 4]) -> Site {
    let mut site = Site::new();
    for (at, domain) in (0x61..0x65).enumerate() {
        // The first link of each leads to the next, the second to the one before.
        site.director(domain, [km[at], km[(at + 3) % 4]], "");
    }
    for at in 0..3 {
        site.link_between((at, 0), (at + 1, 1));
    }
    site
}

fn close_ring(site: &mut Site) {
    site.link_between((3, 0), (0, 1));
}

#[test]
fn every_link_on_the_way_costs_its_distance() {
    let mut site = ring([10.0, 20.0, 30.0, 0.0]);
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    site.plug(3, 1, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    assert_eq!(address, 0x64_0500);
    for _ in 0..20 {
        assert_eq!(site.round_trip(0, 1, address), [Span::from_us(300); 2]);
    }
    assert!(site.noticed("domain 64, is 3 links away over 1 link"), "{:?}", site.notices);
}

/// Frames of three channels bear numbers that only grow, while the short way of a ring comes and goes.
#[test]
fn frames_do_not_overtake_each_other_when_the_way_gets_shorter_or_longer() {
    let mut site = ring([300.0, 20.0, 400.0, 0.0]);
    let channels = [0xC050_7600_0000_0001, 0xC050_7600_0000_0002, 0xC050_7600_0000_0003].map(WorldWideName);
    for (port, channel) in channels.into_iter().enumerate() {
        site.plug(0, port, channel, &[CONTROL_UNIT]);
    }
    site.plug(3, 0, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    for channel in 1..3 {
        site.logged_in(channel, CONTROL_UNIT);
    }
    let mut sent = [0_u32; 3];
    for step in 0..12 {
        match step {
            2 | 6 | 10 => close_ring(&mut site),
            4 => site.pull(0, 1),
            8 => site.pull(3, 0),
            _ => {}
        }
        let until = site.now.saturating_add(Span::from_ms(40));
        while site.now < until {
            for (end, sent) in site.ends.iter_mut().zip(&mut sent).filter(|(end, _)| end.fibre.can_send()) {
                *sent += 1;
                end.send(address, &sent.to_be_bytes());
            }
            let next = site.now.saturating_add(Span::from_us(50));
            site.step(next.min(until));
        }
    }
    site.until("frames have come", |site| site.ends[3].numbers.len() > 1000);
    for channel in 0..3 {
        let own = site.ends[channel].address(0);
        let numbers = site.ends[3].numbers.iter().filter(|(s_id, _)| *s_id == own).map(|(_, number)| *number);
        assert!(numbers.is_sorted(), "those of channel {channel} came out of order");
    }
    assert!(site.ends[..3].iter().all(|end| end.peer(CONTROL_UNIT).is_some()), "nobody was logged out");
}

#[test]
fn a_director_that_fails_is_gone_round_and_found_again() {
    let mut site = ring([0.0; 4]);
    close_ring(&mut site);
    site.plug(0, 0, CHANNEL, &[CONTROL_UNIT]);
    site.plug(2, 1, CONTROL_UNIT, &[]);
    let address = site.logged_in(0, CONTROL_UNIT);
    site.until("both ways are there", |site| site.noticed("domain 63, is 2 links away over 2 links"));
    for middle in [1, 3] {
        site.notices.clear();
        for number in 0..2 {
            site.pull(middle, number);
        }
        let other_way = "domain 63, is 2 links away over 1 link";
        site.until("the other way is left", |site| {
            site.notices.iter().any(|notice| notice.ends_with(other_way))
        });
        let before = site.now;
        site.round_trip(0, 1, address);
        assert!(site.now.saturating_since(before) < Span::from_ms(300), "half the hold time, and a little");
        site.link_between((middle - 1, 0), (middle, 1));
        site.link_between((middle, 0), ((middle + 1) % 4, 1));
        site.notices.clear();
        site.until("both ways are there", |site| site.noticed("domain 63, is 2 links away over 2 links"));
    }
    assert!(site.ends[0].peer(CONTROL_UNIT).is_some(), "nobody was logged out");
}
