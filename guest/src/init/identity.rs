// SPDX-License-Identifier: Apache-2.0
//! Who an exec runs as: looked up in the sandbox's own /etc/passwd and /etc/group, by the forked child.
//!
//! Those files belong to user code. They are read with bounds, only when regular, and never waited for.

use crate::sys::dir;
use std::fs::File;
use std::io;

const MAX_FILE: u64 = 1024 * 1024;
const MAX_GROUPS: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub struct Identity {
    pub uid: u32,
    pub gid: u32,
    pub groups: Vec<u32>,
    /// Empty when passwd does not know the user.
    pub name: String,
    pub home: String,
    pub shell: String,
}

/// `spec` is "name", "uid", "name:group" or "uid:gid"; empty means root.
pub fn resolve(spec: &str) -> Result<Identity, String> {
    let passwd = read("/etc/passwd");
    let group = read("/etc/group");
    look_up(spec, &passwd, &group)
}

/// Who files are given to: "user", "user:group" or ":group", names or numbers. A user alone leaves the group.
pub fn owner(spec: &str) -> Result<(Option<u32>, Option<u32>), String> {
    let (user, group) = match spec.split_once(':') {
        Some((user, group)) => (user, Some(group)),
        None => (spec, None),
    };
    if user.is_empty() && group.is_none_or(str::is_empty) {
        return Err("no owner is named".to_string());
    }
    let uid = match user {
        "" => None,
        name => Some(
            user_entry(name, &read("/etc/passwd")).ok_or_else(|| format!("user {name:?} is unknown"))?.uid,
        ),
    };
    let gid = match group {
        None | Some("") => None,
        Some(name) => {
            Some(group_id(name, &read("/etc/group")).ok_or_else(|| format!("group {name:?} is unknown"))?)
        }
    };
    Ok((uid, gid))
}

/// A file that is missing or odd counts as empty: numbers work without it.
fn read(path: &str) -> String {
    let text = open_regular(path).and_then(|file| dir::read_limited(file, MAX_FILE));
    String::from_utf8_lossy(&text.unwrap_or_default()).into_owned()
}

fn open_regular(path: &str) -> io::Result<File> {
    let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = File::from(dir::open(dir::HERE, path, flags, 0)?);
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::from_raw_os_error(libc::EINVAL)) }
}

fn look_up(spec: &str, passwd: &str, group: &str) -> Result<Identity, String> {
    let (user, wanted_group) = match spec.split_once(':') {
        Some((user, group)) => (user, Some(group)),
        None => (if spec.is_empty() { "root" } else { spec }, None),
    };
    let mut identity = user_entry(user, passwd).ok_or_else(|| format!("user {user:?} is unknown"))?;
    match wanted_group {
        // A named group takes the place of all that the user has.
        Some(wanted) => {
            identity.gid = group_id(wanted, group).ok_or_else(|| format!("group {wanted:?} is unknown"))?;
            identity.groups = vec![identity.gid];
        }
        None => identity.groups = memberships(&identity, group),
    }
    Ok(identity)
}

/// `name:password:uid:gid:comment:home:shell`
fn user_entry(user: &str, passwd: &str) -> Option<Identity> {
    let number = user.parse::<u32>().ok().filter(|&uid| uid != u32::MAX);
    let by = |matches: &dyn Fn(&[&str]) -> bool| {
        passwd.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            let entry = Identity {
                uid: fields.get(2)?.parse().ok()?,
                gid: fields.get(3)?.parse().ok()?,
                groups: Vec::new(),
                name: fields.first()?.to_string(),
                home: fields.get(5).unwrap_or(&"").to_string(),
                shell: fields.get(6).unwrap_or(&"").to_string(),
            };
            matches(&fields).then_some(entry)
        })
    };
    by(&|fields| fields[0] == user && !user.is_empty())
        .or_else(|| by(&|fields| number.is_some() && fields[2].parse().ok() == number))
        .or_else(|| number.map(unnamed))
        .or_else(|| (user == "root").then(|| unnamed(0)))
}

fn unnamed(uid: u32) -> Identity {
    let home = if uid == 0 { "/root" } else { "/" };
    // Without an entry there is no primary group either; root's is the one that gives nothing away.
    Identity { uid, gid: 0, groups: Vec::new(), name: String::new(), home: home.into(), shell: String::new() }
}

/// `name:password:gid:member,member`
fn group_id(wanted: &str, group: &str) -> Option<u32> {
    let named = group.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next() == Some(wanted)).then(|| fields.nth(1)?.parse().ok())?
    });
    named.or_else(|| wanted.parse().ok()).filter(|&gid| gid != u32::MAX)
}

fn memberships(identity: &Identity, group: &str) -> Vec<u32> {
    let mut groups = vec![identity.gid];
    for line in group.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        let (Some(gid), Some(members)) = (fields.get(2), fields.get(3)) else { continue };
        let member = !identity.name.is_empty() && members.split(',').any(|name| name == identity.name);
        match gid.parse() {
            Ok(gid) if member && !groups.contains(&gid) && groups.len() < MAX_GROUPS => groups.push(gid),
            _ => {}
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str =
        "root:x:0:0:root:/root:/bin/bash\nbroken\nagent:x:1000:1001::/home/agent:/bin/sh\n7:x:8:8::/:\n";
    const GROUP: &str = "root:x:0:\nagent:x:1001:\ndocker:x:44:agent,other\nstaff:x:50:other\n";

    fn ids(spec: &str) -> Result<(u32, u32, Vec<u32>), String> {
        look_up(spec, PASSWD, GROUP).map(|identity| (identity.uid, identity.gid, identity.groups))
    }

    #[test]
    fn names_numbers_and_groups() {
        assert_eq!(ids("agent"), Ok((1000, 1001, vec![1001, 44])));
        assert_eq!(ids("1000"), Ok((1000, 1001, vec![1001, 44])));
        assert_eq!(ids(""), Ok((0, 0, vec![0])));
        assert_eq!(ids("agent:staff"), Ok((1000, 50, vec![50])));
        assert_eq!(ids("1234:77"), Ok((1234, 77, vec![77])));
        assert_eq!(ids("1234"), Ok((1234, 0, vec![0])));
        assert_eq!(ids("7").map(|(uid, ..)| uid), Ok(8), "a name of digits wins over the number");
        assert!(ids("nobody-here").is_err());
        assert!(ids("agent:nogroup").is_err());
        assert!(ids("4294967295").is_err());
    }

    #[test]
    fn root_and_numbers_need_no_files() {
        assert_eq!(look_up("root", "", "").map(|identity| identity.home), Ok("/root".to_string()));
        assert_eq!(look_up("1000:1000", "", "").map(|identity| identity.gid), Ok(1000));
    }
}
