import LatchkeyAccounts
import LatchkeyCourier
package import LatchkeyModel

extension ContactAddress {
    /// Creates a placeholder address for a code that an operator hands out.
    ///
    /// A code that is handed out this way doesn't verify an address.
    ///
    /// The value of the placeholder is the identity's id. Users cannot submit this address, because it isn't
    /// a valid e-mail address.
    package init(identity: Identifier) {
        self.init(via: .email, value: identity.description)
    }

    /// Returns whether this is the placeholder address for codes that an operator hands out to an identity.
    package func isIdentity(_ identity: Identifier) -> Bool {
        self == ContactAddress(identity: identity)
    }
}
