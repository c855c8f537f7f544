//! Virtual ports (NPIV) of a channel of FCP: two guests at a box behind a director, over TLS, each with its own disk.

use std::fs::{self, File};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::director::Working;
use crate::serve::Serving;
use crate::support::{code, halftrack, stderr, stdout};

const GUESTS: [&str; 2] = ["c0:50:76:00:00:01:60:00", "c0:50:76:00:00:02:60:00"];
const CERTIFICATES: &str = r#"set -e
openssl req -x509 -newkey ed25519 -noenc -days 30 -subj /CN=authority -keyout authority.key -out authority.pem
certificate() { # a name, then the world-wide names of the ports
    openssl req -x509 -newkey ed25519 -noenc -days 30 -subj "/CN=$1" -CA authority.pem -CAkey authority.key \
        -addext basicConstraints=critical,CA:FALSE -keyout "$1.key" -out "$1.pem" \
        -addext "subjectAltName=$(shift; printf ',URI:urn:halftrack:wwpn:%s' "$@" | cut -c 2-)"
}
certificate director 1004000000000061 1020000000000061
certificate box 5005076300000031
certificate linux 5005076400000060 C050760000016000 C050760000026000
certificate one 5005076400000060 C050760000016000
"#;

fn tls(name: &str) -> String {
    format!("[tls]\ncertificate = \"{name}.pem\"\nkey = \"{name}.key\"\nauthority = \"authority.pem\"\n")
}

struct Site(TempDir);

impl Site {
    /// Makes certificates and two disks.
    fn new() -> Self {
        let site = Self(tempfile::tempdir().expect("temporary directory"));
        let made = Command::new("bash").args(["-c", CERTIFICATES]).current_dir(site.0.path()).output();
        let made = made.expect("openssl");
        assert!(made.status.success(), "{}", stderr(&made));
        for name in ["disk0.img", "disk1.img"] {
            let disk = File::create(site.0.path().join(name));
            disk.and_then(|file| file.set_len(1 << 20)).expect("a raw file");
        }
        site
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    fn director(&self) -> Working {
        let text = format!(
            "name = \"DIRECTOR 61\"\nwwn = \"10:00:00:00:00:00:00:61\"\ndomain = \"61\"\n\
             [[port]]\nlink = \"04\"\nlisten = \"127.0.0.1:0\"\n\
             [[port]]\nlink = \"20\"\nlisten = \"127.0.0.1:0\"\n{}",
            tls("director")
        );
        Working::start(&self.file("director.toml", &text), &[])
    }

    /// Serves each disk to a guest of its own, at the end of a link with these keys.
    fn serve(&self, link: &str) -> Serving {
        let lun = |number: usize| {
            format!(
                "[[lun]]\nnumber = {number}\nfile = \"disk{number}.img\"\nhosts = [\"{}\"]\n",
                GUESTS[number]
            )
        };
        let text = format!(
            "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n\
             [[port]]\nid = \"0031\"\nprotocol = \"fcp\"\n{link}\nwwpn = \"50:05:07:63:00:00:00:31\"\n{}{}{}",
            lun(0),
            lun(1),
            tls("box")
        );
        Serving::of_file(&self.file("box.toml", &text), &[])
    }

    /// Drives as the guests, each of its disk of `luns`, and returns the exit code, the outcome and the messages.
    fn drive(&self, path: &str, luns: [u32; 2], rest: &str) -> (i32, Value, String) {
        let port = |guest: usize| {
            format!("[[path.virtual_port]]\nname = \"LNX{guest}\"\nwwpn = \"{}\"\n", GUESTS[guest])
        };
        let stream = |guest: usize| {
            format!(
                "[[stream]]\nname = \"guest {guest}\"\nprotocol = \"fcp\"\nvirtual_port = \"LNX{guest}\"\nluns = [{}]\n\
                 block = \"4K\"\nread_share = 0.5\nclosed = {{ jobs = 4 }}\n",
                luns[guest]
            )
        };
        let text = format!(
            "name = \"LINUX\"\nnode = \"50:05:07:64:00:00:00:02\"\n[run]\nios = 400\n\
             [[path]]\nchpid = \"60\"\n{path}\nwwpn = \"50:05:07:64:00:00:00:60\"\n\
             control_unit_port = \"50:05:07:63:00:00:00:31\"\n{}{}{}{}{rest}",
            port(0),
            port(1),
            stream(0),
            stream(1)
        );
        let driven = halftrack(&["drive", &self.file("linux.toml", &text), "--wait", "20", "--json"]);
        let outcome = serde_json::from_str(stdout(&driven)).unwrap_or(Value::Null);
        (code(&driven), outcome, stderr(&driven).to_owned())
    }
}

#[test]
fn guests_of_one_channel_reach_their_own_disks_over_tls() {
    let site = Site::new();
    let director = site.director();
    let box_path =
        format!("connect = \"{}\"\nattached_port = \"10:20:00:00:00:00:00:61\"", director.places[1]);
    let serving = site.serve(&box_path);
    let path = format!("connect = \"{}\"\nattached_port = \"10:04:00:00:00:00:00:61\"", director.places[0]);
    let (code, outcome, told) = site.drive(&path, [0, 1], &tls("linux"));
    assert_eq!((code, &outcome["right"]), (0, &true.into()), "{outcome} {told}");
    for guest in 0..2 {
        assert!(outcome["streams"][guest]["fcp"].as_u64().is_some_and(|ios| ios > 50), "{outcome}");
    }
    let (code, _, told) = site.drive(&path, [0, 0], &tls("linux"));
    assert!(code == 1 && told.contains("virtual port LNX1: LUN 0: the target does not report"), "{told}");
    let (code, _, told) = site.drive(&path, [0, 1], &tls("one"));
    assert!(code == 2 && told.contains("HTK899E"), "{told}");
    serving.kill();
    let (_, _, told) = director.end();
    let address = format!("{} logged in as 610402, a virtual port", GUESTS[1]);
    assert!(told.contains(&address), "{told}");
}
