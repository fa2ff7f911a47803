import LatchkeyModel
import LatchkeyServerCore

/// A mail that somebody waits for to be handed in.
final class SMTPErrand: Sendable {
    let mail: InternetMessage
    let outcome = Deferred<Result<Void, DeliveryError>>()
    private let cancellation = Locked(false)

    init(_ mail: InternetMessage) {
        self.mail = mail
    }

    var isCancelled: Bool { cancellation.withLock(\.self) }

    /// Breaks the transfer off, within a second or so.
    func cancel() {
        cancellation.withLock { $0 = true }
    }
}
