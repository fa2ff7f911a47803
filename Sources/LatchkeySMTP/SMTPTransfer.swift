import CCurl
import LatchkeyCourier

/// The state of one message while libcurl transfers it on a single thread.
final class SMTPTransfer {
    /// The SMTP command that was sent last.
    private enum Command: String {
        case recipient = "RCPT"
        case data = "DATA"
        /// Any other command, whose text is not stored because it may contain the password.
        case other = ""
    }

    let job: SMTPJob
    /// The number of bytes of the message that libcurl has read.
    private var sent = 0
    private var command = Command.other

    init(_ job: SMTPJob) {
        self.job = job
    }

    /// Copies the next part of the message into a buffer and returns the length of the part.
    func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
        let part = job.mail.bytes[sent...].prefix(space.count)
        space.copyBytes(from: part)
        sent += part.count
        return part.count
    }

    /// Records a command, except for the `QUIT` that libcurl sends after a failure.
    func recordCommand(_ bytes: UnsafeRawBufferPointer) {
        let word = String(decoding: bytes.prefix(4), as: UTF8.self)
        if word != "QUIT" { command = Command(rawValue: word) ?? .other }
    }

    /// Returns the result of the transfer, without quoting the server's reply, which may itself quote the
    /// message.
    ///
    /// Only rejections of the recipient or of the message's contents are permanent. A rejected sender,
    /// password or greeting is a configuration problem that an operator can fix, so the message is retried.
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
