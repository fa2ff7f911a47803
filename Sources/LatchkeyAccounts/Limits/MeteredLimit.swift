import LatchkeyServerKit

/// A rate limit with its label in metrics; several kinds of rate-limited events may share one label.
package enum MeteredLimit: String, MetricLabels {
    /// Codes sent to one phone number or mailbox, including those that are reserved for known networks.
    case codesPerRecipient = "codes_per_recipient"
    /// Codes requested from one network.
    case codesPerAddress = "codes_per_address"
    /// Text messages to all recipients together.
    case textMessages = "text_messages"
    /// Wrong codes for one phone number or mailbox, including the guesses that are reserved for known
    /// networks.
    case guessesPerRecipient = "guesses_per_recipient"
    /// Wrong passwords for one account: from one network, from a known network, or from all unknown networks
    /// together.
    case failuresPerAccount = "failures_per_account"
    /// Wrong passwords from one network for any account.
    case failuresPerAddress = "failures_per_address"
    /// Different accounts with failed logins from one network.
    case accountsPerAddress = "accounts_per_address"
    /// Registrations from one network, including rejected ones.
    case registrationsPerAddress = "registrations_per_address"
    /// Changes of the password, the identifiers and the addresses of one account.
    case changesPerAccount = "changes_per_account"
    /// Notices to one account: text messages in general, text messages about new devices, and notices of
    /// rejected logins.
    case noticesPerAccount = "notices_per_account"
    /// Certificates issued to one session.
    case enrolmentsPerSession = "enrolments_per_session"

    /// Returns the label for a rate-limited event; related kinds of events share a label.
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

    /// The value of the only label, which names the limit but never its subject.
    package var values: [String] { [rawValue] }
}
