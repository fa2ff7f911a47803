package import LatchkeyModel

/// The sender of mail.
package struct MailSender: Hashable, Sendable {
    /// The address in the `From` field and in the envelope; `Message-ID` contains the same domain.
    package let address: EmailAddress

    /// The display name; `nil` shows the address only.
    package let name: String?

    /// Creates a sender; `name` may be any text, because it is encoded when an e-mail is rendered.
    package init(_ address: EmailAddress, name: String? = nil) {
        self.address = address
        self.name = name
    }
}
