import LatchkeyServerKit

/// A rate limit with its label in metrics; several kinds of rate-limited events may share one label.
package enum MeteredLimit: String, MetricLabels {
    /// The limit on codes to one phone number or mailbox, including codes that are reserved for known
    /// networks.
    case codesPerRecipient = "codes_per_recipient"
    /// The limit on codes that are requested from one network.
    case codesPerAddress = "codes_per_address"
    /// The limit on text messages to all recipients together.
    case textMessages = "text_messages"
    /// The limit on wrong codes for one phone number or mailbox, including guesses that are reserved for
    /// known networks.
    case guessesPerRecipient = "guesses_per_recipient"
    /// The limit on wrong passwords for one account: from one network, from a known network, or from all
    /// unknown networks together.
    case failuresPerAccount = "failures_per_account"
    /// The limit on wrong passwords for any account from one network.
    case failuresPerAddress = "failures_per_address"
    /// The limit on the number of accounts with failed logins from one network.
    case accountsPerAddress = "accounts_per_address"
    /// The limit on registrations from one network, including rejected ones.
    case registrationsPerAddress = "registrations_per_address"
    /// The limit on changes of the password, the identifiers and the addresses of one account.
    case changesPerAccount = "changes_per_account"
    /// The limit on notices to one account: text messages in general, text messages about new devices, and
    /// notices of rejected logins.
    case noticesPerAccount = "notices_per_account"
    /// The limit on certificates that are issued to one session.
    case enrolmentsPerSession = "enrolments_per_session"
    /// Exports of the data of one account.
    case exportsPerAccount = "exports_per_account"
    /// Orders with one account.
    case ordersPerAccount = "orders_per_account"
    /// Payment methods that are added to one account.
    case paymentMethodsPerAccount = "payment_methods_per_account"
    /// Payment methods that are added from one network.
    case paymentMethodsPerAddress = "payment_methods_per_address"
    /// Restored purchases of one account.
    case restoresPerAccount = "restores_per_account"
    /// Signed purchase histories of one account.
    case historiesPerAccount = "histories_per_account"

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
        case .export: self = .exportsPerAccount
        case .order: self = .ordersPerAccount
        case .paymentMethod: self = .paymentMethodsPerAccount
        case .paymentMethodFromNetwork: self = .paymentMethodsPerAddress
        case .restore: self = .restoresPerAccount
        case .history: self = .historiesPerAccount
        }
    }

    /// The label value, which names the limit but never its subject.
    package var values: [String] { [rawValue] }
}
