package import LatchkeyServerKit

/// The counters of the courier.
package struct CourierMetrics: Sendable {
    package let messages = CounterTable<MessageAttempt>(.messages)

    /// The counters of database errors, which the router shares.
    package let databaseErrors: CounterTable<DatabaseError.Code>

    package init(databaseErrors: CounterTable<DatabaseError.Code> = CounterTable(.databaseErrors)) {
        self.databaseErrors = databaseErrors
    }
}

/// The channel and the outcome of an attempt to send a message.
package struct MessageAttempt: MetricLabels {
    /// The outcome of one attempt: postponed messages are retried, abandoned ones are not.
    package enum Outcome: String, Sendable, CaseIterable {
        case sent, postponed, abandoned
    }

    package let channel: Message.Channel
    package let outcome: Outcome

    package static let allCases = Message.Channel.allCases.flatMap { channel in
        Outcome.allCases.map { MessageAttempt(channel: channel, outcome: $0) }
    }

    package var values: [String] { [channel.rawValue, outcome.rawValue] }
}
