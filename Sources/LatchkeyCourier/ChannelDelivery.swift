import LatchkeyModel

/// Passes each message to the delivery for its channel.
package struct ChannelDelivery: MessageDelivery {
    private let sms: any MessageDelivery
    private let mail: any MessageDelivery

    /// Creates a delivery that passes each message on to the delivery for its channel.
    ///
    /// - Parameters:
    ///   - sms: The delivery for text messages.
    ///   - mail: The delivery for e-mails, or ``NoDelivery`` if no mail server is configured.
    package init(sms: any MessageDelivery, mail: any MessageDelivery) {
        self.sms = sms
        self.mail = mail
    }

    /// Sends the message with its channel's delivery and rethrows any error.
    ///
    /// The message and its idempotency key are passed on unchanged.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        switch message.channel {
        case .sms: try await sms.deliver(message, idempotencyKey: idempotencyKey)
        case .email: try await mail.deliver(message, idempotencyKey: idempotencyKey)
        }
    }
}

/// A delivery for a channel that has no provider.
///
/// Every message is rejected permanently.
package struct NoDelivery: MessageDelivery {
    private let reason: String

    /// Creates a delivery that rejects every message for the given reason.
    ///
    /// - Parameter reason: The reason that is stored with each abandoned message.
    package init(reason: String) {
        self.reason = reason
    }

    /// Always throws ``DeliveryError/refused(_:)``, so that the courier abandons the message without
    /// retrying.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        throw .refused(reason)
    }
}
