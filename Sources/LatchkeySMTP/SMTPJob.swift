import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// An e-mail in the queue.
///
/// The task that adds the e-mail to the queue waits for ``outcome``.
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
