import LatchkeyServerKit

/// The name of a rate limit in metrics.
///
/// Several kinds of events can share one name.
package enum MeteredLimit: String, CaseIterable, MetricLabels {
    /// The limit on codes to one phone number or mailbox, including the codes reserved for known networks.
    case codesPerRecipient = "codes_per_recipient"
    /// The limit on codes that are requested from one network.
    case codesPerAddress = "codes_per_address"
    /// The limits on text messages: in total, and on those to unproven numbers per calling code and per block
    /// of the internet.
    case textMessages = "text_messages"
    /// The limit on wrong codes for one phone number or mailbox, including the guesses reserved for known
    /// networks.
    case guessesPerRecipient = "guesses_per_recipient"
    /// The limits on wrong passwords for one account, both per network and for all unknown networks combined.
    case failuresPerAccount = "failures_per_account"
    /// The limit on wrong passwords for any account from one network.
    case failuresPerAddress = "failures_per_address"
    /// The limit on the number of accounts for which a login from one network has failed.
    case accountsPerAddress = "accounts_per_address"
    /// The limit on failed authentications and redemptions of one OAuth client from one network.
    case failuresPerClient = "failures_per_client"
    /// The limit on authorization requests that are stored for one network.
    case authorizationsPerAddress = "authorizations_per_address"
    /// The limit on authorization requests that one OAuth client pushes from one network.
    case pushedRequestsPerClient = "pushed_requests_per_client"
    /// The limit on authorization requests that one session answers.
    case approvalsPerSession = "approvals_per_session"
    /// The limit on codes with which one session is handed over to another client.
    case handoversPerSession = "handovers_per_session"
    /// The limit on codes with which sessions are handed over from one network.
    case handoversPerAddress = "handovers_per_address"
    /// The limit on registrations from one network, including rejected ones.
    case registrationsPerAddress = "registrations_per_address"
    /// The limit on forms that are stored for one network and belong to no account.
    case formsPerAddress = "forms_per_address"
    /// The limit on requests for public information from one network.
    case publicReadsPerAddress = "public_reads_per_address"
    /// The limits on requests for the status of identifiers from one network, and with one device's key.
    case identifierStatus = "identifier_status"
    /// The limit on token renewals of one session.
    case renewalsPerSession = "renewals_per_session"
    /// The limit on changes to the password, the identifiers and the addresses of one account.
    case changesPerAccount = "changes_per_account"
    /// The limits on notices about one account: all text messages, text messages about new devices, and
    /// notices about rejected logins.
    case noticesPerAccount = "notices_per_account"
    /// The limit on certificates that are issued to one session.
    case enrolmentsPerSession = "enrolments_per_session"
    /// The limit on exports of one account's data.
    case exportsPerAccount = "exports_per_account"
    /// The limit on orders by one account.
    case ordersPerAccount = "orders_per_account"
    /// The limit on payment methods that are added to one account.
    case paymentMethodsPerAccount = "payment_methods_per_account"
    /// The limit on payment methods that are added from one network.
    case paymentMethodsPerAddress = "payment_methods_per_address"
    /// The limit on requests to restore the purchases of one account.
    case restoresPerAccount = "restores_per_account"
    /// The limit on purchase histories that are signed for one account.
    case historiesPerAccount = "histories_per_account"

    /// The value of the metric's label, which is the name of the limit.
    package var values: [String] { [rawValue] }
}
