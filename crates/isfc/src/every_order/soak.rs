//! Long runs in random orders, with all devices that a link can have.

use halftrack_engine::RandomStream;

use super::*;

/// Steps after which a run is taken for endless.
const STEPS_MAX: usize = 200_000;
/// Chance that a step is one of trouble, in a million.
const TROUBLE_PPM: u32 = 4_000;

/// Runs a case in a random order. Returns its collisions and the blocks that went again.
fn run(case: Case, seed: u64) -> (u64, u64) {
    let mut random = RandomStream::new(seed, "isfc");
    let mut search = Search::<Right>::new(case);
    let mut situation = search.first();
    let steps = search.steps();
    for _ in 0..STEPS_MAX {
        let has_trouble = random.chance_ppm(TROUBLE_PPM);
        let from = random.below(steps.len() as u64) as usize;
        let order = steps[from..].iter().chain(&steps[..from]);
        let mut candidates = order.filter(|step| has_trouble || !step.is_trouble());
        match candidates.find_map(|step| search.step(&situation, *step)) {
            Some(next) => situation = next,
            None if has_trouble => {}
            None => {
                search.check_last(&situation);
                return (search.collisions, search.resends);
            }
        }
    }
    panic!("a run is endless");
}

/// In every order, each octet is delivered once, over losses, other octets and starts of a system.
#[test]
fn sixteen_devices_deliver_each_octet_once_in_random_orders() {
    let (mut collisions, mut resends) = (0, 0);
    for seed in 0..60 {
        let troubles = (seed % 4) as u8;
        let case = Case {
            devices: [16, 16, 9, 5][seed as usize / 4 % 4],
            blocks: [120, if seed % 3 == 0 { 0 } else { 120 }],
            losses: 8 * troubles,
            returns: true,
            starts: troubles,
            corruptions: 4 * troubles,
            send_bytes: [8, 40, 200][seed as usize % 3],
            late_attention: true,
            is_up: false,
        };
        let (collided, resent) = run(case, seed);
        collisions += collided;
        resends += resent;
    }
    assert!(collisions > 100 && resends > 100, "{collisions} collisions, {resends} resends");
}
