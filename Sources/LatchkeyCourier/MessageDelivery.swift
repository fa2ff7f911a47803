/// A provider for sending messages.
package protocol MessageDelivery: Sendable {
    /// Sends a message or hands it to a provider; must return within the timeout of its channel.
    ///
    /// - Parameters:
    ///   - message: The message to send.
    ///   - idempotencyKey: The key that is the same for all attempts at this message.
    /// - Throws: ``DeliveryError``.
    func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError)
}

/// A failure to send a message; the reasons must not contain any of its content.
package enum DeliveryError: Error, Sendable {
    /// Permanent failure: the message is abandoned.
    case refused(String)

    /// Temporary failure; `retryAfter` is set if the provider requested a delay.
    case failed(String, retryAfter: Duration? = nil)
}
