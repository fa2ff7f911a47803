import LatchkeyModel

/// Routes each message to the delivery for its channel.
package struct ChannelDelivery: MessageDelivery {
    private let sms: any MessageDelivery
    private let mail: any MessageDelivery

    /// Creates a delivery that combines one delivery for each channel.
    ///
    /// - Parameters:
    ///   - sms: The delivery for text messages.
    ///   - mail: The delivery for mail, or ``NoDelivery`` if no mail server is configured.
    package init(sms: any MessageDelivery, mail: any MessageDelivery) {
        self.sms = sms
        self.mail = mail
    }

    /// Passes the message and its idempotency key unchanged to the channel's delivery, and rethrows its
    /// errors.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        switch message.channel {
        case .sms: try await sms.deliver(message, idempotencyKey: idempotencyKey)
        case .email: try await mail.deliver(message, idempotencyKey: idempotencyKey)
        }
    }
}

/// A delivery for channels without a configured provider, which rejects every message permanently.
package struct NoDelivery: MessageDelivery {
    private let reason: String

    /// Creates the delivery.
    ///
    /// - Parameter reason: The reason that is recorded with each abandoned message.
    package init(reason: String) {
        self.reason = reason
    }

    /// Always throws ``DeliveryError/refused(_:)``, so the courier abandons the message without retrying.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        throw .refused(reason)
    }
}
