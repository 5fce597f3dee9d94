//! From the client's errors to typed faults.
//!
//! The client's errors are chains; the kind is read off the links. Messages name the host and
//! never the URL, since a URL may carry a secret in its query.

use std::error::Error;
use std::io;

use freshet_types::{Fault, FaultKind};
use rustix::io::Errno;

use super::guard::{ForbiddenName, forbidden};

/// What the client could not do, as a fault.
pub(super) fn fault_of(error: reqwest::Error, host: &str) -> Fault {
    let error = error.without_url();
    if let Some(name) = find::<ForbiddenName>(&error) {
        return forbidden(&name.0);
    }
    let text = chain_text(&error);
    let (kind, what) = if is_ours(&error) {
        (FaultKind::Exhausted, "this computer has no more file descriptors or ports for connections")
    } else if find::<rustls::Error>(&error).is_some() {
        (FaultKind::Tls, "the secure connection failed")
    } else if error.is_dns() {
        (FaultKind::Dns, "the name does not resolve")
    } else if error.is_connect() {
        (FaultKind::Connect, "no connection")
    } else if error.is_timeout() {
        (FaultKind::Timeout, "no answer in time")
    } else if error.is_builder() {
        (FaultKind::Request, "the request cannot be sent")
    } else if text.contains("message head is too large") || text.contains("too many headers") {
        (FaultKind::TooLarge, "the headers are too long")
    } else {
        (FaultKind::Broken, "the connection broke")
    };
    Fault::new(kind, format!("`{host}`: {what}: {text}"))
}

/// Whether it is this computer that cannot make a connection, whatever the server.
fn is_ours(error: &(dyn Error + 'static)) -> bool {
    let wants = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM, Errno::ADDRNOTAVAIL];
    let number = chain(error).find_map(|link| link.downcast_ref::<io::Error>()?.raw_os_error());
    number.is_some_and(|number| wants.iter().any(|want| want.raw_os_error() == number))
}

/// A wait that was too long.
pub(super) fn timeout(host: &str, what: &str) -> Fault {
    Fault::new(FaultKind::Timeout, format!("`{host}`: {what} in time"))
}

/// The first error of this type in the chain, looking into I/O errors too.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    chain(error).find_map(|link| link.downcast_ref::<T>())
}

/// The error and its causes.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}

/// All messages of the chain, outermost first; a link that only repeats the next is left out.
fn chain_text(error: &(dyn Error + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut link = error.source();
    while let Some(error) = link {
        let text = error.to_string();
        if texts.last().is_none_or(|last| !last.contains(&text)) {
            texts.push(text);
        }
        link = error.source();
    }
    if texts.is_empty() { error.to_string() } else { texts.join(": ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn want_of_descriptors_is_no_fault_of_a_server() {
        for (errno, expected) in
            [(Errno::MFILE, true), (Errno::ADDRNOTAVAIL, true), (Errno::CONNREFUSED, false)]
        {
            let inner = io::Error::from_raw_os_error(errno.raw_os_error());
            let outer = io::Error::other(inner);
            assert_eq!(is_ours(&outer), expected, "{outer}");
        }
    }
}
