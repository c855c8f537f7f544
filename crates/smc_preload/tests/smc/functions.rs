//! Functions of the C library that programs and their libraries need for sockets: each is one of this library, or is known to do without.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{is_there, library};

/// Programs and libraries of Debian that are read where they are installed.
const PROGRAMS: [&str; 16] = [
    "/usr/bin/redis-server",
    "/usr/bin/redis-benchmark",
    "/usr/bin/iperf3",
    "/usr/bin/sockperf",
    "/usr/sbin/nginx",
    "/usr/bin/curl",
    "/usr/bin/python3",
    "/usr/bin/psql",
    "/usr/lib/postgresql/15/bin/postgres",
    "/usr/lib/postgresql/15/bin/pgbench",
    "/usr/lib/x86_64-linux-gnu/libpq.so.5",
    "/usr/lib/x86_64-linux-gnu/libcurl.so.4",
    "/usr/lib/x86_64-linux-gnu/libssl.so.3",
    "/usr/lib/x86_64-linux-gnu/libiperf.so.0",
    "/usr/lib/x86_64-linux-gnu/libssh2.so.1",
    "/usr/lib/x86_64-linux-gnu/libnghttp2.so.14",
];

/// Parts of names by which a function has to do with descriptors.
const PARTS: [&str; 22] = [
    "accept", "connect", "listen", "recv", "send", "read", "write", "poll", "select", "epoll", "close",
    "dup", "fcntl", "ioctl", "splice", "fdopen", "fileno", "dprintf", "shutdown", "sockopt", "fork",
    "syscall",
];

/// Functions with such names that need nothing: by the words behind each group.
const WITHOUT: [(&str, &[&str]); 6] = [
    (
        "files, or names of them",
        &[
            "closedir",
            "fdopendir",
            "fread",
            "fread_unlocked",
            "__fread_chk",
            "__fread_unlocked_chk",
            "fwrite",
            "fwrite_unlocked",
            "getpwnam_r",
            "pread",
            "pread64",
            "__pread64_chk",
            "__pread_chk",
            "preadv",
            "preadv2",
            "preadv64",
            "preadv64v2",
            "pwrite",
            "pwrite64",
            "pwritev",
            "pwritev2",
            "pwritev64",
            "pwritev64v2",
            "readahead",
            "readdir",
            "readdir64",
            "readdir_r",
            "readlink",
            "__readlink_chk",
            "readlinkat",
            "process_vm_readv",
            "scandir",
            "fclose",
            "pclose",
            "readline",
            "sched_getaffinity",
            "rl_readline_name",
        ],
    ),
    (
        "events, and children that the C library starts",
        &[
            "eventfd_read",
            "eventfd_write",
            "posix_spawn_file_actions_addclose",
            "posix_spawn_file_actions_adddup2",
        ],
    ),
    (
        "names of symbols and messages",
        &["dlclose", "closelog", "catclose", "iconv_close", "mq_close", "sem_close"],
    ),
    (
        "strings",
        &["strdup", "__strdup", "strndup", "__strndup", "wcsdup", "strdupa", "uselocale", "duplocale"],
    ),
    ("options that the kernel answers for the TCP socket", &["getsockopt"]),
    (
        "children that have the kernel's copy of all descriptors, counted by this library",
        &["fork", "forkpty", "pthread_atfork", "__register_atfork"],
    ),
];

fn imported(file: &Path) -> BTreeSet<String> {
    let output =
        Command::new("nm").args(["--dynamic", "--undefined-only"]).arg(file).output().expect("nm runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let of_c_library = text.lines().filter_map(|line| line.trim().strip_prefix("U ")?.split_once("@GLIBC_"));
    of_c_library.map(|(name, _)| name.to_owned()).collect()
}

fn exported() -> BTreeSet<String> {
    let output =
        Command::new("nm").args(["--dynamic", "--defined-only"]).arg(library()).output().expect("nm runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().filter_map(|line| Some(line.split_once(" T ")?.1.to_owned())).collect()
}

#[test]
fn every_function_of_sockets_that_programs_need_is_handled() {
    if !is_there("nm") {
        return;
    }
    let (exported, mut seen) = (exported(), 0);
    let mut unknown = BTreeSet::new();
    for file in PROGRAMS.map(PathBuf::from).iter().filter(|file| file.exists()) {
        for name in imported(file) {
            let is_of_descriptors = PARTS.iter().any(|part| name.contains(part));
            let is_without = name.starts_with("pthread_")
                || name.starts_with("sem_")
                || WITHOUT.iter().any(|(_, names)| names.contains(&name.as_str()));
            seen += usize::from(is_of_descriptors);
            if is_of_descriptors && !is_without && !exported.contains(&name) {
                unknown.insert(format!("{name} ({})", file.display()));
            }
        }
    }
    assert!(exported.len() > 50 && exported.contains("recv"), "{} functions", exported.len());
    eprintln!("{seen} functions seen");
    assert_eq!(unknown, BTreeSet::new());
}
