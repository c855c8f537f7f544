//! A control unit in a thread, and channels for it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use halftrack_config::{ChannelFile, read_channel, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_link::connector::{Connector, SingleConnector, TcpConnector};
use halftrack_link::control_unit::{PortOptions, UnitTable, UnitVolume};
use halftrack_link::driver::{Drive, DriveError, Report, Surroundings};
use halftrack_link::plug::{OneFibre, Plug, TcpPlug};
use halftrack_link::{Clock, ControlUnit, InProcessTransport};
use halftrack_program::Geometry;
use halftrack_volume::{NewFormat, VolumeDevice, create};

/// Cylinders of every volume.
pub const CYLINDERS: u32 = 6;

/// Makes volumes `a.ckd`, `b.ckd`, ... in `directory`.
pub fn make_volumes(directory: &Path, count: usize) {
    let geometry = Geometry::with_cylinders(CYLINDERS).unwrap();
    for name in ["a.ckd", "b.ckd", "c.ckd"].iter().take(count) {
        create(&directory.join(name), VolumeDevice::Ckd(geometry), NewFormat::OneFile, None).unwrap();
    }
}

/// Returns a control unit with two volumes, the first with aliases; `port_keys` go to its first port.
pub fn control_unit_toml(ports: usize, port_keys: &str) -> String {
    let mut text = "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n".to_owned();
    for port in 0..ports {
        let keys = if port == 0 { port_keys } else { "" };
        text += &format!(
            "[[port]]\nid = \"003{port}\"\nlisten = \"127.0.0.1:322{port}\"\n\
             wwpn = \"50:05:07:63:00:00:00:3{port}\"\n{keys}\n"
        );
    }
    text + "[[logical_control_unit]]\ncuadd = \"00\"\n\
        [[logical_control_unit.volume]]\nunit_address = \"00\"\nfile = \"a.ckd\"\nwrite = \"writeback\"\n\
        aliases = \"80-87\"\n\
        [[logical_control_unit.volume]]\nunit_address = \"01\"\nfile = \"b.ckd\"\nwrite = \"writeback\"\n"
}

/// Returns a channel with paths to `places`; `rest` is everything but name and paths: keys at the top before a line `---`.
pub fn channel(places: &[String], rest: &str) -> ChannelFile {
    let (top, rest) = rest.split_once("---\n").unwrap_or(("", rest));
    let mut text = format!("name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n{top}\n");
    for (index, place) in places.iter().enumerate() {
        text += &format!(
            "[[path]]\nchpid = \"4{index}\"\nconnect = \"{place}\"\nwwpn = \"50:05:07:64:00:00:00:4{index}\"\n"
        );
    }
    let (file, found) = read_channel(&SourceFile::new("channel.toml", text + rest));
    assert!(found.is_empty(), "{}", found.iter().map(ToString::to_string).collect::<String>());
    file.unwrap()
}

/// Serves the volumes of `directory` through `plugs` in a thread, until the plugs are spent.
pub fn serve<P: Plug + Send + 'static>(directory: &Path, toml: &str, plugs: Vec<P>) -> JoinHandle<()> {
    let (directory, toml) = (directory.to_owned(), toml.to_owned());
    thread::spawn(move || {
        let (file, found) = read_control_unit(&SourceFile::new("control-unit.toml", toml));
        assert!(found.is_empty(), "{}", found.iter().map(ToString::to_string).collect::<String>());
        let file = file.unwrap();
        let mut units = UnitTable::default();
        for volume in UnitVolume::of_file(&file, &directory) {
            units.open_volume(&volume).unwrap();
        }
        let ports = file.ports.iter().map(|port| PortOptions::of_entry(&file, port)).zip(plugs).collect();
        let mut control_unit: ControlUnit<P> = ControlUnit::new("BOXA", units, ports, Clock::start());
        control_unit.run(None, &mut |_| ()).unwrap();
        control_unit.into_parts().0.close().unwrap();
    })
}

/// Runs a channel.
pub fn run<C: Connector>(file: ChannelFile, connectors: Vec<C>, format: bool) -> Result<Report, DriveError> {
    let mut drive = Drive::new(file, connectors);
    drive.run(format, &mut Surroundings { taps: &mut |_| None, progress: &mut |_| (), stop: None })
}

/// Runs a channel over one path within the process against the volumes of `directory`.
pub fn run_in_process(
    directory: &Path,
    port_keys: &str,
    rest: &str,
    format: bool,
) -> Result<Report, DriveError> {
    let (near, far) = InProcessTransport::pair().unwrap();
    let serving = serve(directory, &control_unit_toml(1, port_keys), vec![OneFibre(Some(far))]);
    let result = run(channel(&["127.0.0.1:1".to_owned()], rest), vec![SingleConnector(Some(near))], format);
    serving.join().unwrap();
    result
}

/// Returns a control unit with ports on free TCP ports of this host.
pub fn serve_tcp(directory: &Path, ports: usize) -> Vec<String> {
    let listeners: Vec<_> = (0..ports).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let places = listeners.iter().map(|listener| listener.local_addr().unwrap().to_string()).collect();
    let plugs = listeners.into_iter().map(|listener| TcpPlug::listen(listener).unwrap()).collect();
    // Its ports listen as long as the process lives.
    drop(serve(directory, &control_unit_toml(ports, ""), plugs));
    places
}

/// Returns the connectors of a channel over TCP.
pub fn tcp(file: &ChannelFile) -> Vec<TcpConnector> {
    file.paths.iter().map(|path| TcpConnector::new(&path.connect)).collect()
}

/// A cable that can be pulled: it carries octets between whoever connects to it and `place`.
pub struct Cable {
    /// Where to connect to.
    pub place: String,
    sockets: Arc<Mutex<Vec<TcpStream>>>,
    stalled: Arc<AtomicBool>,
}

impl Cable {
    /// Creates a cable that leads to `place`.
    pub fn to(place: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().to_string();
        let sockets = Arc::<Mutex<Vec<TcpStream>>>::default();
        let (kept, place) = (Arc::clone(&sockets), place.to_owned());
        let stalled = Arc::<AtomicBool>::default();
        let stalls = Arc::clone(&stalled);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&place) else { return };
                for socket in [&near, &far] {
                    socket.set_nodelay(true).unwrap();
                    kept.lock().unwrap().push(socket.try_clone().unwrap());
                }
                let (near_too, far_too) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                let (stalls, stalls_too) = (Arc::clone(&stalls), Arc::clone(&stalls));
                thread::spawn(move || carry(near, far, &stalls));
                thread::spawn(move || carry(far_too, near_too, &stalls_too));
            }
        });
        Self { place: own, sockets, stalled }
    }

    /// Keeps what comes, or brings it again.
    pub fn stall(&self, stalls: bool) {
        self.stalled.store(stalls, Ordering::SeqCst);
    }

    /// Pulls it out; the next connection finds it plugged in again.
    pub fn pull(&self) {
        for socket in self.sockets.lock().unwrap().drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, stalled: &AtomicBool) {
    let mut octets = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut octets) {
        while stalled.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(2));
        }
        if to.write_all(&octets[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
