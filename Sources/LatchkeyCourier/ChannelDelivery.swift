/// Routes each message to the delivery of its channel.
package struct ChannelDelivery: MessageDelivery {
    private let sms: any MessageDelivery
    private let mail: any MessageDelivery

    /// Creates the delivery from one delivery for each channel.
    ///
    /// - Parameters:
    ///   - sms: The delivery of text messages.
    ///   - mail: The delivery of mail; ``NoDelivery`` if no mail server is configured.
    package init(sms: any MessageDelivery, mail: any MessageDelivery) {
        self.sms = sms
        self.mail = mail
    }

    /// Passes the message and its key on unchanged; errors are those of the channel's delivery.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        switch message.channel {
        case .sms: try await sms.deliver(message, idempotencyKey: idempotencyKey)
        case .email: try await mail.deliver(message, idempotencyKey: idempotencyKey)
        }
    }
}

/// Rejects every message permanently; used for a channel that no provider is configured for.
package struct NoDelivery: MessageDelivery {
    private let reason: String

    /// Creates the delivery.
    ///
    /// - Parameter reason: The reason that is recorded with each abandoned message.
    package init(reason: String) {
        self.reason = reason
    }

    /// Always throws ``DeliveryError/refused(_:)``, so that the courier abandons the message without a retry.
    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        throw .refused(reason)
    }
}
