import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel

/// A courier that collects all messages that a test server sends.
///
/// ``TestServer/code(for:)`` returns the codes in these messages.
public final class CodeInbox: Sendable {
    /// An error that is thrown if a text is neither a phone number nor an e-mail address.
    ///
    /// The error is thrown immediately, without waiting for a code.
    public struct NoAddress: Error, CustomStringConvertible {
        /// The text that is not an address.
        public let text: String

        /// A sentence that contains the text.
        public var description: String { "\"\(text)\" is neither a phone number nor an e-mail address." }
    }

    /// An error that is thrown if no code arrives.
    public struct NoCode: Error, CustomStringConvertible {
        /// A text that contains the address and the addresses that codes were sent to.
        public let description: String
    }

    private let state = Locked(InboxState())

    /// Creates an empty inbox.
    package init() {}

    /// Returns the latest code that was sent to a phone number or e-mail address, or waits for the next one
    /// if there is no new code.
    ///
    /// Each code is returned only once, and any earlier codes are discarded.
    ///
    /// If several tasks wait for codes to the same address, they receive the next codes in the order of their
    /// calls.
    ///
    /// - Parameters:
    ///   - address: The phone number or e-mail address, in any format that users may enter.
    ///   - limit: How long to wait, in real time. The server usually sends a code within milliseconds.
    /// - Returns: The code, which won't be returned again.
    /// - Throws: ``NoAddress`` if the text is not an address, ``NoCode`` if no code is sent in time, or
    ///   `CancellationError` if the task is cancelled first.
    package func code(
        for address: String,
        within limit: Duration = .seconds(60)
    ) async throws -> OneTimeCode {
        guard let recipient = Self.recipient(address) else { throw NoAddress(text: address) }
        let waiter = OneShot<OneTimeCode>()
        let early = state.withLock { $0.takeCode(for: recipient, orEnqueue: waiter) }
        if let early { return early }
        let timer = Task {
            try await Task.sleep(for: limit)
            waiter.cancel()
        }
        defer { timer.cancel() }
        guard let code = await waiter.value else {
            let problem = state.withLock { state in
                state.removeWaiter(waiter, for: recipient)
                return state.absence(of: recipient)
            }
            try Task.checkCancellation()
            throw NoCode(description: "No code was sent to \(address) within \(limit). \(problem)")
        }
        return code
    }

    /// Returns all codes that were sent to an address, oldest first, including those that have already been
    /// returned.
    ///
    /// - Parameter address: The phone number or e-mail address, in any format that users may enter.
    /// - Returns: The codes, or an empty array if the text is not an address.
    package func codes(for address: String) -> [OneTimeCode] {
        Self.recipient(address).map { recipient in state.withLock { $0.codes(of: recipient) } } ?? []
    }

    /// Returns all messages that were sent to an address, oldest first.
    ///
    /// - Parameter address: The phone number or e-mail address, in any format that users may enter.
    /// - Returns: The messages, with or without a code, or an empty array if the text is not an address.
    package func messages(for address: String) -> [Message] {
        Self.recipient(address).map { recipient in state.withLock { $0.messages(to: recipient) } } ?? []
    }

    /// Returns the address that the server sends to if a user enters the text.
    private static func recipient(_ text: String) -> ContactAddress? {
        ContactAddress(LoginIdentifier.normalize(text))
    }

    /// Makes all deliveries fail from now on.
    ///
    /// Messages that have already been delivered stay in the inbox.
    ///
    /// - Parameter failure: How deliveries fail, or `nil` to make deliveries succeed again.
    public func fail(_ failure: DeliveryFailure?) {
        state.withLock { $0.failure = failure }
    }
}

extension CodeInbox: MessageDelivery {
    /// Stores a message and resumes a task that is waiting for its code.
    ///
    /// The delivery fails if a failure was set with ``fail(_:)``.
    ///
    /// Messages to recipients that are not phone numbers or e-mail addresses are discarded.
    ///
    /// Delivering a message with the same id again succeeds but has no effect.
    ///
    /// - Throws: `DeliveryError` while a failure is set.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        switch state.withLock({ $0.failure }) {
        case .refused: throw .refused("The test has rejected the message.")
        case .failed: throw .failed("The test has made the delivery fail.")
        case nil: break
        }
        guard let recipient = ContactAddress(message.recipient) else { return }
        let code = message.code.flatMap { OneTimeCode($0.exposed) }
        let waiting = state.withLock { $0.add(message, code: code, for: recipient) }
        if let code { waiting?.set(code) }
    }
}
