// SPDX-License-Identifier: Apache-2.0
//! Which calls user processes may make.

use super::program::{Simple, Test, Verdict};
use libc::*;

/// Ordinary life. The kernel's own checks (capabilities, ids) still apply to each.
#[rustfmt::skip]
const ALLOWED: &[c_long] = &[
    SYS_accept, SYS_accept4, SYS_access, SYS_adjtimex, SYS_alarm, SYS_arch_prctl, SYS_bind, SYS_brk, SYS_capget,
    SYS_capset, SYS_chdir, SYS_chmod, SYS_chown, SYS_chroot, SYS_clock_adjtime, SYS_clock_getres,
    SYS_clock_gettime, SYS_clock_nanosleep, SYS_close, SYS_close_range, SYS_connect, SYS_copy_file_range,
    SYS_creat, SYS_dup, SYS_dup2, SYS_dup3, SYS_epoll_create, SYS_epoll_create1, SYS_epoll_ctl,
    SYS_epoll_pwait, SYS_epoll_pwait2, SYS_epoll_wait, SYS_eventfd, SYS_eventfd2, SYS_execve, SYS_execveat,
    SYS_exit, SYS_exit_group, SYS_faccessat, SYS_faccessat2, SYS_fadvise64, SYS_fallocate, SYS_fanotify_mark,
    SYS_fchdir, SYS_fchmod, SYS_fchmodat, SYS_fchmodat2, SYS_fchown, SYS_fchownat, SYS_fcntl, SYS_fdatasync,
    SYS_fgetxattr, SYS_flistxattr, SYS_flock, SYS_fork, SYS_fremovexattr, SYS_fsetxattr, SYS_fstat,
    SYS_fstatfs, SYS_fsync, SYS_ftruncate, SYS_futex, SYS_futex_waitv, SYS_futimesat, SYS_getcpu, SYS_getcwd,
    SYS_getdents, SYS_getdents64, SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getgroups, SYS_getitimer,
    SYS_getpeername, SYS_getpgid, SYS_getpgrp, SYS_getpid, SYS_getppid, SYS_getpriority, SYS_getrandom,
    SYS_getresgid, SYS_getresuid, SYS_getrlimit, SYS_get_robust_list, SYS_getrusage, SYS_getsid,
    SYS_getsockname, SYS_getsockopt, SYS_get_thread_area, SYS_gettid, SYS_gettimeofday, SYS_getuid,
    SYS_getxattr, SYS_inotify_add_watch, SYS_inotify_init, SYS_inotify_init1, SYS_inotify_rm_watch,
    SYS_io_cancel, SYS_io_destroy, SYS_io_getevents, SYS_ioprio_get, SYS_ioprio_set,
    SYS_io_setup, SYS_io_submit, SYS_kill, SYS_landlock_add_rule, SYS_landlock_create_ruleset,
    SYS_landlock_restrict_self, SYS_lchown, SYS_lgetxattr, SYS_link, SYS_linkat, SYS_listen, SYS_listxattr,
    SYS_llistxattr, SYS_lremovexattr, SYS_lseek, SYS_lsetxattr, SYS_lstat, SYS_madvise, SYS_membarrier,
    SYS_memfd_create, SYS_memfd_secret, SYS_mincore, SYS_mkdir, SYS_mkdirat, SYS_mknod, SYS_mknodat, SYS_mlock,
    SYS_mlock2, SYS_mlockall, SYS_mmap, SYS_modify_ldt, SYS_mprotect, SYS_mq_getsetattr, SYS_mq_notify,
    SYS_mq_open, SYS_mq_timedreceive, SYS_mq_timedsend, SYS_mq_unlink, SYS_mremap, SYS_msgctl, SYS_msgget,
    SYS_msgrcv, SYS_msgsnd, SYS_msync, SYS_munlock, SYS_munlockall, SYS_munmap, SYS_name_to_handle_at,
    SYS_nanosleep, SYS_newfstatat, SYS_open, SYS_openat, SYS_openat2, SYS_pause, SYS_pidfd_open,
    SYS_pidfd_send_signal, SYS_pipe, SYS_pipe2, SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect, SYS_poll,
    SYS_ppoll, SYS_prctl, SYS_pread64, SYS_preadv, SYS_preadv2, SYS_prlimit64, SYS_process_mrelease,
    SYS_pselect6, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_read, SYS_readahead, SYS_readlink,
    SYS_readlinkat, SYS_readv, SYS_recvfrom, SYS_recvmmsg, SYS_recvmsg, SYS_remap_file_pages, SYS_removexattr,
    SYS_rename, SYS_renameat, SYS_renameat2, SYS_restart_syscall, SYS_rmdir, SYS_rseq, SYS_rt_sigaction,
    SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigqueueinfo, SYS_rt_sigreturn, SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo, SYS_sched_getaffinity, SYS_sched_getattr,
    SYS_sched_getparam, SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_getscheduler,
    SYS_sched_rr_get_interval, SYS_sched_setaffinity, SYS_sched_setattr, SYS_sched_setparam,
    SYS_sched_setscheduler, SYS_sched_yield, SYS_seccomp, SYS_select, SYS_semctl, SYS_semget, SYS_semop,
    SYS_semtimedop, SYS_sendfile, SYS_sendmmsg, SYS_sendmsg, SYS_sendto, SYS_setfsgid, SYS_setfsuid,
    SYS_setgid, SYS_setgroups, SYS_setitimer, SYS_setpgid, SYS_setpriority, SYS_setregid, SYS_setresgid,
    SYS_setresuid, SYS_setreuid, SYS_setrlimit, SYS_set_robust_list, SYS_setsid, SYS_setsockopt,
    SYS_set_thread_area, SYS_set_tid_address, SYS_setuid, SYS_setxattr, SYS_shmat, SYS_shmctl, SYS_shmdt,
    SYS_shmget, SYS_shutdown, SYS_sigaltstack, SYS_signalfd, SYS_signalfd4, SYS_socketpair, SYS_splice,
    SYS_stat, SYS_statfs, SYS_statx, SYS_symlink, SYS_symlinkat, SYS_sync, SYS_sync_file_range, SYS_syncfs,
    SYS_sysinfo, SYS_tee, SYS_tgkill, SYS_time, SYS_timer_create, SYS_timer_delete, SYS_timer_getoverrun,
    SYS_timer_gettime, SYS_timer_settime, SYS_timerfd_create, SYS_timerfd_gettime, SYS_timerfd_settime,
    SYS_times, SYS_tkill, SYS_truncate, SYS_umask, SYS_uname, SYS_unlink, SYS_unlinkat, SYS_utime,
    SYS_utimensat, SYS_utimes, SYS_vfork, SYS_vmsplice, SYS_wait4, SYS_waitid, SYS_write, SYS_writev,
];

/// Newer numbers that libc may not name yet.
#[rustfmt::skip]
const ALLOWED_BY_NUMBER: &[u32] = &[
    333, // io_pgetevents
    335, // uretprobe
    451, // cachestat
    453, // map_shadow_stack
    454, 455, 456, // futex_wake, futex_wait, futex_requeue
    462, // mseal
    463, 464, 465, 466, // setxattrat, getxattrat, listxattrat, removexattrat
];

/// Known, and refused with EPERM: what reaches other processes' memory, the kernel, or the shape of the sandbox.
#[rustfmt::skip]
const REFUSED: &[c_long] = &[
    SYS_acct, SYS_add_key, SYS_bpf, SYS_clock_settime, SYS_delete_module,
    SYS_fanotify_init, SYS_finit_module, SYS_fsconfig, SYS_fsmount, SYS_fsopen, SYS_fspick,
    SYS_get_mempolicy, SYS_init_module, SYS_ioperm, SYS_iopl, SYS_kcmp,
    SYS_kexec_file_load, SYS_kexec_load, SYS_keyctl, SYS_lookup_dcookie, SYS_mbind, SYS_migrate_pages,
    SYS_mount, SYS_mount_setattr, SYS_move_mount, SYS_move_pages, SYS_nfsservctl, SYS_open_by_handle_at,
    SYS_open_tree, SYS_perf_event_open, SYS_pidfd_getfd, SYS_pivot_root, SYS_process_madvise,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_quotactl,
    SYS_quotactl_fd, SYS_reboot, SYS_request_key, SYS_set_mempolicy, SYS_setdomainname, SYS_sethostname,
    SYS_setns, SYS_settimeofday, SYS_swapoff, SYS_swapon, SYS_sysfs, SYS__sysctl, SYS_syslog, SYS_umount2,
    SYS_uselib, SYS_userfaultfd, SYS_ustat, SYS_vhangup,
];

/// open_tree_attr, which libc may not name yet.
const REFUSED_BY_NUMBER: &[u32] = &[467];

/// Every CLONE_NEW… flag, the time namespace (0x80) included.
const NAMESPACE_FLAGS: [u32; 8] =
    [0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000, 0x80];
/// In clone(2) the low byte is the exit signal, so 0x80 means nothing there.
const CLONE_FLAGS: usize = 7;

const PERSONALITIES: [u32; 5] = [0x0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];

const FICLONE: u32 = 0x4004_9409;
const FICLONERANGE: u32 = 0x4020_940d;
const FS_IOC_GETFLAGS: u32 = 0x8008_6601;
const FS_IOC_FIEMAP: u32 = 0xc020_660b;
const FS_IOC_FSGETXATTR: u32 = 0x801c_581f;
const FS_IOC_SETVERSION: u32 = 0x4008_7602;
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;
const TIOCSETD: u32 = 0x5423;
/// The byte that says whose ioctl it is.
const IOCTL_KIND: u32 = 0xff00;
/// btrfs; ext4, fscrypt and fsverity; XFS and the shared freeze, trim, shutdown and attribute calls; f2fs; bcachefs.
const FILE_SYSTEM_KINDS: [u32; 5] = [0x9400, 0x6600, 0x5800, 0xf500, 0xbc00];

pub fn rules() -> Vec<(u32, Verdict)> {
    let mut rules = Vec::new();
    rules.extend(ALLOWED.iter().map(|&number| (number as u32, Verdict::Allow)));
    rules.extend(ALLOWED_BY_NUMBER.iter().map(|&number| (number, Verdict::Allow)));
    rules.extend(REFUSED.iter().map(|&number| (number as u32, Verdict::Refuse(EPERM))));
    rules.extend(REFUSED_BY_NUMBER.iter().map(|&number| (number, Verdict::Refuse(EPERM))));
    rules.push((SYS_clone as u32, no_namespaces(&NAMESPACE_FLAGS[..CLONE_FLAGS])));
    rules.push((SYS_unshare as u32, no_namespaces(&NAMESPACE_FLAGS)));
    rules.push((SYS_personality as u32, known_personality()));
    rules.push((SYS_socket as u32, known_sockets()));
    rules.push((SYS_ioctl as u32, no_file_system_control()));
    rules.sort_by_key(|(number, _)| *number);
    rules
}

fn is(argument: u32, value: u32, then: Simple) -> Test {
    Test { argument, mask: u32::MAX, value, equal: true, then }
}

fn no_namespaces(flags: &[u32]) -> Verdict {
    let tests = flags
        .iter()
        .map(|&flag| Test { argument: 0, mask: flag, value: flag, equal: true, then: Simple::Refuse(EPERM) })
        .collect();
    Verdict::Ask { tests, otherwise: Simple::Allow }
}

fn known_personality() -> Verdict {
    let tests = PERSONALITIES.iter().map(|&value| is(0, value, Simple::Allow)).collect();
    Verdict::Ask { tests, otherwise: Simple::Refuse(EPERM) }
}

/// Unix, IPv4, IPv6; netlink for routes and addresses only, which the C library itself uses.
fn known_sockets() -> Verdict {
    let mut tests: Vec<Test> =
        [AF_UNIX, AF_INET, AF_INET6].iter().map(|&family| is(0, family as u32, Simple::Allow)).collect();
    let netlink = is(0, AF_NETLINK as u32, Simple::Refuse(EAFNOSUPPORT));
    tests.push(Test { equal: false, ..netlink });
    tests.push(is(2, NETLINK_ROUTE as u32, Simple::Allow));
    Verdict::Ask { tests, otherwise: Simple::Refuse(EPROTONOSUPPORT) }
}

fn no_file_system_control() -> Verdict {
    let mut tests: Vec<Test> = [FICLONE, FICLONERANGE, FS_IOC_GETFLAGS, FS_IOC_FIEMAP, FS_IOC_FSGETXATTR]
        .iter()
        .map(|&value| is(1, value, Simple::Allow))
        .collect();
    for value in [TIOCSTI, TIOCLINUX, TIOCSETD, FS_IOC_SETVERSION] {
        tests.push(is(1, value, Simple::Refuse(EPERM)));
    }
    for kind in FILE_SYSTEM_KINDS {
        tests.push(Test {
            argument: 1,
            mask: IOCTL_KIND,
            value: kind,
            equal: true,
            then: Simple::Refuse(EPERM),
        });
    }
    Verdict::Ask { tests, otherwise: Simple::Allow }
}
