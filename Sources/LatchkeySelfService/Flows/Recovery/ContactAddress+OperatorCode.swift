import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel

extension ContactAddress {
    /// Creates a placeholder address for a code that an operator hands out.
    ///
    /// Such a code doesn't verify an address.
    ///
    /// The value is the identity's id. Users cannot submit it, because it isn't a valid e-mail address.
    package init(identity: Identifier) {
        self.init(via: .email, value: identity.description)
    }

    /// Returns whether this is the placeholder for a code that an operator handed out for an identity.
    package func isIdentity(_ identity: Identifier) -> Bool {
        self == ContactAddress(identity: identity)
    }
}
