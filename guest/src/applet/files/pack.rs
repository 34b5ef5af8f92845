// SPDX-License-Identifier: Apache-2.0
//! A directory, or one file, as a tar archive: names relative to the directory, links as links, numeric owners.

use super::entry::{self, path};
use super::{Named, Trouble, content, tree};
use crate::applet::wire::{Outgoing, Wire};
use crate::sys::dir;
use crate::wire::files::{Answer, Failed, Ready};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use tar::{EntryType, Header};

const NAME_BYTES: usize = 100;
const MOST_OCTAL_ID: u32 = 0o777_7777;
const MOST_OCTAL_SIZE: u64 = 0o777_7777_7777;
const BLOCK: usize = 512;

/// A failure of a file, or of the wire.
enum Stop {
    Failed(Failed),
    Wire(io::Error),
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Stop {
        Stop::Failed(failed)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Wire(error)
    }
}

pub fn run(wire: &mut Wire, top: &[u8]) -> Result<(), Trouble> {
    let found = fs::metadata(path(top)).named("read", top)?;
    if found.is_dir() {
        fs::read_dir(path(top)).named("list", top)?;
    } else {
        content::open_for_reading(top)?;
    }
    wire.say(Answer::Ready(Ready {}))?;
    let mut packer = Packer { out: Outgoing::new(wire), linked: BTreeMap::new() };
    let packed =
        if found.is_dir() { packer.directory(top) } else { packer.one(top, entry::name(top), &found) };
    match packed {
        Ok(()) => {
            packer.out.write_all(&[0; 2 * BLOCK])?;
            Ok(packer.out.finish()?)
        }
        Err(Stop::Wire(error)) => Err(error.into()),
        Err(Stop::Failed(failed)) => {
            packer.out.flush()?;
            wire.give_up()?;
            Err(failed.into())
        }
    }
}

struct Packer<'a> {
    out: Outgoing<'a>,
    /// First name of each file that has several.
    linked: BTreeMap<(u64, u64), Vec<u8>>,
}

impl Packer<'_> {
    fn directory(&mut self, top: &[u8]) -> Result<(), Stop> {
        let found = fs::metadata(path(top)).named("look at", top)?;
        self.one(top, b".", &found)?;
        let mut left = vec![Vec::new()];
        while let Some(place) = left.pop() {
            let whole = if place.is_empty() { top.to_vec() } else { tree::join(top, &place) };
            let mut names = Vec::new();
            for below in fs::read_dir(path(&whole)).named("list", &whole)? {
                names.push(below.named("list", &whole)?.file_name().as_bytes().to_vec());
            }
            names.sort_unstable();
            for name in names {
                let inside = if place.is_empty() { name } else { tree::join(&place, &name) };
                let file = tree::join(top, &inside);
                let Ok(found) = fs::symlink_metadata(path(&file)) else { continue }; // just removed
                self.one(&file, &inside, &found)?;
                if found.is_dir() {
                    left.push(inside);
                }
            }
        }
        Ok(())
    }

    fn one(&mut self, file: &[u8], name: &[u8], found: &Metadata) -> Result<(), Stop> {
        let kind = match found.mode() & libc::S_IFMT {
            libc::S_IFREG => EntryType::Regular,
            libc::S_IFDIR => EntryType::Directory,
            libc::S_IFLNK => EntryType::Symlink,
            libc::S_IFIFO => EntryType::Fifo,
            _ => return Ok(()), // sockets and devices mean nothing elsewhere
        };
        if kind == EntryType::Symlink {
            let target = dir::read_link(dir::HERE, file).named("read", file)?;
            return Ok(self.head(kind, name, &target, 0, found)?);
        }
        if kind != EntryType::Regular {
            return Ok(self.head(kind, name, b"", 0, found)?);
        }
        if found.nlink() > 1 {
            let key = (found.dev(), found.ino());
            if let Some(first) = self.linked.get(&key).cloned() {
                return Ok(self.head(EntryType::Link, name, &first, 0, found)?);
            }
            self.linked.insert(key, name.to_vec());
        }
        let source = content::open_for_reading(file)?;
        let size = found.size();
        self.head(kind, name, b"", size, found)?;
        let mut body = source.take(size);
        let mut buffer = vec![0_u8; 64 * 1024];
        let mut done = 0;
        loop {
            let got = body.read(&mut buffer).named("read", file)?;
            if got == 0 {
                break;
            }
            self.out.write_all(&buffer[..got])?;
            done += got as u64;
        }
        io::copy(&mut io::repeat(0).take(size - done), &mut self.out)?; // it has become shorter
        Ok(self.pad(size)?)
    }

    fn pad(&mut self, size: u64) -> io::Result<()> {
        let rest = (size as usize) % BLOCK;
        if rest > 0 { self.out.write_all(&[0; BLOCK][rest..]) } else { Ok(()) }
    }

    fn head(
        &mut self,
        kind: EntryType,
        name: &[u8],
        target: &[u8],
        size: u64,
        found: &Metadata,
    ) -> io::Result<()> {
        let mut name = name.to_vec();
        if kind == EntryType::Directory {
            name.push(b'/');
        }
        let mut extended = Vec::new();
        if name.len() > NAME_BYTES {
            record(&mut extended, "path", &name);
        }
        if target.len() > NAME_BYTES {
            record(&mut extended, "linkpath", target);
        }
        if size > MOST_OCTAL_SIZE {
            record(&mut extended, "size", size.to_string().as_bytes());
        }
        for (key, id) in [("uid", found.uid()), ("gid", found.gid())] {
            if id > MOST_OCTAL_ID {
                record(&mut extended, key, id.to_string().as_bytes());
            }
        }
        if found.mtime_nsec() > 0 {
            let time = format!("{}.{:09}", found.mtime(), found.mtime_nsec());
            record(&mut extended, "mtime", time.as_bytes());
        }
        if !extended.is_empty() {
            self.raw(EntryType::XHeader, b"PaxHeader", b"", extended.len() as u64, None)?;
            self.out.write_all(&extended)?;
            self.pad(extended.len() as u64)?;
        }
        self.raw(kind, &name, target, size, Some(found))
    }

    fn raw(
        &mut self,
        kind: EntryType,
        name: &[u8],
        target: &[u8],
        size: u64,
        found: Option<&Metadata>,
    ) -> io::Result<()> {
        let mut header = Header::new_ustar();
        let fields = header.as_old_mut();
        fill(&mut fields.name, name);
        fill(&mut fields.linkname, target);
        header.set_entry_type(kind);
        header.set_size(size.min(MOST_OCTAL_SIZE));
        header.set_mode(found.map_or(0o644, |found| found.mode() & 0o7777));
        header.set_uid(found.map_or(0, |found| u64::from(found.uid().min(MOST_OCTAL_ID))));
        header.set_gid(found.map_or(0, |found| u64::from(found.gid().min(MOST_OCTAL_ID))));
        header.set_mtime(found.map_or(0, |found| found.mtime().max(0) as u64));
        header.set_cksum();
        self.out.write_all(header.as_bytes())
    }
}

fn fill(field: &mut [u8], text: &[u8]) {
    let length = text.len().min(field.len());
    field[..length].copy_from_slice(&text[..length]);
}

/// `"LENGTH key=value\n"`, the length counting itself.
fn record(out: &mut Vec<u8>, key: &str, value: &[u8]) {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    out.extend_from_slice(format!("{length} {key}=").as_bytes());
    out.extend_from_slice(value);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::record;

    #[test]
    fn extended_records_count_themselves() {
        let of = |value: &str| {
            let mut out = Vec::new();
            record(&mut out, "path", value.as_bytes());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(of("a"), "9 path=a\n");
        for length in 85..110 {
            let text = of(&"x".repeat(length));
            assert!(text.starts_with(&format!("{} ", text.len())), "{text}");
        }
    }
}
