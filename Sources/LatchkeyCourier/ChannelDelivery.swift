/// Routes each message to the delivery of its channel.
package struct ChannelDelivery: MessageDelivery {
    private let sms: any MessageDelivery
    private let mail: any MessageDelivery

    package init(sms: any MessageDelivery, mail: any MessageDelivery) {
        self.sms = sms
        self.mail = mail
    }

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

    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        throw .refused(reason)
    }
}
