//! Servers and tools that nobody here wrote, whose zlib uses cards by `halftrack zedc run`.
//!
//! Without nginx and curl their test reports that and checks nothing, unless `HALFTRACK_ZLIB_PROGRAMS=required` is set, as CI
//! does. PostgreSQL is large: its test runs where it is installed.

#[path = "../../../zlib/tests/zlib/programs/presence.rs"]
mod presence;

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::zedc::Machine;
use presence::{is_there, runs};

/// Owner of a server of PostgreSQL, which does not run as root.
const OWNER: &str = "postgres";
/// Places of PostgreSQL's programs, of Debian: one a version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Tables whose dump has every kind of text.
const TABLES: &str = "create table numbers as select n, md5(n::text) as digest from generate_series(1, 60000) n; \
                      create table texts as select repeat('a line of text ' || n, 20) as line from generate_series(1, 5000) n;";

/// Server that is stopped with its test, with all of its processes.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended is no trouble.
        let _ = rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.0),
            rustix::process::Signal::INT,
        );
        let _ = self.0.wait();
    }
}

/// Tries until a command succeeds, as long as a server takes to start.
fn patient(mut command: impl FnMut() -> Command) -> Output {
    for _ in 0..600 {
        let output = command().output().expect("it starts");
        if output.status.success() {
            return output;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("{:?} never succeeds", command());
}

/// Returns the output of a command that succeeds.
fn done(command: &mut Command) -> Vec<u8> {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns text, line by line another one.
fn text(bytes: usize) -> Vec<u8> {
    (0_u32..).flat_map(|at| format!("record {at} of page {}\n", at % 37).into_bytes()).take(bytes).collect()
}

/// Writes what nginx is to do; returns the file.
fn configuration(directory: &Path) -> PathBuf {
    let place = directory.display();
    let is_root = fs::metadata(directory).is_ok_and(|metadata| metadata.uid() == 0);
    // Workers are of the user whose cards they use. Their environment has only the variables that are named.
    let user = if is_root { "user root root;" } else { "" };
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {place}/{kind};"))
        .join("\n");
    let text = format!(
        "daemon off; pid {place}/nginx.pid; error_log {place}/errors; worker_processes 2; env HALFTRACK_ZEDC; {user}\n\
         events {{}}\nhttp {{ access_log off; gzip on; gzip_types *; gzip_min_length 1; gzip_comp_level 1;\n{paths}\n\
         server {{ listen unix:{place}/socket; root {place}/pages; }} }}\n"
    );
    let path = directory.join("nginx.conf");
    fs::write(&path, text).expect("the file is written");
    path
}

/// Fetches a page that has to come compressed; curl inflates it by the zlib of the system.
fn fetch(directory: &Path, name: &str) -> Command {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--fail", "--compressed", "--dump-header"]).arg(directory.join("header"));
    curl.arg("--unix-socket").arg(directory.join("socket")).arg(format!("http://localhost/{name}"));
    curl
}

#[test]
fn nginx_sends_pages_that_cards_have_compressed() {
    let has_nginx = Command::new("nginx").arg("-v").output().is_ok_and(|output| output.status.success());
    if !is_there("nginx", has_nginx) || !runs("curl") {
        return;
    }
    let mut machine = Machine::new(2);
    let directory = machine.path().to_owned();
    fs::create_dir(directory.join("pages")).expect("a directory");
    let pages = [("large", text(3_000_000)), ("small", text(50_000)), ("short", text(100))];
    for (name, page) in &pages {
        fs::write(directory.join("pages").join(name), page).expect("the page is written");
    }
    let mut command = machine.command();
    command.args(["nginx", "-e"]).arg(directory.join("errors")).arg("-c").arg(configuration(&directory));
    let server = Server(command.spawn().expect("the command starts"));
    patient(|| fetch(&directory, "small"));
    let check = || {
        for (name, page) in &pages {
            assert!(done(&mut fetch(&directory, name)) == *page, "{name}");
            let header = fs::read_to_string(directory.join("header")).expect("a header");
            assert!(header.contains("Content-Encoding: gzip"), "{header}");
        }
    };
    (0..5).for_each(|_| check());
    let requests = [machine.requests(0), machine.requests(1)];
    assert!(requests.iter().all(|requests| *requests >= 5), "{requests:?}");
    machine.kill(0);
    (0..5).for_each(|_| check());
    assert!(machine.requests(1) >= requests[1] + 10, "the other card goes on");
    machine.kill(1);
    (0..5).for_each(|_| check());
    drop(server);
}

/// Returns the directory of the newest PostgreSQL.
fn postgresql() -> Option<PathBuf> {
    let versions =
        fs::read_dir(VERSIONS).into_iter().flatten().flatten().map(|entry| entry.path().join("bin"));
    let found = versions.filter(|path| path.join("initdb").exists() && path.join("pg_dump").exists()).max();
    if found.is_none() {
        eprintln!("NOT CHECKED: pg_dump, since PostgreSQL is not installed");
    }
    found
}

/// Database of a test.
struct Database {
    programs: PathBuf,
    directory: PathBuf,
    /// User and group of the server, when they are not those of the test.
    owner: Option<(u32, u32)>,
}

impl Database {
    /// Has a command run as the owner.
    fn owned(&self, mut command: Command) -> Command {
        command.current_dir(&self.directory).env("PGHOST", &self.directory).env("PGUSER", OWNER);
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }

    fn program(&self, name: &str) -> Command {
        self.owned(Command::new(self.programs.join(name)))
    }

    /// Makes the database and starts its server.
    fn start(&self) -> Server {
        let data = self.directory.join("data");
        done(self.program("initdb").args(["--no-sync", "--auth", "trust", "--username", OWNER]).arg(&data));
        let mut server = self.program("postgres");
        server.args(["-c", "listen_addresses=", "-c", "fsync=off", "-k"]).arg(&self.directory);
        server.arg("-D").arg(&data).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Server(server.spawn().expect("it starts"));
        patient(|| self.program("pg_isready"));
        done(self.program("psql").args(["--quiet", "--command", TABLES, "postgres"]));
        server
    }
}

/// Returns number of user and group of the owner.
fn owner() -> Option<(u32, u32)> {
    let number = |option: &str| {
        let output = Command::new("id").args([option, OWNER]).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    Some((number("-u")?, number("-g")?))
}

/// Leaves out what differs from dump to dump of the same tables.
fn comparable(dump: &[u8]) -> Vec<&[u8]> {
    let lines = dump.split(|octet| *octet == b'\n');
    lines.filter(|line| !line.starts_with(b"\\restrict") && !line.starts_with(b"\\unrestrict")).collect()
}

#[test]
fn pg_dump_writes_what_it_would_without_cards() {
    let Some(programs) = postgresql() else { return };
    let mut machine = Machine::new(0);
    let directory = machine.path().to_owned();
    let is_root = fs::metadata(&directory).is_ok_and(|metadata| metadata.uid() == 0);
    let owner = if is_root { owner() } else { None };
    machine.plug_with(if is_root { &["--allow", OWNER] } else { &[] });
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o777)).expect("it is the test's");
    let database = Database { programs, directory: directory.clone(), owner };
    let _server = database.start();
    let plain = done(database.program("pg_dump").arg("postgres"));
    assert!(plain.len() > 3_000_000, "{} octets", plain.len());
    for (format, faulty) in [("plain", false), ("custom", false), ("custom", true)] {
        let before = if faulty { 0 } else { machine.requests(0) };
        let file = directory.join(format!("dump-{format}-{faulty}"));
        let mut dump = machine.command();
        // The first input of pg_dump's streams is a row, or less.
        dump.env("HALFTRACK_ZEDC_DEFMINREQSIZE", "1");
        dump.arg(database.programs.join("pg_dump")).args(["-Z", "1", "--format", format, "--file"]);
        if faulty {
            machine.kill(0);
        }
        done(&mut database.owned(dump_of(dump, &file)));
        assert!(faulty || machine.requests(0) > before, "a card has requests");
        let mut reader = if format == "plain" {
            let mut gzip = Command::new("gzip");
            gzip.arg("--decompress").arg("--stdout");
            gzip
        } else {
            let mut restore = database.program("pg_restore");
            restore.args(["--file", "-"]);
            restore
        };
        let read = done(reader.arg(renamed(&file, format)));
        assert!(comparable(&read) == comparable(&plain), "{format}: the dump has other octets");
    }
}

/// Adds file and database to a dump's command.
fn dump_of(mut dump: Command, file: &Path) -> Command {
    dump.arg(file).arg("postgres");
    dump
}

/// Gives a plain dump the ending by which gzip takes it.
fn renamed(file: &Path, format: &str) -> PathBuf {
    if format != "plain" {
        return file.to_owned();
    }
    let ended = file.with_extension("gz");
    fs::rename(file, &ended).expect("it is renamed");
    ended
}
