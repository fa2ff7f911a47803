/// Sends each message the way that its channel takes.
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

/// A way that leads nowhere: refuses every message.
package struct NoDelivery: MessageDelivery {
    private let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package func deliver(_ message: Message, idempotencyKey: String) async throws(DeliveryError) {
        throw .refused(reason)
    }
}
