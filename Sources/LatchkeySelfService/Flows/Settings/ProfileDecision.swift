import LatchkeyAccounts
import LatchkeyModel
import LatchkeyWire

/// Decides whether new traits of an identity are saved.
enum ProfileDecision: Hashable, Sendable {
    /// The change is saved immediately.
    case save

    /// The change is saved once this new address has been verified.
    case verify(ContactAddress)

    /// The change requires a recent login.
    case refresh

    /// The change is rejected with a message that is shown for the form rather than for a single field.
    case refuse(UIMessage)

    /// The change is rejected because a field is invalid.
    case refuseField(Form.FieldMessage)

    /// The information that the decision is based on.
    struct Facts: Sendable {
        /// The error for a new region, or `nil` if the region doesn't change or is acceptable.
        var regionRefusal: Form.FieldMessage?

        /// Whether the change affects identifiers, verifiable addresses or recovery addresses.
        var changesAccess = false

        /// Whether the user has logged in recently and the session's token hasn't been replaced.
        ///
        /// This matters only if `changesAccess` is `true`.
        var isPrivileged = true

        /// Whether the credentials proven in this session are sufficient to remove the proven addresses that
        /// the change leaves out.
        var allowsRemoval = true

        /// The verifiable addresses that the change adds.
        var added: [ContactAddress] = []

        /// The error for a new phone number that must be verified according to the schema, or `nil` if the
        /// number is acceptable.
        var phoneRefusal: Form.FieldMessage?
    }

    /// Decides whether a change is saved, waits for a verification, or is rejected.
    ///
    /// - Parameters:
    ///   - facts: Information about the change, the session and the account.
    ///   - verifiesFirst: Whether a new address must be verified before the change is saved.
    init(_ facts: Facts, verifiesFirst: Bool) {
        if let refusal = facts.regionRefusal {
            self = .refuseField(refusal)
            return
        }
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
