// SPDX-License-Identifier: Apache-2.0
//! Unix sockets: listeners at long paths, peer credentials, descriptors in messages.

use super::{check, check_int, dir};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;

/// Most descriptors in one message (SCM_MAX_FD).
pub const MAX_FDS: usize = 253;

fn owned(fd: i32) -> io::Result<OwnedFd> {
    let fd = check_int(fd)?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Listens at `path`, mode 0600, in place of whatever was there. The path may be longer than a socket address.
pub fn listen(path: &Path) -> io::Result<OwnedFd> {
    let bad = || io::Error::from_raw_os_error(libc::EINVAL);
    let parent = path.parent().ok_or_else(bad)?;
    let name = path.file_name().ok_or_else(bad)?.as_encoded_bytes();
    let parent = dir::open_dir(dir::HERE, parent.as_os_str().as_encoded_bytes())?;
    match dir::remove_file(parent.as_fd(), name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut short = format!("/proc/self/fd/{}/", parent.as_raw_fd()).into_bytes();
    short.extend_from_slice(name);
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: plain numbers.
    let socket = owned(unsafe { libc::socket(libc::AF_UNIX, kind, 0) })?;
    let mut address = libc::sockaddr_un { sun_family: libc::AF_UNIX as u16, sun_path: [0; 108] };
    if short.len() >= address.sun_path.len() {
        return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
    }
    for (to, from) in address.sun_path.iter_mut().zip(&short) {
        *to = *from as libc::c_char;
    }
    // SAFETY: plain number; the process has one thread, so nobody else makes files meanwhile.
    let mask = unsafe { libc::umask(0o177) };
    let length = size_of::<libc::sockaddr_un>() as u32;
    // SAFETY: `address` is a whole, NUL-terminated socket address.
    let bound = check_int(unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) });
    super::creds::set_umask(mask);
    bound?;
    // SAFETY: plain numbers.
    check_int(unsafe { libc::listen(socket.as_raw_fd(), 16) })?;
    Ok(socket)
}

/// The next waiting connection, non-blocking; WouldBlock when there is none.
pub fn accept(listener: BorrowedFd) -> io::Result<OwnedFd> {
    let (flags, nowhere) = (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, std::ptr::null_mut());
    // SAFETY: the peer's address is not wanted.
    owned(unsafe { libc::accept4(listener.as_raw_fd(), nowhere, std::ptr::null_mut(), flags) })
}

pub struct Peer {
    /// 0: outside of our pid namespace.
    pub pid: i32,
    pub uid: u32,
}

/// Who made the connection.
pub fn peer(connection: BorrowedFd) -> io::Result<Peer> {
    let mut who = libc::ucred { pid: -1, uid: u32::MAX, gid: u32::MAX };
    let mut length = size_of::<libc::ucred>() as u32;
    // SAFETY: `who` and `length` describe the place for the answer.
    check_int(unsafe {
        libc::getsockopt(
            connection.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut who).cast(),
            &mut length,
        )
    })?;
    Ok(Peer { pid: who.pid, uid: who.uid })
}

/// Two connected ends that keep message boundaries.
pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: `ends` has room for both descriptors.
    check_int(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) })?;
    // SAFETY: the kernel has just made these descriptors for us.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Asks for a send buffer of `bytes`; the system's maximum wins.
pub fn set_send_buffer(socket: BorrowedFd, bytes: i32) {
    let length = size_of::<i32>() as u32;
    // SAFETY: the option takes one int.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_SNDBUF,
            (&raw const bytes).cast(),
            length,
        )
    };
}

/// Writes the pieces in order; returns how much was taken. Never blocks, never raises SIGPIPE.
pub fn send_pieces(socket: BorrowedFd, pieces: &[&[u8]]) -> io::Result<usize> {
    let mut vectors = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; 4];
    for (vector, piece) in vectors.iter_mut().zip(pieces) {
        *vector = libc::iovec { iov_base: piece.as_ptr().cast_mut().cast(), iov_len: piece.len() };
    }
    let mut message = empty_message();
    message.msg_iov = vectors.as_mut_ptr();
    message.msg_iovlen = pieces.len().min(vectors.len());
    let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
    // SAFETY: the vectors describe live slices, which sendmsg only reads.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &message, flags) };
    check(sent as i64).map(|sent| sent as usize)
}

/// One read; WouldBlock when nothing is here.
pub fn receive(socket: BorrowedFd, into: &mut [u8]) -> io::Result<usize> {
    let flags = libc::MSG_DONTWAIT;
    // SAFETY: `into` is valid for its length.
    let got = unsafe { libc::recv(socket.as_raw_fd(), into.as_mut_ptr().cast(), into.len(), flags) };
    check(got as i64).map(|got| got as usize)
}

fn empty_message() -> libc::msghdr {
    // SAFETY: all-zero is a valid empty message header.
    unsafe { std::mem::zeroed() }
}

/// Sends `bytes` with at most MAX_FDS descriptors as one message.
pub fn send_fds(socket: BorrowedFd, bytes: &[u8], fds: &[BorrowedFd]) -> io::Result<()> {
    let raw: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let payload = size_of_val(raw.as_slice()) as u32;
    // SAFETY: pure arithmetic.
    let mut control = vec![0_u64; (unsafe { libc::CMSG_SPACE(payload) } as usize).div_ceil(8)];
    let mut vector = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut message = empty_message();
    message.msg_iov = &mut vector;
    message.msg_iovlen = 1;
    if !raw.is_empty() {
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = control.len() * 8;
        // SAFETY: the control buffer is aligned and has room for one header and `payload` bytes.
        unsafe {
            let header = libc::CMSG_FIRSTHDR(&message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(payload) as usize;
            std::ptr::copy_nonoverlapping(raw.as_ptr(), libc::CMSG_DATA(header).cast(), raw.len());
        }
    }
    // SAFETY: the header describes live buffers.
    check(unsafe { libc::sendmsg(socket.as_raw_fd(), &message, libc::MSG_NOSIGNAL) } as i64).map(drop)
}

/// One message: its length in `bytes`, and its descriptors.
pub fn receive_fds(socket: BorrowedFd, bytes: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut control = vec![0_u64; 16 + MAX_FDS / 2];
    let mut vector = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut message = empty_message();
    message.msg_iov = &mut vector;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = control.len() * 8;
    // SAFETY: the header describes live buffers.
    let got = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
    let got = check(got as i64)? as usize;
    let mut fds = Vec::new();
    // SAFETY: the kernel filled the control buffer; the CMSG functions walk it within its length, and each
    // descriptor in it is new and ours.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(&message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let data: *const RawFd = libc::CMSG_DATA(header).cast();
                let count = ((*header).cmsg_len - libc::CMSG_LEN(0) as usize) / size_of::<RawFd>();
                for index in 0..count {
                    fds.push(OwnedFd::from_raw_fd(data.add(index).read_unaligned()));
                }
            }
            header = libc::CMSG_NXTHDR(&message, header);
        }
    }
    Ok((got, fds))
}

/// Takes the loopback device up; the kernel gives it 127.0.0.1.
pub fn loopback_up() -> io::Result<()> {
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
    // SAFETY: plain numbers.
    let socket = owned(unsafe { libc::socket(libc::AF_INET, kind, 0) })?;
    // SAFETY: all-zero is a valid request.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    request.ifr_name[0] = b'l' as libc::c_char;
    request.ifr_name[1] = b'o' as libc::c_char;
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
    // SAFETY: SIOCSIFFLAGS reads one ifreq.
    check_int(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &mut request) }).map(drop)
}
