import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

enum RegistrationOutcome: Sendable {
    /// The account was created, or the user was logged in to an existing account. The changes have been
    /// committed.
    case registered(RegistrationCompletion.Registered)

    /// The credential is wrong or not allowed.
    ///
    /// The message is shown next to `field`, or at the top of the form if `field` is `nil`.
    case refused(UIMessage, field: String? = nil)

    /// The code was rejected without counting toward the limit on wrong codes.
    case uncounted(UIMessage)

    /// Another account has one of the identifiers or addresses.
    ///
    /// The other account may have been created after the first check. In this case, the transaction was rolled
    /// back.
    ///
    /// The flow contains the addresses that it has proven. `isCounted` is `false` if the rollback has also
    /// undone the count of the submission.
    case duplicate(Flow, isCounted: Bool)

    /// Another account claims an address, so the user has to enter the code that was sent to it.
    ///
    /// The flow has been saved. The message is shown next to the field for the code.
    case unproven(Flow, UIMessage)

    /// The code was right, and the client requires fields that are missing or invalid.
    ///
    /// The flow contains the proven address.
    case incomplete(Flow)
}
