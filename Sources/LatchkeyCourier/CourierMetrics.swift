import LatchkeyModel
package import LatchkeyServerKit

/// Counts delivery attempts and database errors.
package struct CourierMetrics: Sendable {
    /// Counts attempts to send a message, by channel and outcome.
    package let messages = CounterTable<MessageAttempt>(.messages)

    /// Counts database errors by code.
    ///
    /// The router shares these counters.
    package let databaseErrors: CounterTable<DatabaseError.Code>

    /// Creates counters that start at zero.
    ///
    /// - Parameter databaseErrors: The counters for database errors. Pass an existing table to share it with
    ///   other parts of the server.
    package init(databaseErrors: CounterTable<DatabaseError.Code> = CounterTable(.databaseErrors)) {
        self.databaseErrors = databaseErrors
    }
}

/// The metric labels for an attempt to send a message.
package struct MessageAttempt: MetricLabels, CaseIterable {
    /// The outcome of a single attempt.
    ///
    /// Postponed messages are retried, abandoned messages are not.
    package enum Outcome: String, Sendable, CaseIterable {
        case sent, postponed, abandoned
    }

    /// The channel that the message was sent on, which is the metric's first label.
    package let channel: Message.Channel
    /// The outcome of the attempt, which is the metric's second label.
    package let outcome: Outcome

    /// All combinations of channel and outcome.
    ///
    /// The courier uses this list to export every time series from the start, with a value of zero.
    package static let allCases = Message.Channel.allCases.flatMap { channel in
        Outcome.allCases.map { MessageAttempt(channel: channel, outcome: $0) }
    }

    /// The label values, which are the raw values of the channel and the outcome.
    package var values: [String] { [channel.rawValue, outcome.rawValue] }
}
