import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// The decision on whether to save new traits of an identity.
enum ProfileDecision: Hashable, Sendable {
    /// The change is saved immediately.
    case save

    /// The change waits until this new address is verified.
    case verify(ContactAddress)

    /// The change requires a recent login.
    case refresh

    /// The change is rejected with a message about the whole form.
    case refuse(UIMessage)

    /// The change is rejected because one field is invalid.
    case refuseField(Form.FieldMessage)

    /// The facts on which the decision about new traits is based.
    struct Facts: Sendable {
        /// Whether the change affects identifiers, verifiable addresses or recovery addresses.
        var changesAccess = false

        /// Whether the session's login is recent and its token has not been replaced; relevant only if access
        /// changes.
        var isPrivileged = true

        /// Whether the session has proven enough to remove the proven addresses that the change omits.
        var allowsRemoval = true

        /// The verifiable addresses that the change adds.
        var added: [ContactAddress] = []

        /// The error for a new phone number that the schema requires to be verified; `nil` if the number is
        /// acceptable.
        var phoneRefusal: Form.FieldMessage?
    }

    /// Decides whether a change is saved, waits for a verification or is rejected.
    ///
    /// - Parameters:
    ///   - facts: The facts about the change.
    ///   - verifiesFirst: Whether a new address must be verified before the change is applied.
    init(_ facts: Facts, verifiesFirst: Bool) {
        guard facts.changesAccess else {
            self = .save
            return
        }
        if !facts.isPrivileged {
            self = .refresh
        } else if !facts.allowsRemoval {
            self = .refuse(.removalNeedsProof)
        } else if verifiesFirst, facts.added.count > 1 {
            self = .refuse(.severalAddresses)
        } else if verifiesFirst, let address = facts.added.first {
            self = .verify(address)
        } else if let refusal = facts.phoneRefusal {
            self = .refuseField(refusal)
        } else {
            self = .save
        }
    }
}
