package import LatchkeyModel

/// Who mail comes from.
package struct MailSender: Hashable, Sendable {
    package let address: EmailAddress

    /// What people see beside the address.
    package let name: String?

    package init(_ address: EmailAddress, name: String? = nil) {
        self.address = address
        self.name = name
    }
}
