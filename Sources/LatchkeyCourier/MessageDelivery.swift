/// A provider for sending messages.
///
/// The workers of the courier call it concurrently.
package protocol MessageDelivery: Sendable {
    /// Sends a message or hands it to a provider; must return within the timeout of its channel.
    ///
    /// If the calling task is cancelled, it should throw ``DeliveryError/failed(_:retryAfter:)`` soon; the
    /// message is sent again when its lease has expired. A lease that ends during a call would allow another
    /// worker to send the message concurrently.
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
    ///
    /// The string is the reason, which is stored with the message and reported to the operator.
    case refused(String)

    /// Temporary failure; `retryAfter` is set if the provider requested a delay.
    ///
    /// The next attempt is not before `retryAfter`, even if the back-off of ``RetryPolicy`` is shorter.
    case failed(String, retryAfter: Duration? = nil)
}
