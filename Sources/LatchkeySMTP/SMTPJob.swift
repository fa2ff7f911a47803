import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// A queued e-mail and its outcome, which the task that sends the e-mail awaits.
final class SMTPJob: Sendable {
    let mail: InternetMessage
    let outcome = Deferred<Result<Void, DeliveryError>>()
    private let cancellation = Locked(false)

    init(_ mail: InternetMessage) {
        self.mail = mail
    }

    var isCancelled: Bool { cancellation.withLock(\.self) }

    /// Aborts the transfer within about a second.
    func cancel() {
        cancellation.withLock { $0 = true }
    }
}
