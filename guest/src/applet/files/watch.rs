// SPDX-License-Identifier: Apache-2.0
//! Tells of changes below a path, by inotify.
//!
//! A directory that appears while a whole tree is watched is looked through once its own watch stands, so that nothing
//! made in it meanwhile is missed; such a thing may be told twice.

use super::fresh::PREFIX;
use super::{Named, Trouble, entry, failed, tree};
use crate::applet::wire::Wire;
use crate::sys::{c_string, check, check_int, event, is_errno};
use crate::wire::files::{Answer, Change, ChangeKind, Failed, Problem, Ready, Watch};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

const MASK: u32 = libc::IN_CREATE
    | libc::IN_MODIFY
    | libc::IN_DELETE
    | libc::IN_MOVED_FROM
    | libc::IN_MOVED_TO
    | libc::IN_ATTRIB
    | libc::IN_DELETE_SELF
    | libc::IN_MOVE_SELF;
const BATCH: usize = 64 * 1024;
/// The second half of a move follows its first at once, but maybe in the next batch.
const HALF_MOVE_MS: i32 = 10;
const HEADER: usize = size_of::<libc::inotify_event>();

struct Event {
    watch: i32,
    mask: u32,
    cookie: u32,
    name: Vec<u8>,
}

struct Watcher {
    queue: OwnedFd,
    paths: BTreeMap<i32, Vec<u8>>,
    root: i32,
    recursive: bool,
    lost: bool,
}

pub fn run(wire: &mut Wire, ask: &Watch) -> Result<(), Trouble> {
    // SAFETY: plain numbers.
    let queue = check_int(unsafe { libc::inotify_init1(libc::IN_CLOEXEC | libc::IN_NONBLOCK) })
        .named("watch", &ask.path)?;
    // SAFETY: the kernel has just made this descriptor for us.
    let queue = unsafe { OwnedFd::from_raw_fd(queue) };
    let mut watcher =
        Watcher { queue, paths: BTreeMap::new(), root: -1, recursive: ask.recursive, lost: false };
    watcher.root = watcher.add(&ask.path, 0).map_err(|error| explain(error, &ask.path))?;
    if ask.recursive && entry::path(&ask.path).is_dir() {
        watcher.descend(&ask.path, &mut |_| {}).map_err(|error| explain(error, &ask.path))?;
    }
    wire.say(Answer::Ready(Ready {}))?;
    let mut held = Vec::new();
    loop {
        event::wait_readable(watcher.queue.as_fd(), -1)?;
        let mut events = std::mem::take(&mut held);
        watcher.read(&mut events)?;
        if events.last().is_some_and(|event| event.mask & libc::IN_MOVED_FROM != 0)
            && event::wait_readable(watcher.queue.as_fd(), HALF_MOVE_MS)?
        {
            watcher.read(&mut events)?;
        }
        let mut changes = Vec::new();
        watcher.interpret(events, &mut changes);
        for change in changes {
            let gone = change.kind() == ChangeKind::Gone;
            wire.say(Answer::Change(change))?;
            if gone {
                return Ok(());
            }
        }
    }
}

fn explain(error: io::Error, path: &[u8]) -> Failed {
    if is_errno(&error, libc::ENOSPC) {
        let shown = String::from_utf8_lossy(path);
        let message = format!("there are more directories below {shown} than may be watched");
        return failed(Problem::TooLarge, libc::ENOSPC, message);
    }
    match Err::<(), _>(error).named("watch", path) {
        Err(failed) => failed,
        Ok(()) => Failed::default(),
    }
}

impl Watcher {
    fn add(&mut self, path: &[u8], extra: u32) -> io::Result<i32> {
        let text = c_string(path)?;
        // SAFETY: `text` is NUL-terminated and outlives the call.
        let watch = check_int(unsafe {
            libc::inotify_add_watch(self.queue.as_raw_fd(), text.as_ptr(), MASK | extra)
        })?;
        self.paths.insert(watch, path.to_vec());
        Ok(watch)
    }

    /// Watches the directories below; what is found is told. Those that vanish or are closed to us are left out.
    fn descend(&mut self, top: &[u8], found: &mut dyn FnMut(Change)) -> io::Result<()> {
        let mut left = vec![top.to_vec()];
        while let Some(place) = left.pop() {
            let Ok(names) = fs::read_dir(entry::path(&place)) else { continue };
            for below in names.flatten() {
                let path = tree::join(&place, below.file_name().as_bytes());
                let directory = below.file_type().is_ok_and(|kind| kind.is_dir());
                found(change(ChangeKind::Created, path.clone(), directory));
                if directory {
                    match self.add(&path, libc::IN_ONLYDIR | libc::IN_DONT_FOLLOW) {
                        Err(error) if is_errno(&error, libc::ENOSPC) => return Err(error),
                        Err(_) => {}
                        Ok(_) => left.push(path),
                    }
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, into: &mut Vec<Event>) -> io::Result<()> {
        let mut bytes = vec![0_u8; BATCH];
        // SAFETY: `bytes` is valid for its length.
        let got = unsafe { libc::read(self.queue.as_raw_fd(), bytes.as_mut_ptr().cast(), bytes.len()) };
        let got = match check(got as i64) {
            Ok(got) => got as usize,
            Err(error) if is_errno(&error, libc::EAGAIN) || is_errno(&error, libc::EINTR) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut at = 0;
        while at + HEADER <= got {
            let number = |offset: usize| {
                let field = bytes[at + offset..].first_chunk::<4>().copied().unwrap_or_default();
                u32::from_ne_bytes(field)
            };
            // int wd; uint32_t mask, cookie, len; char name[], padded with NUL
            let (watch, mask, cookie, length) = (number(0) as i32, number(4), number(8), number(12) as usize);
            let name = &bytes[at + HEADER..(at + HEADER + length).min(got)];
            let name = name.split(|&byte| byte == 0).next().unwrap_or_default().to_vec();
            into.push(Event { watch, mask, cookie, name });
            at += HEADER + length;
        }
        Ok(())
    }

    fn interpret(&mut self, events: Vec<Event>, changes: &mut Vec<Change>) {
        let mut events = events.into_iter().peekable();
        while let Some(event) = events.next() {
            if event.mask & libc::IN_Q_OVERFLOW != 0 || std::mem::take(&mut self.lost) {
                changes.push(change(ChangeKind::Overflow, Vec::new(), false));
            }
            let is = |bit: u32| event.mask & bit != 0;
            let Some(place) = self.paths.get(&event.watch).cloned() else { continue };
            if is(libc::IN_IGNORED) {
                self.paths.remove(&event.watch);
                continue;
            }
            if is(libc::IN_DELETE_SELF | libc::IN_MOVE_SELF) {
                if event.watch == self.root {
                    changes.push(change(ChangeKind::Gone, place, false));
                    return;
                }
                continue; // the directory above tells
            }
            let path = if event.name.is_empty() { place } else { tree::join(&place, &event.name) };
            let directory = is(libc::IN_ISDIR);
            if is(libc::IN_MOVED_FROM) {
                let to =
                    events.next_if(|next| next.mask & libc::IN_MOVED_TO != 0 && next.cookie == event.cookie);
                let to = to.and_then(|to| Some(tree::join(self.paths.get(&to.watch)?, &to.name)));
                match to {
                    Some(to) => self.moved(path, to, directory, changes),
                    None => {
                        self.drop_below(&path);
                        if !hidden(&path) {
                            changes.push(change(ChangeKind::Deleted, path, directory));
                        }
                    }
                }
                continue;
            }
            if hidden(&path) {
                continue;
            }
            let kind = if is(libc::IN_CREATE | libc::IN_MOVED_TO) {
                ChangeKind::Created
            } else if is(libc::IN_DELETE) {
                ChangeKind::Deleted
            } else if is(libc::IN_MODIFY) {
                ChangeKind::Modified
            } else {
                ChangeKind::Attributes
            };
            let told = change(kind, path.clone(), directory);
            if changes.last() != Some(&told) {
                changes.push(told);
            }
            if kind == ChangeKind::Created && directory {
                self.enter(&path, changes);
            }
        }
    }

    fn moved(&mut self, from: Vec<u8>, to: Vec<u8>, directory: bool, changes: &mut Vec<Change>) {
        if hidden(&from) {
            changes.push(change(ChangeKind::Modified, to, directory)); // content was put in its place
            return;
        }
        for path in self.paths.values_mut() {
            if let Some(rest) = below(path, &from) {
                *path = [&to[..], rest].concat();
            }
        }
        changes.push(Change { from, ..change(ChangeKind::Moved, to, directory) });
    }

    /// A directory has come into the tree.
    fn enter(&mut self, path: &[u8], changes: &mut Vec<Change>) {
        if !self.recursive {
            return;
        }
        let added = match self.add(path, libc::IN_ONLYDIR | libc::IN_DONT_FOLLOW) {
            Ok(_) => self.descend(path, &mut |found| changes.push(found)),
            Err(error) => Err(error),
        };
        self.lost |= added.is_err_and(|error| is_errno(&error, libc::ENOSPC));
    }

    fn drop_below(&mut self, top: &[u8]) {
        let gone: Vec<i32> = self
            .paths
            .iter()
            .filter(|(_, path)| below(path, top).is_some())
            .map(|(&watch, _)| watch)
            .collect();
        for watch in gone {
            self.paths.remove(&watch);
            // SAFETY: plain numbers.
            unsafe { libc::inotify_rm_watch(self.queue.as_raw_fd(), watch) };
        }
    }
}

/// What `path` has beyond `top`, when it is that or lies below.
fn below<'a>(path: &'a [u8], top: &[u8]) -> Option<&'a [u8]> {
    path.strip_prefix(top).filter(|rest| rest.is_empty() || rest[0] == b'/')
}

fn hidden(path: &[u8]) -> bool {
    entry::name(path).starts_with(PREFIX.as_bytes())
}

fn change(kind: ChangeKind, path: Vec<u8>, directory: bool) -> Change {
    Change { kind: kind as i32, path, from: Vec::new(), directory }
}
