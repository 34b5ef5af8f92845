// SPDX-License-Identifier: Apache-2.0
//! The command line of `dsec-guest`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "usage: dsec-guest launch --socket PATH | dsec-guest --version";

enum Command {
    Launch { socket: PathBuf },
    Version,
}

fn parse(arguments: &[OsString]) -> Option<Command> {
    match arguments {
        [version] if version == "--version" => Some(Command::Version),
        [role, option, socket] if role == "launch" && option == "--socket" => {
            Some(Command::Launch { socket: PathBuf::from(socket) })
        }
        _ => None,
    }
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match parse(&arguments) {
        Some(Command::Version) => {
            println!("dsec-guest {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some(Command::Launch { socket }) => match dsec_guest::launch::serve(&socket) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("dsec-guest launch: {error}");
                ExitCode::FAILURE
            }
        },
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}
