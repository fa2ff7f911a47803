import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit

/// The ways to enter an account that the server accepts.
package struct SignInMethods: Hashable, Sendable {
    /// Whether users can log in with a password.
    let password: Bool
    /// Whether users can log in with a code.
    let code: Bool
    /// Whether users can recover their account.
    let recovery: Bool

    package init(password: Bool, code: Bool, recovery: Bool) {
        (self.password, self.code, self.recovery) = (password, code, recovery)
    }

    /// Returns whether the user can enter the account without the help of an operator.
    ///
    /// An address counts only if the rules of ownership let its owner in, so an unproven address of a
    /// confirmed account doesn't.
    ///
    /// - Parameters:
    ///   - identity: The identity, which doesn't need to be saved yet.
    ///   - hasPassword: Whether the account has a password.
    ///   - schema: The identity's schema, or `nil` if it was removed.
    /// - Returns: Whether there is a password, a login code or a recovery code that gives access.
    package func admit(_ identity: Identity, hasPassword: Bool, schema: IdentitySchema?) -> Bool {
        if password, hasPassword, !identity.identifiers.isEmpty { return true }
        if recovery, identity.recovery.contains(where: { identity.isEntrance($0.address) }) { return true }
        guard code, let schema, let traits = identity.record.traits else { return false }
        return schema.codeAddresses(in: traits).contains { address in
            identity.identifiers.contains(address.value) && identity.isEntrance(address)
        }
    }
}

extension Identity {
    /// Returns whether a code that is sent to the address gives access to the account.
    fileprivate func isEntrance(_ address: ContactAddress) -> Bool {
        AddressOwnership.outcome(of: .entry, for: standing(of: address)) != .refuse
    }

    /// Returns the name of the form field that must contain an address so that the user can enter the
    /// account.
    ///
    /// The result is the first field for an identifier or a recovery address that is empty or contains a
    /// released address. If there is no such field, it is the first field of this kind.
    package func entranceField(by schema: IdentitySchema) -> String? {
        let fields = schema.fields.filter { $0.schema.isIdentifier || $0.schema.recovery != nil }
        let traits = record.traits
        let missing = fields.first { field in
            guard let text = field.text(in: traits) else { return true }
            return isReleased(LoginIdentifier.normalize(text))
        }
        return (missing ?? fields.first)?.name
    }
}
