import LatchkeyAccounts
import LatchkeyCourier
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

    /// An address that a change adds to the account.
    struct AddedAddress: Sendable {
        /// The address.
        let address: ContactAddress
        /// Whether users log in with the address.
        var isIdentifier = false
        /// Whether another account claims the address, but hasn't proven it.
        var isClaimed = false
        /// Whether the schema requires the address to be verified, or the user couldn't enter the account after
        /// the change without it.
        ///
        /// Saving the only entrance immediately would lock the user out if it contains a typing error.
        var needsProof = false

        /// Returns whether the address is saved only after the user has verified it.
        func isVerifiedFirst(_ rule: VerifiedFirstRule) -> Bool {
            switch rule {
            case .never: isClaimed || needsProof
            case .nonIdentifiers: isClaimed || needsProof || !isIdentifier
            case .always: true
            }
        }
    }

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

        /// The addresses that the change adds.
        var added: [AddedAddress] = []

        /// The error for a change after which the user couldn't enter the account any more, or `nil` if they
        /// can.
        var entranceRefusal: Form.FieldMessage?

        /// Whether the traits are small enough to be stored until an address is verified.
        var canWait = true

        /// The error for a new phone number that must be verified according to the schema, or `nil` if the
        /// number is acceptable.
        var phoneRefusal: Form.FieldMessage?
    }

    /// Decides whether a change is saved, waits for a verification, or is rejected.
    ///
    /// - Parameters:
    ///   - facts: Information about the change, the session and the account.
    ///   - rule: Which new addresses must be verified before the change is saved, or `nil` if users can't
    ///     verify addresses.
    init(_ facts: Facts, verifiedFirst rule: VerifiedFirstRule?) {
        if let refusal = facts.regionRefusal {
            self = .refuseField(refusal)
            return
        }
        guard facts.changesAccess else {
            self = .save
            return
        }
        let awaited = rule.map { rule in facts.added.filter { $0.isVerifiedFirst(rule) } } ?? []
        if !facts.isPrivileged {
            self = .refresh
        } else if !facts.allowsRemoval {
            self = .refuse(.removalNeedsProof)
        } else if let refusal = facts.entranceRefusal {
            self = .refuseField(refusal)
        } else if awaited.count > 1 {
            self = .refuse(.severalAddresses)
        } else if let added = awaited.first {
            self =
                facts.canWait
                ? .verify(added.address) : .refuse(.traitsTooLarge(maximum: FlowBounds.pendingTraits))
        } else if let refusal = facts.phoneRefusal {
            self = .refuseField(refusal)
        } else {
            self = .save
        }
    }
}
