import CCurl
import LatchkeyServerCore

/// One mail in libcurl's hands; used by one thread.
final class SMTPTransfer {
    /// The command that the mail server was given last.
    private enum Command: String {
        case recipient = "RCPT"
        case data = "DATA"
        /// Any other; the password may be in it, so nothing of it is kept.
        case other = ""
    }

    let errand: SMTPErrand
    private var sent = 0
    private var command = Command.other

    init(_ errand: SMTPErrand) {
        self.errand = errand
    }

    /// Gives the next part of the mail; tells how much that is.
    func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let part = errand.mail.bytes[sent...].prefix(space.count)
        space.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// Takes note of a command; not of the one with which libcurl leaves when it did not get on.
    func follow(_ bytes: UnsafeRawBufferPointer) {
        let word = String(decoding: bytes.prefix(4), as: UTF8.self)
        if word != "QUIT" { command = Command(rawValue: word) ?? .other }
    }

    /// Says what became of the mail; quotes no words of the mail server, which may quote the mail.
    ///
    /// Final is only what is said of this recipient or this mail. A mail server that does not like the sender, the
    /// password or the greeting may be told otherwise by its operator, or ours.
    func judge(_ outcome: CURLcode, reply: Int) -> Result<Void, DeliveryError> {
        if outcome == CURLE_OK { return .success(()) }
        guard (400..<600).contains(reply) else {
            return .failure(
                .failed("No answer of the mail server: \(String(cString: curl_easy_strerror(outcome))).")
            )
        }
        switch command {
        case .recipient where reply >= 500:
            return .failure(.refused("The mail server answered \(reply) to the recipient."))
        case .data where reply >= 500:
            return .failure(.refused("The mail server answered \(reply) to the mail."))
        case .recipient, .data, .other:
            return .failure(.failed("The mail server answered \(reply)."))
        }
    }
}
