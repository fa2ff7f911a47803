package import LatchkeyModel
package import LatchkeyServerCore

/// The phones of all test users: takes what the server sends; ``TestServer/code(for:)`` hands out the codes.
public final class CodeInbox: Sendable {
    /// A text that is no phone number.
    public struct NoPhoneNumber: Error {}

    private let phones = Locked(InboxPhones())

    /// Creates an empty inbox.
    package init() {}

    /// The code that was sent to a phone last; waits for one when all were taken.
    ///
    /// A code is handed out once, and with it go all that came before it.
    ///
    /// - Parameter phone: The phone, written as people do.
    /// - Returns: The code.
    /// - Throws: ``NoPhoneNumber``, or `CancellationError` when the task is cancelled first.
    package func code(for phone: String) async throws -> OneTimeCode {
        guard let number = PhoneNumber(phone) else { throw NoPhoneNumber() }
        let arrival = Arrival<OneTimeCode>()
        let early = phones.withLock { $0.take(for: number, or: arrival) }
        if let early { return early }
        guard let code = await arrival.value else {
            phones.withLock { $0.withdraw(arrival, for: number) }
            throw CancellationError()
        }
        return code
    }

    /// All codes that were sent to a phone, the earliest first, whether or not they were taken.
    ///
    /// - Parameter phone: The phone, written as people do.
    /// - Returns: The codes.
    package func codes(for phone: String) -> [OneTimeCode] {
        guard let number = PhoneNumber(phone) else { return [] }
        return phones.withLock { $0.codes(of: number) }
    }

    /// Makes sending fail from now on.
    ///
    /// - Parameter failure: How; nothing to make it work again.
    public func fail(_ failure: DeliveryFailure?) {
        phones.withLock { $0.failure = failure }
    }
}

extension CodeInbox: MessageDelivery {
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        switch phones.withLock({ $0.failure }) {
        case .refused: throw .refused("The test refuses it.")
        case .failed: throw .failed("The test fails it.")
        case nil: break
        }
        guard
            let phone = PhoneNumber(message.recipient),
            let code = message.code.flatMap({ OneTimeCode($0.exposed) })
        else { return }
        let waiting = phones.withLock { $0.add(code, for: phone, id: message.id) }
        waiting?.set(code)
    }
}
