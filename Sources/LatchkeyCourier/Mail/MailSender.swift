package import LatchkeyModel

/// The sender of mail.
package struct MailSender: Hashable, Sendable {
    package let address: EmailAddress

    /// The display name; `nil` shows the address only.
    package let name: String?

    package init(_ address: EmailAddress, name: String? = nil) {
        self.address = address
        self.name = name
    }
}
