/// Sends messages, usually through a provider.
///
/// The courier's workers can call a delivery concurrently.
package protocol MessageDelivery: Sendable {
    /// Sends a message or hands it to a provider. Must return within the channel's timeout: if the lease
    /// expired during the call, another worker could send the message at the same time.
    ///
    /// If the calling task is cancelled, this method should promptly throw
    /// ``DeliveryError/failed(_:retryAfter:)``. In that case, another attempt is made when the message's
    /// lease has expired.
    ///
    /// - Parameters:
    ///   - message: The message to send.
    ///   - idempotencyKey: A key that stays the same for all attempts to send this message.
    /// - Throws: ``DeliveryError`` if the message could not be sent.
    func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError)
}

/// Thrown when a message could not be sent.
///
/// The reason must not include any of the message's content.
package enum DeliveryError: Error, Sendable {
    /// The failure is permanent, so the message is abandoned.
    ///
    /// The associated value is the reason, which is stored with the message and reported to the operator.
    case refused(String)

    /// The failure is temporary, so the message is retried.
    ///
    /// If the provider asked for a delay, it is passed as `retryAfter`, and the next attempt isn't made any
    /// earlier, even if ``RetryPolicy`` has a shorter back-off.
    case failed(String, retryAfter: Duration? = nil)
}
