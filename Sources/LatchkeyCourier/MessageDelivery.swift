/// A provider for sending messages.
///
/// The courier's workers call the provider concurrently.
package protocol MessageDelivery: Sendable {
    /// Sends a message or passes it to a provider. The method must return within the channel's timeout.
    ///
    /// If the calling task is cancelled, the method should promptly throw
    /// ``DeliveryError/failed(_:retryAfter:)``. The message is sent again when its lease has expired. If the
    /// lease ended during a call, another worker could send the message concurrently.
    ///
    /// - Parameters:
    ///   - message: The message to send.
    ///   - idempotencyKey: The key, which is the same for all attempts to send this message.
    /// - Throws: ``DeliveryError``.
    func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError)
}

/// A failure to send a message, whose reason must not contain any of the message's content.
package enum DeliveryError: Error, Sendable {
    /// A permanent failure: the message is abandoned.
    ///
    /// The string is the reason, which is stored with the message and reported to the operator.
    case refused(String)

    /// A temporary failure, with `retryAfter` if the provider requested a delay.
    ///
    /// The next attempt is made no earlier than `retryAfter`, even if the back-off of ``RetryPolicy`` is
    /// shorter.
    case failed(String, retryAfter: Duration? = nil)
}
