//! What servers of tests share.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

/// A request's head, with its ends of lines, and its body; nothing where the other side has gone before its end.
pub(crate) fn request(stream: &TcpStream) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(None);
        }
    }
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some((head, body)))
}
