import LatchkeyModel
package import LatchkeyServerKit

/// The outbox, the workers that send its messages, and the texts of the messages.
package struct CourierModule: ServerModule {
    package static var migrations: [Migration] { .courier }

    /// Stores messages to users in the outbox and sends them.
    package let courier: Courier
    /// Renders messages in the user's language.
    package let messages: MessageWriter

    private let retention: Duration

    package init(_ courier: Courier, settings: CourierSettings, texts: MessageCatalog) {
        self.courier = courier
        messages = MessageWriter(texts, app: settings.app, language: settings.language)
        retention = settings.retention
    }

    package var workers: [any ServerWorker] { [courier] }

    package var expiredRows: [ExpiredRows] {
        [
            ExpiredRows(.messages) { [retention] now, limit, transaction in
                try MessageRepository.deleteFinished(before: now - retention, atMost: limit, in: transaction)
            }
        ]
    }
}

extension ExpiredRows.Kind {
    /// Messages that were sent or abandoned, including decoys.
    package static let messages: Self = "messages"
}

extension Courier: ServerWorker {
    package func stop() async {
        await stop(grace: .seconds(5))
    }
}
