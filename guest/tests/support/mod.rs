// SPDX-License-Identifier: Apache-2.0
//! A laboratory: what a node would prepare (cgroups, layers, devices), a launch process, and the node's side of
//! the channel. Everything carries one prefix, is swept when a run was killed, and goes when the lab is dropped.
#![allow(dead_code, unused_imports)] // each test program uses its own part

mod leftovers;
pub mod node;

use dsec_guest::sys::mounts;
use dsec_guest::wire::frame::{self, FrameReader};
use dsec_guest::wire::launch::{Bind, LaunchReply, LaunchRequest};
pub use leftovers::eventually;
use leftovers::{clear, remove_group, sweep};
use node::Node;
use prost::Message;
use std::ffi::CString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const PREFIX: &str = "dsec-guesttest-";
const UNIFIED: &str = "/sys/fs/cgroup/unified";
const CONTROLLERS: [&str; 3] = ["memory", "cpu", "pids"];
const DISK: &str = "disk";
const SCRATCH: [&str; 2] = ["/tmp", "/dev/shm"];
static LABS: AtomicU32 = AtomicU32::new(0);

/// False, and said loudly, where the tests cannot run.
pub fn possible() -> bool {
    let root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let groups = Path::new(UNIFIED).exists() && Path::new("/sys/fs/cgroup/memory").exists();
    if !(root && groups) {
        eprintln!("SKIPPED: these tests need root and cgroup v1 memory with a v2 tree at {UNIFIED}");
    }
    root && groups
}

pub struct Lab {
    name: String,
    number: u32,
    launch: Option<Child>,
    sandboxes: AtomicU32,
}

/// What a test may choose about a sandbox.
#[derive(Clone, Debug)]
pub struct Wishes {
    pub memory: u64,
    pub pids: u64,
    pub shm: u64,
    pub nofile: u64,
    pub upper_on_tmpfs: bool,
    /// A writable layer of this size, on a file system of its own.
    pub disk: Option<u64>,
    pub lowers: Vec<String>,
}

impl Default for Wishes {
    fn default() -> Self {
        Wishes {
            memory: 512 << 20,
            pids: 512,
            shm: 64 << 20,
            nofile: 4096,
            upper_on_tmpfs: false,
            disk: None,
            lowers: vec![],
        }
    }
}

pub struct Sandbox {
    pub pid: u32,
    pub id_base: u32,
    pub socket: PathBuf,
    pub upper: PathBuf,
    pub name: String,
    pub reply: LaunchReply,
    pub reply_time: Duration,
    groups: Vec<PathBuf>,
}

impl Lab {
    pub fn open() -> Lab {
        sweep();
        let number = LABS.fetch_add(1, Ordering::Relaxed);
        let lab = Lab {
            name: format!("{PREFIX}{}-{number}", std::process::id()),
            number,
            launch: None,
            sandboxes: AtomicU32::new(0),
        };
        fs::create_dir(lab.unified()).unwrap();
        for controller in CONTROLLERS {
            fs::create_dir_all(lab.v1(controller).join("guests")).unwrap();
        }
        fs::create_dir(lab.scratch()).unwrap();
        lab.make_lower();
        lab.make_devices();
        let mut lab = lab;
        lab.start_launch();
        lab
    }

    fn unified(&self) -> PathBuf {
        Path::new(UNIFIED).join(&self.name)
    }

    fn v1(&self, controller: &str) -> PathBuf {
        Path::new("/sys/fs/cgroup").join(controller).join(&self.name)
    }

    pub fn scratch(&self) -> PathBuf {
        Path::new(SCRATCH[0]).join(&self.name)
    }

    fn tmpfs(&self) -> PathBuf {
        Path::new(SCRATCH[1]).join(&self.name)
    }

    /// A root file system that takes its programs from the host's /usr.
    fn make_lower(&self) {
        let lower = self.scratch().join("lower");
        for name in ["usr", "dev", "proc", "sys", "etc", "root", "tmp", "var/tmp", "home/agent", "run"] {
            fs::create_dir_all(lower.join(name)).unwrap();
        }
        for name in ["bin", "sbin", "lib", "lib64"] {
            symlink(format!("usr/{name}"), lower.join(name)).unwrap();
        }
        for name in ["tmp", "var/tmp"] {
            fs::set_permissions(lower.join(name), fs::Permissions::from_mode(0o1777)).unwrap();
        }
        fs::set_permissions(lower.join("root"), fs::Permissions::from_mode(0o700)).unwrap();
        chown(lower.join("home/agent"), Some(1000), Some(1000)).unwrap();
        let passwd = "root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000:Agent:/home/agent:/bin/bash\n";
        fs::write(lower.join("etc/passwd"), passwd).unwrap();
        fs::write(lower.join("etc/group"), "root:x:0:\nagent:x:1000:\nstaff:x:50:agent\n").unwrap();
        fs::write(lower.join("etc/hostname"), "lower\n").unwrap();
    }

    fn make_devices(&self) {
        let dev = self.tmpfs().join("dev");
        for name in ["pts", "shm", "mqueue"] {
            fs::create_dir_all(dev.join(name)).unwrap();
        }
        for (name, major, minor) in [
            ("null", 1, 3),
            ("zero", 1, 5),
            ("full", 1, 7),
            ("random", 1, 8),
            ("urandom", 1, 9),
            ("tty", 5, 0),
        ] {
            let path = CString::new(dev.join(name).into_os_string().into_encoded_bytes()).unwrap();
            // SAFETY: the path is NUL-terminated and outlives the call.
            let made =
                unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(major, minor)) };
            assert_eq!(made, 0, "mknod {name}");
            fs::set_permissions(dev.join(name), fs::Permissions::from_mode(0o666)).unwrap();
        }
        for (name, to) in [
            ("fd", "/proc/self/fd"),
            ("stdin", "/proc/self/fd/0"),
            ("stdout", "/proc/self/fd/1"),
            ("stderr", "/proc/self/fd/2"),
            ("ptmx", "pts/ptmx"),
        ] {
            symlink(to, dev.join(name)).unwrap();
        }
    }

    /// One per lab, so that it is easily found again.
    fn mount_disk(&self, bytes: u64) -> PathBuf {
        let disk = self.scratch().join(DISK);
        fs::create_dir(&disk).unwrap();
        mounts::mount("tmpfs", disk.to_str().unwrap(), 0, &format!("size={bytes}")).unwrap();
        disk
    }

    pub fn start_launch(&mut self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dsec-guest"));
        command.arg("launch").arg("--socket").arg(self.launch_socket());
        command.env("NODE_SECRET", "s3cr3t-7f1").stdin(Stdio::piped()).stdout(Stdio::piped());
        let groups: Vec<PathBuf> =
            CONTROLLERS.iter().map(|c| self.v1(c).join("guests/cgroup.procs")).collect();
        // SAFETY: what runs between fork and exec is file writes on data made before.
        unsafe {
            command.pre_exec(move || groups.iter().try_for_each(|procs| fs::write(procs, "0")));
        }
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        self.launch = Some(child);
    }

    /// As when the node dies: launch sees the end of its stdin.
    pub fn stop_launch(&mut self) {
        let mut child = self.launch.take().unwrap();
        drop(child.stdin.take());
        let status = child.wait().unwrap();
        assert!(status.success(), "launch ended with {status}");
    }

    pub fn kill_launch(&mut self) {
        let mut child = self.launch.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn launch_socket(&self) -> PathBuf {
        self.scratch().join("launch.sock")
    }

    pub fn sandbox(&self) -> Sandbox {
        self.sandbox_with(&Wishes::default())
    }

    pub fn sandbox_with(&self, wishes: &Wishes) -> Sandbox {
        let sandbox = self.try_sandbox(wishes, |_| {});
        assert!(sandbox.reply.ok, "create failed: {}", sandbox.reply.message);
        sandbox
    }

    /// Prepares what a node would and asks launch; `change` may spoil the request.
    pub fn try_sandbox(&self, wishes: &Wishes, change: impl FnOnce(&mut LaunchRequest)) -> Sandbox {
        let number = self.sandboxes.fetch_add(1, Ordering::Relaxed);
        let name = format!("sb-{number}");
        let v2 = self.unified().join(&name);
        for part in ["init", "work"] {
            fs::create_dir_all(v2.join(part)).unwrap();
        }
        let groups: Vec<PathBuf> = CONTROLLERS.iter().map(|c| self.v1(c).join(&name)).collect();
        for group in &groups {
            fs::create_dir(group).unwrap();
        }
        fs::write(groups[0].join("memory.limit_in_bytes"), wishes.memory.to_string()).unwrap();
        let _ = fs::write(groups[0].join("memory.swappiness"), "0");
        fs::write(groups[2].join("pids.max"), wishes.pids.to_string()).unwrap();
        let home = if wishes.upper_on_tmpfs { self.tmpfs() } else { self.scratch() }.join(&name);
        let home = match wishes.disk {
            Some(bytes) => self.mount_disk(bytes),
            None => home,
        };
        for part in ["upper", "work"] {
            fs::create_dir_all(home.join(part)).unwrap();
        }
        fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_string();
        let mut lowers = wishes.lowers.clone();
        lowers.push(text(&self.scratch().join("lower")));
        let mut request = LaunchRequest {
            sandbox: name.clone(),
            hostname: "box".into(),
            id_base: 2_000_000_000 + (self.number * 64 + number) % 20_000 * 65_536,
            id_count: 65_536,
            socket: text(&self.scratch().join(format!("{name}.sock"))),
            v2_group: text(&v2),
            memory_group: text(&groups[0]),
            join: groups[1..].iter().map(|group| text(&group.join("cgroup.procs"))).collect(),
            lowers,
            upper: text(&home.join("upper")),
            work: text(&home.join("work")),
            binds: vec![Bind {
                source: "/usr".into(),
                target: "/usr".into(),
                writable: false,
                id_mapped: true,
            }],
            dev: text(&self.tmpfs().join("dev")),
            shm_bytes: wishes.shm,
            nofile: wishes.nofile,
            forked: false,
        };
        change(&mut request);
        let begun = Instant::now();
        let reply = self.ask(&request);
        let reply_time = begun.elapsed();
        let mut all = groups;
        all.push(v2);
        Sandbox {
            pid: reply.pid,
            id_base: request.id_base,
            socket: PathBuf::from(&request.socket),
            upper: home.join("upper"),
            name,
            reply,
            reply_time,
            groups: all,
        }
    }

    pub fn ask(&self, request: &LaunchRequest) -> LaunchReply {
        let mut stream = UnixStream::connect(self.launch_socket()).unwrap();
        let mut bytes = Vec::new();
        frame::append(&mut bytes, request);
        stream.write_all(&bytes).unwrap();
        let mut reader = FrameReader::new();
        loop {
            if let Some(reply) = reader.next_frame().unwrap() {
                return LaunchReply::decode(reply).unwrap();
            }
            assert_ne!(reader.fill(&mut stream).unwrap(), 0, "launch hung up");
        }
    }
}

impl Sandbox {
    pub fn node(&self) -> Node {
        Node::connect(&self.socket)
    }

    pub fn v2(&self) -> &Path {
        self.groups.last().unwrap()
    }

    pub fn alive(&self) -> bool {
        Path::new(&format!("/proc/{}", self.pid)).exists()
    }

    /// Groups of execs that still exist below `work`.
    pub fn exec_groups(&self) -> Vec<String> {
        let names = fs::read_dir(self.v2().join("work")).unwrap().flatten();
        names
            .filter(|name| name.path().is_dir())
            .map(|name| name.file_name().into_string().unwrap())
            .collect()
    }

    pub fn destroy(&self) {
        let _ = fs::write(self.v2().join("cgroup.kill"), "1");
        let _ = fs::remove_file(&self.socket);
        self.groups.iter().for_each(|group| remove_group(group));
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(mut child) = self.launch.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        clear(&self.name);
    }
}
