// SPDX-License-Identifier: Apache-2.0
//! What an exec runs: the environment, the search along PATH, and the reason when it cannot start.

use super::identity::Identity;
use super::refusal::Refusal;
use crate::sys::{c_string, dir, errno};
use crate::wire::guest::{Applet, Failure, Size, Start};
use std::ffi::CString;
use std::io;

const DEFAULT_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// Most columns, and most rows, of a terminal.
const MOST_CELLS: u16 = 1000;
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];

/// Refuses what no program could be started with. Done before a fork.
pub fn validate(start: &Start) -> Result<(), Refusal> {
    let invalid = |message: &str| Err(Refusal::new(Failure::Invalid, libc::EINVAL, message));
    let may_be_empty = start.session_shell || start.session != 0 || (start.shell && start.terminal.is_some());
    if start.applet() == Applet::Program
        && (start.argv.is_empty() || (start.argv[0].is_empty() && !may_be_empty))
    {
        return invalid("argv is empty");
    }
    if (start.shell || start.session_shell || start.session != 0) && start.argv.len() != 1 {
        return invalid("a shell command is one text");
    }
    if start.argv.iter().chain(&start.env).chain([&start.cwd]).any(|text| text.contains(&0)) {
        return invalid("a NUL byte in an argument, the environment or the working directory");
    }
    if start.terminal.is_some_and(|size| dimensions(&size).is_none()) {
        return invalid("the size of the terminal is out of bounds");
    }
    if !start.cwd.is_empty() && start.cwd[0] != b'/' {
        let shown = String::from_utf8_lossy(&start.cwd);
        return Err(Refusal::new(
            Failure::BadCwd,
            libc::EINVAL,
            format!("working directory {shown:?} is not absolute"),
        ));
    }
    Ok(())
}

/// (columns, rows) within bounds.
pub fn dimensions(size: &Size) -> Option<(u16, u16)> {
    let fair = |number: u32| u16::try_from(number).ok().filter(|number| (1..=MOST_CELLS).contains(number));
    Some((fair(size.columns)?, fair(size.rows)?))
}

/// The request's environment, with what login would set where it is absent.
pub fn environment(start: &Start, identity: &Identity) -> Vec<Vec<u8>> {
    let mut environment = start.env.clone();
    let shell = if identity.shell.is_empty() { "/bin/sh" } else { &identity.shell };
    let defaults =
        [("HOME", &*identity.home), ("USER", &identity.name), ("LOGNAME", &identity.name), ("SHELL", shell)];
    for (name, value) in defaults {
        if !value.is_empty() && lookup(&start.env, name).is_none() {
            environment.push(format!("{name}={value}").into_bytes());
        }
    }
    environment
}

fn lookup<'a>(environment: &'a [Vec<u8>], name: &str) -> Option<&'a [u8]> {
    environment.iter().find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
}

/// What holds the descriptors of a session's run, until it is killed or init is gone.
const HOLDER: [&str; 3] = ["/bin/sh", "-c", "read x"];

/// argv as it will be executed.
pub fn arguments(start: &Start) -> Vec<Vec<u8>> {
    if start.session != 0 {
        return HOLDER.map(Vec::from).into();
    }
    if start.session_shell {
        return session_shell(start);
    }
    if !start.shell {
        return start.argv.clone();
    }
    let shell = default_shell();
    if start.argv[0].is_empty() {
        return vec![shell.into(), b"-l".into()];
    }
    let option: &[u8] = if start.login { b"-lc" } else { b"-c" };
    vec![shell.into(), option.into(), start.argv[0].clone()]
}

fn default_shell() -> &'static str {
    let exists = |path: &&str| dir::stat(dir::HERE, path).is_ok();
    SHELLS.into_iter().find(exists).unwrap_or("/bin/sh")
}

/// The shell of a session: the one that is named, else the default. Interactive, but with no line editor.
fn session_shell(start: &Start) -> Vec<Vec<u8>> {
    let named = &start.argv[0];
    let shell = if named.is_empty() { default_shell().as_bytes() } else { named };
    let mut argv = vec![shell.to_vec()];
    if is_bash(shell) {
        argv.push(b"--noediting".into());
        argv.extend((!start.login).then(|| b"--norc".to_vec()));
    }
    argv.extend(start.login.then(|| b"-l".to_vec()));
    argv.push(b"-i".into());
    argv
}

/// Whether the shell of a session will be bash.
pub fn session_is_bash(start: &Start) -> bool {
    is_bash(&session_shell(start)[0])
}

fn is_bash(shell: &[u8]) -> bool {
    shell.rsplit(|&byte| byte == b'/').next() == Some(b"bash")
}

/// Replaces this process. Returns only the reason why not.
pub fn execute(arguments: &[Vec<u8>], environment: &[Vec<u8>]) -> Refusal {
    match attempt(arguments, environment) {
        Ok(refusal) => refusal,
        Err(error) => Refusal::new(Failure::Invalid, errno(&error), format!("cannot start: {error}")),
    }
}

fn attempt(arguments: &[Vec<u8>], environment: &[Vec<u8>]) -> io::Result<Refusal> {
    let argv = c_strings(arguments)?;
    let envp = c_strings(environment)?;
    let program = &arguments[0];
    let candidates: Vec<Vec<u8>> = if program.contains(&b'/') {
        vec![program.clone()]
    } else {
        let path = lookup(environment, "PATH").unwrap_or(DEFAULT_PATH);
        path.split(|&byte| byte == b':').map(|place| join(place, program)).collect()
    };
    let mut reason = io::Error::from_raw_os_error(libc::ENOENT);
    let mut tried = program.clone();
    for candidate in candidates {
        let error = replace(&candidate, &argv, &envp);
        // As the C library does: what is not there does not end the search, what may not be run is remembered.
        match errno(&error) {
            libc::ENOENT if is_there(&candidate) => {}
            libc::ENOENT | libc::ENOTDIR => continue,
            libc::EACCES => {
                (reason, tried) = (error, candidate);
                continue;
            }
            _ => {}
        }
        return Ok(explain(&error, &candidate));
    }
    Ok(explain(&reason, &tried))
}

fn replace(path: &[u8], argv: &[CString], envp: &[CString]) -> io::Error {
    let Ok(path) = c_string(path) else { return io::Error::from_raw_os_error(libc::EINVAL) };
    let (argv, envp) = (pointers(argv), pointers(envp));
    // SAFETY: path is NUL-terminated; both arrays end in null and point to NUL-terminated texts that outlive
    // the call.
    unsafe { libc::execve(path.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    io::Error::last_os_error()
}

fn explain(error: &io::Error, path: &[u8]) -> Refusal {
    let shown = String::from_utf8_lossy(path);
    let (failure, message) = match errno(error) {
        libc::ENOENT if is_there(path) => {
            (Failure::NotExecutable, format!("the interpreter of {shown:?} is missing"))
        }
        libc::ENOENT | libc::ENOTDIR => (Failure::ProgramNotFound, format!("program {shown:?} not found")),
        libc::EACCES if !may_look(path) => {
            (Failure::NotExecutable, format!("program {shown:?} is out of reach for this user"))
        }
        libc::E2BIG => (Failure::Invalid, "arguments and environment are too long".to_string()),
        libc::ENOMEM | libc::EAGAIN | libc::EMFILE | libc::ENFILE => {
            (Failure::NoResources, format!("cannot start {shown:?}: {error}"))
        }
        _ => (Failure::NotExecutable, format!("program {shown:?} cannot be executed: {error}")),
    };
    Refusal::new(failure, errno(error), message)
}

/// Whether something is at `path`, links followed.
fn is_there(path: &[u8]) -> bool {
    dir::open(dir::HERE, path, libc::O_PATH, 0).is_ok()
}

fn may_look(path: &[u8]) -> bool {
    !matches!(dir::open(dir::HERE, path, libc::O_PATH, 0), Err(error) if errno(&error) == libc::EACCES)
}

fn join(place: &[u8], name: &[u8]) -> Vec<u8> {
    let place = if place.is_empty() { b"." } else { place };
    [place, b"/", name].concat()
}

fn c_strings(texts: &[Vec<u8>]) -> io::Result<Vec<CString>> {
    texts.iter().map(|text| c_string(text)).collect()
}

fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}
