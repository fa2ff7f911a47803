/// A way to send messages.
package protocol MessageDelivery: Sendable {
    /// Sends a message, or hands it to those who do.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - idempotencyKey: The same for every attempt at the same message.
    /// - Throws: ``DeliveryError``.
    func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError)
}

/// A message that was not sent; the reasons hold nothing of the message.
package enum DeliveryError: Error, Sendable {
    /// It will never be sent.
    case refused(String)

    /// It may be sent later, when somebody knows not before some time.
    case failed(String, retryAfter: Duration? = nil)
}
