// SPDX-License-Identifier: Apache-2.0
//! A tar archive into a directory. No entry gets outside of it: names may neither be absolute nor go up, and links on the
//! way, whoever made them, may not lead out.

use super::fresh::Fresh;
use super::{Named, Trouble, content, failed};
use crate::applet::wire::{Incoming, Wire};
use crate::sys::{dir, errno, is_errno};
use crate::wire::files::{Answer, Done, Failed, Problem, Ready};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use tar::{Archive, Entry, EntryType};

const MODE_NEW: u32 = 0o755;

pub fn run(wire: &mut Wire, top: &[u8]) -> Result<Done, Trouble> {
    let place = content::make_parents(top).named("unpack into", top)?;
    wire.say(Answer::Ready(Ready {}))?;
    let mut archive = Archive::new(Incoming::new(wire));
    let mut unpacker = Unpacker { top: place, later: Vec::new(), count: 0 };
    // SAFETY: asks for our own user id, which never fails.
    let root = unsafe { libc::geteuid() } == 0;
    let result = unpacker.all(&mut archive, root);
    let mut rest = archive.into_inner();
    let drained = match result {
        Ok(()) => io::copy(&mut rest, &mut io::sink()).map(drop), // padding
        Err(failed) => return Err(if rest.cut { cut().into() } else { failed.into() }),
    };
    if drained.is_err() || rest.cut {
        return Err(cut().into());
    }
    unpacker.finish(root)?;
    Ok(Done { count: unpacker.count })
}

fn cut() -> Failed {
    failed(Problem::Cut, libc::ECANCELED, "the archive was cut off; what came before is unpacked".to_string())
}

/// Attributes of a directory, set when nothing more is put into it.
struct Later {
    name: Vec<u8>,
    attributes: Attributes,
}

#[derive(Clone, Copy)]
struct Attributes {
    mode: u32,
    uid: u32,
    gid: u32,
    seconds: i64,
    nanos: u32,
}

struct Unpacker {
    top: OwnedFd,
    later: Vec<Later>,
    count: u64,
}

impl Unpacker {
    fn all<R: Read>(&mut self, archive: &mut Archive<R>, root: bool) -> Result<(), Failed> {
        let broken = |error: io::Error| {
            failed(Problem::BadArchive, libc::EINVAL, format!("the archive cannot be read: {error}"))
        };
        for entry in archive.entries().map_err(broken)? {
            let mut entry = entry.map_err(broken)?;
            let shown = entry.path_bytes().into_owned();
            self.one(&mut entry, &shown, root)?;
            self.count += 1;
        }
        Ok(())
    }

    fn one<R: Read>(&mut self, entry: &mut Entry<R>, shown: &[u8], root: bool) -> Result<(), Failed> {
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            return Ok(());
        }
        let parts = parts(shown)?;
        let attributes = attributes(entry, shown)?;
        let Some((name, above)) = parts.split_last() else { return Ok(()) }; // the directory itself
        let place = self.directory(above).map_err(|error| stepped_out(error, shown))?;
        let place = place.as_fd();
        let made = match kind {
            EntryType::Directory => {
                self.later.push(Later { name: parts.join(&b'/'), attributes });
                return self.make_directory(&parts).map_err(|error| stepped_out(error, shown));
            }
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                return self.file(entry, above, name, attributes, root, shown);
            }
            EntryType::Symlink => {
                let target = entry.link_name_bytes().unwrap_or_default();
                replace(place, name, || dir::symlink(&target, place, name))
            }
            EntryType::Link => {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                let of = self::parts(&target)?;
                let Some((linked, beside)) = of.split_last() else {
                    return Err(bad(shown, "links to nothing"));
                };
                let from = self.existing(beside).map_err(|error| stepped_out(error, shown))?;
                let made = replace(place, name, || dir::link(from.as_fd(), linked, place, name, false));
                return made.named("unpack", shown); // its attributes are those of the first
            }
            EntryType::Fifo => replace(place, name, || dir::make_pipe(place, name, attributes.mode)),
            other => return Err(bad(shown, &format!("is of a kind that is not unpacked ({other:?})"))),
        };
        made.named("unpack", shown)?;
        if root {
            dir::chown(place, name, attributes.uid, attributes.gid).named("set the owner of", shown)?;
        }
        dir::set_time(place, name, attributes.seconds, attributes.nanos).named("set the time of", shown)
    }

    fn file<R: Read>(
        &mut self,
        entry: &mut Entry<R>,
        above: &[Vec<u8>],
        name: &[u8],
        attributes: Attributes,
        root: bool,
        shown: &[u8],
    ) -> Result<(), Failed> {
        let place = self.directory(above).map_err(|error| stepped_out(error, shown))?;
        let mut fresh = Fresh::make(&place, attributes.mode & 0o777).named("unpack", shown)?;
        let mut buffer = vec![0_u8; 256 * 1024];
        loop {
            let got = entry.read(&mut buffer).map_err(|error| {
                let shown = String::from_utf8_lossy(shown);
                failed(Problem::BadArchive, libc::EINVAL, format!("the archive ends within {shown}: {error}"))
            })?;
            if got == 0 {
                break;
            }
            fresh.file.write_all(&buffer[..got]).named("write", shown)?;
        }
        if root {
            dir::set_owner(&fresh.file, attributes.uid, attributes.gid).named("set the owner of", shown)?;
        }
        if attributes.mode > 0o777 {
            dir::set_mode(&fresh.file, attributes.mode).named("set the mode of", shown)?;
        }
        fresh.commit(name).named("write", shown)?;
        dir::set_time(place.as_fd(), name, attributes.seconds, attributes.nanos)
            .named("set the time of", shown)
    }

    fn existing(&self, parts: &[Vec<u8>]) -> io::Result<OwnedFd> {
        let path = if parts.is_empty() { b".".to_vec() } else { parts.join(&b'/') };
        dir::open_beneath(self.top.as_fd(), path, libc::O_PATH | libc::O_DIRECTORY)
    }

    /// Opens a directory below the top, making what is missing.
    fn directory(&self, parts: &[Vec<u8>]) -> io::Result<OwnedFd> {
        match self.existing(parts) {
            Err(error) if is_errno(&error, libc::ENOENT) => {}
            result => return result,
        }
        for depth in 1..=parts.len() {
            self.make_directory(&parts[..depth])?;
        }
        self.existing(parts)
    }

    fn make_directory(&self, parts: &[Vec<u8>]) -> io::Result<()> {
        let Some((name, above)) = parts.split_last() else { return Ok(()) };
        let place = self.existing(above)?;
        match dir::make_dir(place.as_fd(), name, MODE_NEW) {
            Err(error) if is_errno(&error, libc::EEXIST) => self.existing(parts).map(drop),
            result => result,
        }
    }

    fn finish(&mut self, root: bool) -> Result<(), Failed> {
        for later in std::mem::take(&mut self.later).into_iter().rev() {
            let Later { name, attributes } = later;
            let flags = libc::O_RDONLY | libc::O_DIRECTORY;
            let directory = dir::open_beneath(self.top.as_fd(), &name, flags).named("open", &name)?;
            if root {
                dir::set_owner(&directory, attributes.uid, attributes.gid)
                    .named("set the owner of", &name)?;
            }
            dir::set_mode(&directory, attributes.mode).named("set the mode of", &name)?;
            dir::set_time(directory.as_fd(), b".", attributes.seconds, attributes.nanos)
                .or_else(|error| if is_errno(&error, libc::EACCES) { Ok(()) } else { Err(error) })
                .named("set the time of", &name)?;
        }
        Ok(())
    }
}

/// What an entry takes the place of goes first, unless it is a directory.
fn replace(place: std::os::fd::BorrowedFd, name: &[u8], make: impl Fn() -> io::Result<()>) -> io::Result<()> {
    match make() {
        Err(error) if is_errno(&error, libc::EEXIST) => {
            dir::remove_file(place, name)?;
            make()
        }
        result => result,
    }
}

fn parts(name: &[u8]) -> Result<Vec<Vec<u8>>, Failed> {
    if name.starts_with(b"/") {
        return Err(bad(name, "has an absolute name"));
    }
    let parts: Vec<Vec<u8>> = name
        .split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
        .map(<[u8]>::to_vec)
        .collect();
    match parts.iter().any(|part| part == b".." || part.contains(&0)) {
        true => Err(bad(name, "leads out of the directory")),
        false => Ok(parts),
    }
}

fn bad(name: &[u8], why: &str) -> Failed {
    failed(Problem::BadEntry, libc::EPERM, format!("the entry {} {why}", String::from_utf8_lossy(name)))
}

fn stepped_out(error: io::Error, shown: &[u8]) -> Failed {
    match errno(&error) {
        libc::EXDEV => bad(shown, "leads out of the directory by a link"),
        _ => match Err::<(), _>(error).named("unpack", shown) {
            Err(failed) => failed,
            Ok(()) => Failed::default(),
        },
    }
}

fn attributes<R: Read>(entry: &mut Entry<R>, shown: &[u8]) -> Result<Attributes, Failed> {
    let number = |result: io::Result<u64>| {
        result.map_err(|error| bad(shown, &format!("has a header that cannot be read: {error}")))
    };
    let header = entry.header();
    let mut attributes = Attributes {
        mode: number(header.mode().map(u64::from))? as u32 & 0o7777,
        uid: number(header.uid())? as u32,
        gid: number(header.gid())? as u32,
        seconds: number(header.mtime())? as i64,
        nanos: 0,
    };
    if let Ok(Some(extensions)) = entry.pax_extensions() {
        for extension in extensions.flatten() {
            let (Ok(key), Ok(value)) = (extension.key(), extension.value()) else { continue };
            match key {
                "uid" => attributes.uid = value.parse().unwrap_or(attributes.uid),
                "gid" => attributes.gid = value.parse().unwrap_or(attributes.gid),
                "mtime" => {
                    if let Some((seconds, nanos)) = time(value) {
                        (attributes.seconds, attributes.nanos) = (seconds, nanos);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(attributes)
}

/// "1700000000.123456789", with any number of decimals.
fn time(text: &str) -> Option<(i64, u32)> {
    let (seconds, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = decimals.chars().chain("000000000".chars()).take(9).collect();
    Some((seconds.parse().ok()?, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_out_are_refused() {
        assert_eq!(parts(b"./a//b/").unwrap(), [b"a".to_vec(), b"b".to_vec()]);
        assert!(parts(b"./").unwrap().is_empty());
        for bad in [&b"/a"[..], b"a/../../b", b".."] {
            assert!(parts(bad).is_err_and(|failed| failed.problem() == Problem::BadEntry), "{bad:?}");
        }
    }

    #[test]
    fn times_have_decimals() {
        assert_eq!(time("12.5"), Some((12, 500_000_000)));
        assert_eq!(time("12"), Some((12, 0)));
        assert_eq!(time("12.1234567891"), Some((12, 123_456_789)));
        assert_eq!(time("x"), None);
    }
}
