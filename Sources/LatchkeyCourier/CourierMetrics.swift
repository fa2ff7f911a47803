package import LatchkeyServerKit

/// The counters of the courier.
package struct CourierMetrics: Sendable {
    /// The counters of attempts to send a message, by channel and outcome.
    package let messages = CounterTable<MessageAttempt>(.messages)

    /// The counters of database errors, which the router shares.
    package let databaseErrors: CounterTable<DatabaseError.Code>

    /// Creates the counters, all at zero.
    ///
    /// - Parameter databaseErrors: The table that other parts of the server count in as well.
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

    /// The channel of the message, the value of the first label.
    package let channel: Message.Channel
    /// The outcome of the attempt, the value of the second label.
    package let outcome: Outcome

    /// All combinations of channel and outcome, so that each time series exists from the start with the value
    /// 0.
    package static let allCases = Message.Channel.allCases.flatMap { channel in
        Outcome.allCases.map { MessageAttempt(channel: channel, outcome: $0) }
    }

    /// The values of the labels: the channel and the outcome, by their raw values.
    package var values: [String] { [channel.rawValue, outcome.rawValue] }
}
