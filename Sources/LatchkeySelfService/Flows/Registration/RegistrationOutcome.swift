import LatchkeyAccounts
import LatchkeyWire

/// The outcome of a registration.
enum RegistrationOutcome: Sendable {
    case registered(RegistrationCompletion.Registered)

    /// The credential is wrong or not allowed; the message concerns `field`, or the form if it is `nil`.
    case refused(UIMessage, field: String? = nil)

    /// Another account has one of the identifiers or addresses.
    case duplicate
}
