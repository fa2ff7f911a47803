package import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel

extension Traits.Address {
    /// Creates a placeholder for the address of a code that the operator hands out, which proves no address.
    ///
    /// The value is the id of the identity, which cannot be an e-mail address, so that no submission contains
    /// it.
    package init(identity: Identifier) {
        self.init(via: .email, value: identity.description)
    }

    /// Returns whether this is the placeholder of a code that the operator handed out for an identity.
    package func isIdentity(_ identity: Identifier) -> Bool {
        self == Traits.Address(identity: identity)
    }
}
