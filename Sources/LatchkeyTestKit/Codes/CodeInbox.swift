package import LatchkeyModel
package import LatchkeyServerCore

/// The phones and mailboxes of all test users: takes what the server sends; ``TestServer/code(for:)`` hands out the codes.
public final class CodeInbox: Sendable {
    /// A text that is neither a phone number nor an e-mail address.
    public struct NoAddress: Error {}

    private let places = Locked(InboxPlaces())

    /// Creates an empty inbox.
    package init() {}

    /// The code that was sent to a phone or an e-mail address last; waits for one when all were taken.
    ///
    /// A code is handed out once, and with it go all that came before it.
    ///
    /// - Parameter address: The phone number or the e-mail address, written as people do.
    /// - Returns: The code.
    /// - Throws: ``NoAddress``, or `CancellationError` when the task is cancelled first.
    package func code(for address: String) async throws -> OneTimeCode {
        guard let place = InboxPlaces.Place(address) else { throw NoAddress() }
        let arrival = Arrival<OneTimeCode>()
        let early = places.withLock { $0.take(for: place, or: arrival) }
        if let early { return early }
        guard let code = await arrival.value else {
            places.withLock { $0.withdraw(arrival, for: place) }
            throw CancellationError()
        }
        return code
    }

    /// All codes that were sent to an address, the earliest first, whether or not they were taken.
    ///
    /// - Parameter address: The phone number or the e-mail address, written as people do.
    /// - Returns: The codes.
    package func codes(for address: String) -> [OneTimeCode] {
        InboxPlaces.Place(address).map { place in places.withLock { $0.codes(of: place) } } ?? []
    }

    /// All messages that were sent to an address, the earliest first.
    ///
    /// - Parameter address: The phone number or the e-mail address, written as people do.
    /// - Returns: The messages, with or without a code.
    package func messages(for address: String) -> [Message] {
        InboxPlaces.Place(address).map { place in places.withLock { $0.messages(to: place) } } ?? []
    }

    /// Makes sending fail from now on.
    ///
    /// - Parameter failure: How; nothing to make it work again.
    public func fail(_ failure: DeliveryFailure?) {
        places.withLock { $0.failure = failure }
    }
}

extension CodeInbox: MessageDelivery {
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        switch places.withLock({ $0.failure }) {
        case .refused: throw .refused("The test refuses it.")
        case .failed: throw .failed("The test fails it.")
        case nil: break
        }
        guard let place = InboxPlaces.Place(message.recipient) else { return }
        let code = message.code.flatMap { OneTimeCode($0.exposed) }
        let waiting = places.withLock { $0.add(message, code, for: place) }
        if let code { waiting?.set(code) }
    }
}
