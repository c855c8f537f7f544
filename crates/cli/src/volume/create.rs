//! `halftrack volume create`: an empty volume.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use halftrack_program::{DeviceType, Geometry};
use halftrack_volume::cckd::Compression;
use halftrack_volume::{CreateOptions, NewFormat, VolumeDevice, VolumeSerial, create_with};

use crate::failure::Failure;
use crate::standard_output::print;
use crate::volume::units_bar::UnitsBar;

/// Words at the end of `halftrack volume create --help`.
pub const EXAMPLES: &str = "\
Examples:
  halftrack volume create work01.ckd --type 3390-3 --volser WORK01
  halftrack volume create small.cckd --type 3390 --cylinders 100 --volser SMALL1 --compress zlib
  halftrack volume create large.ckd --type 3390-A --cylinders 262668 --one-file
  halftrack volume create dos.fba --type fba --blocks 100000 --volser DOS001

The volume is formatted as `dasdinit` does it: each track has record zero only, and with --volser
the first one has records to load from and the label. Above 2 GiB an uncompressed volume has
several files, work01_1.ckd and so on; the first of them names the volume in every command. Files
appear when all of them are written.

Exit codes: 0 fine, 2 bad input, a file that exists or cannot be written.";

/// Arguments of `halftrack volume create`.
#[derive(Debug, Args)]
pub struct CreateArguments {
    /// The image to create
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Device: a model (3390-3, 3390-9, 3380-K, ...), a type with --cylinders (3390, 3390-A, 3380, 3375, 9345), or
    /// `fba` with --blocks
    #[arg(long = "type", value_name = "TYPE")]
    device: String,
    /// Cylinders of a count-key-data device
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    cylinders: Option<u32>,
    /// Blocks of 512 bytes of a fixed-block device
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    blocks: Option<u32>,
    /// Volume serial, one to six letters, digits, @, #, $; without it the volume has no label
    #[arg(long, value_name = "VOLSER", value_parser = serial)]
    volser: Option<VolumeSerial>,
    /// How the volume is kept.
    #[command(flatten)]
    format: FormatArguments,
}

/// How a new volume is kept.
#[derive(Debug, Args)]
pub struct FormatArguments {
    /// Compression of every track, or group of blocks
    #[arg(long, value_enum, default_value_t = CompressionArgument::None)]
    compress: CompressionArgument,
    /// Keep an uncompressed volume in one file, however large
    #[arg(long)]
    one_file: bool,
    /// Replace existing files
    #[arg(long)]
    pub replace: bool,
}

/// `--compress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompressionArgument {
    /// No compression
    None,
    /// zlib
    Zlib,
    /// bzip2: smaller and slower
    Bzip2,
}

impl FormatArguments {
    /// Returns the requested format.
    ///
    /// # Errors
    /// `Argument` for an unknown one.
    pub fn format(&self) -> Result<NewFormat, Failure> {
        match (self.compress, self.one_file) {
            (CompressionArgument::None, false) => Ok(NewFormat::Plain),
            (CompressionArgument::None, true) => Ok(NewFormat::OneFile),
            (CompressionArgument::Zlib, false) => Ok(NewFormat::Compressed(Compression::zlib())),
            (CompressionArgument::Bzip2, false) => Ok(NewFormat::Compressed(Compression::bzip2())),
            (_, true) => {
                let reason = "a compressed volume is in one file always; leave --one-file out";
                Err(Failure::Argument(reason.to_owned()))
            }
        }
    }
}

fn serial(text: &str) -> Result<VolumeSerial, String> {
    VolumeSerial::new(text).ok_or_else(|| "a volume serial is one to six letters, digits, @, #, $".to_owned())
}

/// Makes the volume; true.
///
/// # Errors
/// Devices that there are not; files that are there already or cannot be written.
pub fn create(arguments: &CreateArguments) -> Result<bool, Failure> {
    let device = device(arguments)?;
    let format = arguments.format.format()?;
    let bar = UnitsBar::new(unit_name(device));
    let mut options =
        CreateOptions { replaces: arguments.format.replace, watch: &mut |done, of| bar.show(done, of) };
    let files = create_with(&arguments.file, device, format, arguments.volser, &mut options);
    drop(bar);
    print(&made(&files?))?;
    Ok(true)
}

/// Returns the name of the units of a device.
pub fn unit_name(device: VolumeDevice) -> &'static str {
    match device {
        VolumeDevice::Ckd(_) => "tracks",
        VolumeDevice::Fba { .. } => "groups of blocks",
    }
}

/// Formats a line for every file made.
pub fn made(files: &[PathBuf]) -> String {
    let line = |file: &PathBuf| format!("{}\n", file.display());
    files.iter().map(line).collect()
}

fn device(arguments: &CreateArguments) -> Result<VolumeDevice, Failure> {
    let refuse = |reason: String| Err(Failure::Argument(reason));
    let name = arguments.device.as_str();
    if name.eq_ignore_ascii_case("fba") {
        return match (arguments.blocks, arguments.cylinders) {
            (Some(blocks), None) => Ok(VolumeDevice::Fba { blocks }),
            (_, Some(_)) => refuse("a fixed-block device has --blocks, not --cylinders".to_owned()),
            (None, None) => refuse("give the size of the fixed-block device with --blocks N".to_owned()),
        };
    }
    if arguments.blocks.is_some() {
        return refuse(format!("{name} is a count-key-data device, which has --cylinders, not --blocks"));
    }
    let of_type = name
        .get(..4)
        .and_then(|number| u16::from_str_radix(number, 16).ok())
        .and_then(DeviceType::from_number);
    let bare = name.len() == 4 || name.eq_ignore_ascii_case("3390-A");
    match (Geometry::named(name), of_type, arguments.cylinders) {
        (Some(model), _, None) => Ok(VolumeDevice::Ckd(model)),
        (_, Some(device), Some(cylinders)) if bare => match Geometry::of_type(device, cylinders) {
            Some(geometry) => Ok(VolumeDevice::Ckd(geometry)),
            None => refuse(format!("a device cannot have {cylinders} cylinders; 268435456 are the most")),
        },
        (Some(model), _, Some(_)) => {
            let cylinders = model.cylinders();
            refuse(format!(
                "a {name} has {cylinders} cylinders; leave --cylinders out, or give the bare type"
            ))
        }
        (None, Some(_), None) if bare => refuse(format!("give the size of the {name} with --cylinders N")),
        _ => refuse(format!("device type {name} is unknown; known types are {}", known())),
    }
}

/// Lists every model by name, and the types.
fn known() -> String {
    let models = DeviceType::ALL.iter().flat_map(|device| device.models()).map(|(name, _)| name);
    let names: Vec<_> = models.collect();
    format!("{}, each type with --cylinders, and fba", names.join(", "))
}
