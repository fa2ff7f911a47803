import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel

extension ContactAddress {
    /// Creates the placeholder address for a code that the operator hands out, which proves no address.
    ///
    /// The value is the id of the identity, which is not a valid e-mail address, so no valid submission can
    /// contain it.
    package init(identity: Identifier) {
        self.init(via: .email, value: identity.description)
    }

    /// Returns whether this is the placeholder for a code that the operator handed out for an identity.
    package func isIdentity(_ identity: Identifier) -> Bool {
        self == ContactAddress(identity: identity)
    }
}
