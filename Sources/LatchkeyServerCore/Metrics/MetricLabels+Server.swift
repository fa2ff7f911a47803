extension FlowKind: MetricLabels {
    package var values: [String] { [rawValue] }
}

/// A kind of flow with the method that was submitted to it.
package struct FlowStep: MetricLabels {
    /// The method; names from requests that are unknown count as `other`.
    package enum Method: String, Sendable, CaseIterable {
        case password, code, profile, other

        /// Creates the method from its name in a request; `nil` and unknown names become `other`.
        package init(_ name: String?) {
            self = name.flatMap { Method(rawValue: $0) } ?? .other
        }
    }

    package let kind: FlowKind
    package let method: Method

    package init(_ kind: FlowKind, method: Method) {
        self.kind = kind
        self.method = method
    }

    package static let allCases = FlowKind.allCases.flatMap { kind in
        Method.allCases.map { FlowStep(kind, method: $0) }
    }

    package var values: [String] { [kind.rawValue, method.rawValue] }
}

/// A rate limit as labelled in metrics; several limited events may share one label.
package enum MeteredLimit: String, MetricLabels {
    case codesPerRecipient = "codes_per_recipient"
    case codesPerAddress = "codes_per_address"
    case textMessages = "text_messages"
    case guessesPerRecipient = "guesses_per_recipient"
    case failuresPerAccount = "failures_per_account"
    case failuresPerAddress = "failures_per_address"
    case accountsPerAddress = "accounts_per_address"
    case registrationsPerAddress = "registrations_per_address"
    case changesPerAccount = "changes_per_account"
    case noticesPerAccount = "notices_per_account"
    case enrolmentsPerSession = "enrolments_per_session"

    /// Returns the label of a limited event; related events share a label.
    init(_ event: LimitedEvent) {
        switch event {
        case .code, .codeInReserve: self = .codesPerRecipient
        case .codeFromNetwork: self = .codesPerAddress
        case .textMessage: self = .textMessages
        case .guess, .guessInReserve: self = .guessesPerRecipient
        case .failure, .failureOnNetwork, .failureOnKnownNetwork: self = .failuresPerAccount
        case .failureFromNetwork: self = .failuresPerAddress
        case .accountFailedFromNetwork: self = .accountsPerAddress
        case .registration: self = .registrationsPerAddress
        case .accountChange: self = .changesPerAccount
        case .noticeText, .deviceNoticeText, .refusedEntryNotice: self = .noticesPerAccount
        case .enrolment: self = .enrolmentsPerSession
        }
    }

    package var values: [String] { [rawValue] }
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

extension DatabaseError.Code: MetricLabels {
    package var values: [String] { [rawValue] }
}
