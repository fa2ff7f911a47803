import LatchkeyModel
package import LatchkeyServerKit

/// The courier's counters of delivery attempts and database errors.
package struct CourierMetrics: Sendable {
    /// The counters for attempts to send a message, labeled by channel and outcome.
    package let messages = CounterTable<MessageAttempt>(.messages)

    /// The counters for database errors, which are shared with the router.
    package let databaseErrors: CounterTable<DatabaseError.Code>

    /// Creates the counters, all at zero.
    ///
    /// - Parameter databaseErrors: The table of counters, which other parts of the server may share.
    package init(databaseErrors: CounterTable<DatabaseError.Code> = CounterTable(.databaseErrors)) {
        self.databaseErrors = databaseErrors
    }
}

/// The channel and the outcome of an attempt to send a message.
package struct MessageAttempt: MetricLabels {
    /// The outcome of one attempt to send a message.
    ///
    /// Postponed messages are retried, but abandoned messages are not.
    package enum Outcome: String, Sendable, CaseIterable {
        case sent, postponed, abandoned
    }

    /// The channel of the message, which is the value of the first label.
    package let channel: Message.Channel
    /// The outcome of the attempt, which is the value of the second label.
    package let outcome: Outcome

    /// All combinations of channel and outcome, so every time series is exported from the start, with the
    /// value 0.
    package static let allCases = Message.Channel.allCases.flatMap { channel in
        Outcome.allCases.map { MessageAttempt(channel: channel, outcome: $0) }
    }

    /// The label values: the raw values of the channel and the outcome.
    package var values: [String] { [channel.rawValue, outcome.rawValue] }
}
