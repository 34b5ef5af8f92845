// SPDX-License-Identifier: Apache-2.0
//! Reading and replacing the content of files.

use super::fresh::Fresh;
use super::{Named, Trouble, entry, failed};
use crate::applet::wire::Wire;
use crate::sys::{dir, is_errno};
use crate::wire::files::{Answer, Entry, Failed, Opened, Problem, Read, Ready, Type, Write};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek, SeekFrom, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// Of a file that says nothing of its size, as those of /proc.
const MOST_UNSIZED: u64 = 960 * 1024;
const DEFAULT_MODE: u32 = 0o644;
const PARENT_MODE: u32 = 0o755;
const MOST_LINKS: usize = 40;

pub fn read(wire: &mut Wire, ask: &Read) -> Result<(), Trouble> {
    let (mut file, entry) = open_regular(&ask.path)?;
    let size = entry.size;
    if size == 0 {
        return Ok(wire.say(Answer::Opened(read_unsized(file, entry, ask)?))?);
    }
    let Some((from, count)) = range(size, ask) else {
        let opened = Opened { entry: Some(entry), unsatisfiable: true, complete: true, ..Opened::default() };
        return Ok(wire.say(Answer::Opened(opened))?);
    };
    let mut opened = Opened { entry: Some(entry), from, count, ..Opened::default() };
    if count > ask.most {
        opened.too_long = true;
        opened.complete = true;
        return Ok(wire.say(Answer::Opened(opened))?);
    }
    file.seek(SeekFrom::Start(from)).named("read", &ask.path)?;
    if count <= MOST_UNSIZED {
        let mut data = Vec::with_capacity(count as usize);
        (&file).take(count).read_to_end(&mut data).named("read", &ask.path)?;
        opened.count = data.len() as u64;
        opened.data = data;
        opened.complete = true;
        return Ok(wire.say(Answer::Opened(opened))?);
    }
    wire.say(Answer::Opened(opened))?;
    match wire.send(&file, count)? {
        Ok(()) => Ok(()),
        Err(error) => {
            wire.give_up()?;
            Err(Err::<(), _>(error).named("read on in", &ask.path).unwrap_err().into())
        }
    }
}

/// Neither opens nor waits for what is no regular file.
fn open_regular(path: &[u8]) -> Result<(File, Entry), Failed> {
    regular(&entry::at(path, true)?, "read", path)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(entry::path(path))
        .named("read", path)?;
    let entry = entry::of(entry::name(path), &file.metadata().named("look at", path)?);
    regular(&entry, "read", path)?;
    Ok((file, entry))
}

fn regular(entry: &Entry, what: &str, path: &[u8]) -> Result<(), Failed> {
    match entry.kind() {
        Type::File => Ok(()),
        Type::Directory => Err(io::Error::from_raw_os_error(libc::EISDIR)).named(what, path),
        other => {
            let shown = String::from_utf8_lossy(path);
            let message = format!("cannot {what} {shown}: it is a {}", entry::kind_name(other));
            Err(failed(Problem::NotRegular, libc::EINVAL, message))
        }
    }
}

fn read_unsized(file: File, entry: Entry, ask: &Read) -> Result<Opened, Failed> {
    let data = dir::read_limited(file, MOST_UNSIZED + 1).named("read", &ask.path)?;
    let size = data.len() as u64;
    if size > MOST_UNSIZED {
        let shown = String::from_utf8_lossy(&ask.path);
        let message = format!("{shown} does not say its size and is longer than {MOST_UNSIZED} bytes");
        return Err(failed(Problem::TooLarge, libc::EFBIG, message));
    }
    let entry = Some(Entry { size, ..entry });
    Ok(match range(size, ask) {
        None => Opened { entry, unsatisfiable: true, complete: true, ..Opened::default() },
        Some((from, count)) => {
            let data = data[from as usize..(from + count) as usize].to_vec();
            Opened { entry, from, count, data, complete: true, ..Opened::default() }
        }
    })
}

/// First byte and length; None when the file ends before.
fn range(size: u64, ask: &Read) -> Option<(u64, u64)> {
    let from = match u64::try_from(ask.from) {
        Ok(from) => from,
        Err(_) => size.saturating_sub(ask.from.unsigned_abs()),
    };
    if from > size || from == size && from > 0 {
        return None;
    }
    let rest = size - from;
    Some((from, if ask.count == 0 { rest } else { rest.min(ask.count) }))
}

pub fn write(wire: &mut Wire, ask: &Write) -> Result<(), Trouble> {
    let target = Target::find(&ask.path)?;
    let mode = match (&target.existing, ask.with_mode) {
        (_, true) => ask.mode & 0o7777,
        (Some(existing), false) => existing.st_mode & 0o7777,
        (None, false) => DEFAULT_MODE,
    };
    let make = if ask.complete && target.existing.is_some() { Fresh::hidden } else { Fresh::make };
    let mut fresh = make(&target.place, mode & 0o777).named("create", &ask.path)?;
    if ask.complete {
        fresh.file.write_all(&ask.data).named("write", &ask.path)?;
    } else {
        wire.say(Answer::Ready(Ready {}))?;
        match wire.receive(&mut fresh.file) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let message = format!("the content of {} was cut off", String::from_utf8_lossy(&ask.path));
                return Err(failed(Problem::Cut, libc::ECANCELED, message).into());
            }
            written => written?.named("write", &ask.path)?,
        }
    }
    let entry = target.put(fresh, mode).named("write", &ask.path)?;
    Ok(wire.say(Answer::Entry(Entry { name: entry::name(&ask.path).to_vec(), ..entry }))?)
}

/// Where a write goes: links at the end of the path are followed, as opening for writing would.
struct Target {
    place: OwnedFd,
    name: Vec<u8>,
    existing: Option<libc::stat>,
}

impl Target {
    fn find(path: &[u8]) -> Result<Target, Failed> {
        let (parents, name) = split(path).named("write", path)?;
        let mut place = make_parents(parents).named("make the directory of", path)?;
        let mut name = name.to_vec();
        for _ in 0..MOST_LINKS {
            let found = match dir::stat(place.as_fd(), &name) {
                Ok(found) => found,
                Err(error) if is_errno(&error, libc::ENOENT) => {
                    return Ok(Target { place, name, existing: None });
                }
                Err(error) => return Err(error).named("write", path),
            };
            if found.st_mode & libc::S_IFMT != libc::S_IFLNK {
                // What may not be written may not be replaced either.
                regular(&stat_entry(&found), "write", path)?;
                dir::may_write(place.as_fd(), &name).named("write", path)?;
                return Ok(Target { place, name, existing: Some(found) });
            }
            let leads = dir::read_link(place.as_fd(), &name).named("follow", path)?;
            let (parents, last) = match leads.iter().rposition(|&byte| byte == b'/') {
                Some(slash) => (leads[..=slash].to_vec(), leads[slash + 1..].to_vec()),
                None => (b".".to_vec(), leads),
            };
            place = dir::open_dir(place.as_fd(), &parents).named("follow", path)?;
            name = last;
            checked(&name).named("write", path)?;
        }
        Err(io::Error::from_raw_os_error(libc::ELOOP)).named("write", path)
    }

    fn put(&self, fresh: Fresh, mode: u32) -> io::Result<Entry> {
        let file = fresh.file.try_clone()?;
        let mut made = file.metadata()?;
        let mut mode_stands = made.mode() & 0o7777 == mode;
        if let Some(existing) = &self.existing {
            if (made.uid(), made.gid()) != (existing.st_uid, existing.st_gid)
                && dir::set_owner(&file, existing.st_uid, existing.st_gid).is_err()
            {
                // Only root may give files away; the group may be one of the user's.
                let _ = dir::set_owner(&file, u32::MAX, existing.st_gid);
            }
            mode_stands &= (made.uid(), made.gid()) == (existing.st_uid, existing.st_gid);
        }
        if mode > 0o777 || self.existing.is_some() && !mode_stands {
            dir::set_mode(&file, mode)?;
            made = file.metadata()?;
        }
        fresh.commit(&self.name)?;
        Ok(entry::of(&self.name, &made))
    }
}

fn stat_entry(found: &libc::stat) -> Entry {
    let kind = match found.st_mode & libc::S_IFMT {
        libc::S_IFREG => Type::File,
        libc::S_IFDIR => Type::Directory,
        libc::S_IFIFO => Type::Pipe,
        libc::S_IFSOCK => Type::Socket,
        _ => Type::CharacterDevice,
    };
    Entry { kind: kind as i32, ..Entry::default() }
}

fn checked(name: &[u8]) -> io::Result<()> {
    match name {
        b"" | b"." | b".." => Err(io::Error::from_raw_os_error(libc::EISDIR)),
        _ => Ok(()),
    }
}

fn split(path: &[u8]) -> io::Result<(&[u8], &[u8])> {
    let slash = path.iter().rposition(|&byte| byte == b'/').filter(|_| path[0] == b'/');
    let slash = slash.ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
    checked(&path[slash + 1..])?;
    Ok((&path[..=slash], &path[slash + 1..]))
}

/// Opens a directory, making what is missing of its path.
pub fn make_parents(path: &[u8]) -> io::Result<OwnedFd> {
    match dir::open_dir(dir::HERE, path) {
        Err(error) if is_errno(&error, libc::ENOENT) => {}
        result => return result,
    }
    let mut place = dir::open_dir(dir::HERE, "/")?;
    for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
        place = match dir::open_dir(place.as_fd(), name) {
            Err(error) if is_errno(&error, libc::ENOENT) => {
                match dir::make_dir(place.as_fd(), name, PARENT_MODE) {
                    Err(error) if !is_errno(&error, libc::EEXIST) => return Err(error),
                    _ => dir::open_dir(place.as_fd(), name)?,
                }
            }
            result => result?,
        };
    }
    Ok(place)
}

/// All regular files below may be read here.
pub fn open_for_reading(path: &[u8]) -> Result<File, Failed> {
    fs::File::open(entry::path(path)).named("read", path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(from: i64, count: u64) -> Read {
        Read { from, count, ..Read::default() }
    }

    #[test]
    fn ranges_are_cut_at_the_end_of_the_file() {
        assert_eq!(range(10, &ask(0, 0)), Some((0, 10)));
        assert_eq!(range(10, &ask(4, 100)), Some((4, 6)));
        assert_eq!(range(10, &ask(9, 1)), Some((9, 1)));
        assert_eq!(range(10, &ask(10, 1)), None);
        assert_eq!(range(10, &ask(-3, 0)), Some((7, 3)));
        assert_eq!(range(10, &ask(-30, 0)), Some((0, 10)));
        assert_eq!(range(0, &ask(0, 0)), Some((0, 0)));
        assert_eq!(range(10, &ask(i64::MIN, 0)), Some((0, 10)));
    }

    #[test]
    fn a_file_has_a_name_of_its_own() {
        assert_eq!(split(b"/a/b").unwrap(), (&b"/a/"[..], &b"b"[..]));
        assert_eq!(split(b"/b").unwrap(), (&b"/"[..], &b"b"[..]));
        for bad in [&b"a"[..], b"", b"/", b"/a/", b"/a/..", b"/."] {
            assert!(split(bad).is_err(), "{bad:?}");
        }
    }
}
