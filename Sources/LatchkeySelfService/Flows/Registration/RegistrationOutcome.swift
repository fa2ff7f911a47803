import LatchkeyAccounts
import LatchkeyWire

/// The outcome of a registration.
enum RegistrationOutcome: Sendable {
    /// The new account, or the login to an existing account, was committed.
    case registered(RegistrationCompletion.Registered)

    /// The credential is wrong or not allowed.
    ///
    /// The message concerns `field`, or the whole form if `field` is `nil`.
    case refused(UIMessage, field: String? = nil)

    /// Another account has one of the identifiers or addresses.
    ///
    /// The other account may have been created after the first check; the transaction was rolled back.
    case duplicate
}
