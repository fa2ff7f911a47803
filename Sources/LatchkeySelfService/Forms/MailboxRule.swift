import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyWire

/// The e-mail addresses that a form accepts.
package enum MailboxRule: Sendable {
    /// All valid addresses.
    case any

    /// Addresses that every mail server can send to, and those that the account already has.
    ///
    /// The values of the account are keyed by field name.
    case sendable(keeping: [String: JSONValue])

    /// Returns whether an address is accepted in a field.
    func accepts(_ email: EmailAddress, in field: String) -> Bool {
        guard case .sendable(let current) = self, email.requiresSMTPUTF8 else { return true }
        guard case .string(let address)? = current[field] else { return false }
        return LoginIdentifier.normalize(address) == LoginIdentifier.normalize(email.address)
    }
}
