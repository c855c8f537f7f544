//! The product compared with the model.

use halftrack_control_unit::EckdDevice;
use halftrack_program::MainStorage;
use proptest::test_runner::{TestCaseError, TestError};

use crate::model::endings::runner;
use crate::model::generator::case;
use crate::model::images::Keeping;
use crate::model::list_tracks::ListTracks;
use crate::model::plan::{Case, Program};
use crate::model::run::{Laid, Observed, Ran, lay, model};
use crate::model::unit::Unit;
use crate::model::volume::Volume;
use crate::model::{images, product};

/// Returns the cases of a comparison in the test run. The environment variable HALFTRACK_MODEL_CASES sets more, and
/// HALFTRACK_MODEL_SEED others.
fn setting(variable: &str, otherwise: u32) -> u32 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn differ(what: &str, model: &[Observed], product: &[Observed]) -> TestCaseError {
    let lines = |seen: &[Observed]| seen.iter().map(|seen| format!("  {seen:02X?}\n")).collect::<String>();
    let name =
        |seen: &[Observed]| seen.last().map(crate::model::endings::names).unwrap_or_default().join(", ");
    TestCaseError::fail(format!(
        "{what}\nmodel: {}\n{}product: {}\n{}",
        name(model),
        lines(model),
        name(product),
        lines(product)
    ))
}

fn same(
    laid: &Laid,
    ran: &Ran,
    seen: &[Observed],
    storage: &[u8],
    volume: &Volume,
) -> Result<(), TestCaseError> {
    if ran.memory.uncertain {
        return Ok(());
    }
    if ran.seen != seen {
        return Err(differ("the endings differ", &ran.seen, seen));
    }
    let bytes = ran.memory.bytes.iter().zip(storage).zip(&ran.memory.unknown);
    if let Some(at) = bytes.into_iter().position(|((model, product), unknown)| !unknown && model != product) {
        let before = laid.storage[at];
        let (model, product) = (ran.memory.bytes[at], storage[at]);
        let what =
            format!("storage differs at {at:#X}: before {before:#X}, model {model:#X}, product {product:#X}");
        return Err(differ(&what, &ran.seen, seen));
    }
    for (number, (model, product)) in ran.volume.tracks.iter().zip(&volume.tracks).enumerate() {
        if model != product {
            let what = format!("track {number} differs\n  model {model:?}\n  product {product:?}");
            return Err(differ(&what, &ran.seen, seen));
        }
    }
    Ok(())
}

/// Shows a case as short as possible.
fn show(case: &Case) -> String {
    let laid = lay(case);
    let mut text = String::new();
    for (number, records) in &case.tracks {
        text += &format!("track {number}: {records:?}\n");
    }
    text += &format!("{:?}, keys {:02X?}\n", case.keeping, case.keys);
    for (index, (start, orb)) in case.starts.iter().zip(&laid.orbs).enumerate() {
        text += &format!("start {index}: ORB {orb:02X?}, mutations {:?}\n", start.mutations);
        let from = u32::from_be_bytes([orb[8], orb[9], orb[10], orb[11]]) as usize;
        match &start.program {
            Program::Transport(operation) => {
                text += &format!("  {operation:02X?}\n  {:02X?}\n", &laid.storage[from..from + 64]);
                for at in (from + 0x100..from + 0x200).step_by(32) {
                    text += &format!("  {at:X}: {:02X?}\n", &laid.storage[at..at + 32]);
                }
            }
            Program::Command(steps) => {
                for step in steps {
                    text += &format!("  {step:X?}\n");
                }
                for at in (from..from + 96).step_by(8) {
                    text += &format!("  {at:X}: {:02X?}\n", &laid.storage[at..at + 8]);
                }
            }
        }
    }
    text
}

/// Runs random cases through the model and through `run`, and compares. Where the product's volume is not used, what
/// its images cannot hold does not matter.
fn compare(seed: u32, with_images: bool, run: impl Fn(&Laid) -> (Vec<Observed>, MainStorage, Volume)) {
    let seed = setting("HALFTRACK_MODEL_SEED", seed);
    let mut runner = runner(u64::from(seed), setting("HALFTRACK_MODEL_CASES", 1000));
    let outcome = runner.run(&case(), |mut case| {
        if !with_images {
            case.keeping = Keeping::Plain;
        }
        let laid = lay(&case);
        let ran = model(&laid);
        let (seen, storage, volume) = run(&laid);
        same(&laid, &ran, &seen, storage.bytes(), &volume)
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, case)) => panic!("{reason}\n{}", show(&case)),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

/// The product's channel against the model's, both with the model's control unit.
#[test]
fn the_channel_agrees() {
    compare(2, false, |laid| {
        let mut storage = product::storage(laid);
        let mut device = Unit::new(laid.volume.clone());
        let seen = product::run(laid, &mut storage, &mut device);
        (seen, storage, device.volume)
    });
}

/// The product's channel and control unit against the model's, on the model's volume.
#[test]
fn the_control_unit_agrees() {
    compare(3, false, |laid| {
        let mut storage = product::storage(laid);
        let mut device = EckdDevice::new(ListTracks::new(laid.volume.clone()));
        let seen = product::run(laid, &mut storage, &mut device);
        (seen, storage, device.into_tracks().volume)
    });
}

/// The whole product against the model.
#[test]
fn the_product_agrees() {
    compare(4, true, |laid| {
        let mut storage = product::storage(laid);
        let mut device = EckdDevice::new(images::open(&laid.volume, laid.keeping));
        let seen = product::run(laid, &mut storage, &mut device);
        (seen, storage, images::read(&mut device.into_tracks()))
    });
}
