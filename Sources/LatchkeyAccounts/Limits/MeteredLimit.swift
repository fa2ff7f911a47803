import LatchkeyServerKit

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

    /// The value of the only label; it names the limit and never its subject.
    package var values: [String] { [rawValue] }
}
