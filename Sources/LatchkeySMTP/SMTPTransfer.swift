import CCurl
import LatchkeyCourier
import LatchkeyModel

/// The state of a message while libcurl is sending it, which is only accessed on a single thread.
final class SMTPTransfer {
    private enum Command: String {
        case greeting = "EHLO"
        case recipient = "RCPT"
        case data = "DATA"
        /// Any other command. We don't store the command, because it may contain the password.
        case other = ""
    }

    let job: SMTPJob
    /// The number of bytes that libcurl has read from the message.
    private var sent = 0
    private var command = Command.other
    /// Whether libcurl has begun to end the connection.
    private var hasQuit = false
    /// Whether the server has accepted the message.
    private var isAccepted = false
    /// Whether the server offers SMTPUTF8 on the current connection.
    private(set) var offersSMTPUTF8: Bool
    /// Whether the message wasn't sent because the server doesn't offer SMTPUTF8.
    private var lacksSMTPUTF8 = false

    /// Creates the state for a message.
    ///
    /// - Parameters:
    ///   - job: The message.
    ///   - offersSMTPUTF8: Whether the server has offered SMTPUTF8 on a connection that may be reused.
    init(_ job: SMTPJob, offersSMTPUTF8: Bool) {
        self.job = job
        self.offersSMTPUTF8 = offersSMTPUTF8
    }

    /// Copies the next part of the message into a buffer and returns the number of bytes copied.
    func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let part = job.mail.bytes[sent...].prefix(space.count)
        space.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// Records a command.
    ///
    /// `QUIT` isn't recorded as the last command, because libcurl sends it after a failure.
    func recordCommand(_ bytes: UnsafeRawBufferPointer) {
        let word = (try? String(utf8: bytes.prefix(4))) ?? ""
        hasQuit = word == "QUIT"
        if !hasQuit { command = Command(rawValue: word) ?? .other }
        if command == .greeting { offersSMTPUTF8 = false }
    }

    /// Records a line of the server's reply to the last command.
    func recordReply(_ bytes: UnsafeRawBufferPointer) {
        // Every line of a reply has the same code (RFC 5321, section 4.2.1), so the first one decides.
        if command == .data, !hasQuit, bytes.first == UInt8(ascii: "2") { isAccepted = true }
        // libcurl only recognizes the keyword in this case.
        if command == .greeting, bytes.dropFirst(4).starts(with: "SMTPUTF8".utf8) { offersSMTPUTF8 = true }
    }

    /// Returns whether the message can be sent to the server, whose greeting has been received.
    ///
    /// Without SMTPUTF8, libcurl would send non-ASCII addresses anyway, which RFC 6531 (section 3.1) forbids.
    func canBegin() -> Bool {
        lacksSMTPUTF8 = job.mail.requiresSMTPUTF8 && !offersSMTPUTF8
        return !lacksSMTPUTF8
    }

    /// Returns the result of the transfer.
    ///
    /// The server's reply isn't included, because it may quote the message.
    ///
    /// A positive reply to the message decides, even if the rest of the reply is lost. Errors are permanent
    /// only if the server rejects the recipient or the content of the message. If the server rejects the
    /// sender, the credentials or the greeting, an operator can fix the configuration, so the message is
    /// retried.
    func result(of outcome: CURLcode, reply: Int) -> Result<Void, DeliveryError> {
        if outcome == CURLE_OK || isAccepted { return .success(()) }
        if lacksSMTPUTF8 {
            return .failure(
                job.mail.sender.requiresSMTPUTF8
                    ? .failed("The mail server does not support SMTPUTF8, which courier.mail.from requires.")
                    : .refused("The mail server does not support SMTPUTF8, which the recipient requires.")
            )
        }
        guard (400..<600).contains(reply) else {
            return .failure(
                .failed("No response from the mail server: \(String(cString: curl_easy_strerror(outcome))).")
            )
        }
        switch (command, reply) {
        // Servers can reply with these codes to any command (RFC 4954, sections 4 and 6).
        case (_, 530), (_, 534), (_, 535), (_, 538):
            return .failure(.failed("The mail server rejected the credentials with code \(reply)."))
        case (.recipient, 500...):
            return .failure(.refused("The mail server rejected the recipient with code \(reply)."))
        case (.data, 500...):
            return .failure(.refused("The mail server rejected the message with code \(reply)."))
        default:
            return .failure(.failed("The mail server responded with code \(reply)."))
        }
    }
}
