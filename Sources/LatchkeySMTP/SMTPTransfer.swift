import CCurl
import LatchkeyCourier

/// The state of a message while libcurl is sending it, which is only accessed on a single thread.
final class SMTPTransfer {
    private enum Command: String {
        case recipient = "RCPT"
        case data = "DATA"
        /// Any other command. We don't store the command, because it may contain the password.
        case other = ""
    }

    let job: SMTPJob
    /// The number of bytes that libcurl has read from the message.
    private var sent = 0
    private var command = Command.other

    init(_ job: SMTPJob) {
        self.job = job
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
    /// `QUIT` is ignored, because libcurl sends it after a failure.
    func recordCommand(_ bytes: UnsafeRawBufferPointer) {
        let word = String(decoding: bytes.prefix(4), as: UTF8.self)
        if word != "QUIT" { command = Command(rawValue: word) ?? .other }
    }

    /// Returns the result of the transfer.
    ///
    /// The server's reply isn't included, because it may quote the message.
    ///
    /// Errors are permanent only if the server rejects the recipient or the content of the message. If the
    /// server rejects the sender, password or greeting, an operator can fix the configuration, so the message
    /// is retried.
    func result(of outcome: CURLcode, reply: Int) -> Result<Void, DeliveryError> {
        if outcome == CURLE_OK { return .success(()) }
        guard (400..<600).contains(reply) else {
            return .failure(
                .failed("No response from the mail server: \(String(cString: curl_easy_strerror(outcome))).")
            )
        }
        switch command {
        case .recipient where reply >= 500:
            return .failure(.refused("The mail server rejected the recipient with code \(reply)."))
        case .data where reply >= 500:
            return .failure(.refused("The mail server rejected the message with code \(reply)."))
        case .recipient, .data, .other:
            return .failure(.failed("The mail server responded with code \(reply)."))
        }
    }
}
