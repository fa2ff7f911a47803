package import LatchkeyModel

/// The sender that recipients see in e-mails.
package struct MailSender: Hashable, Sendable {
    /// The address in the `From` field and in the envelope, whose domain is also used in `Message-ID`.
    package let address: EmailAddress

    /// The display name; `nil` shows the address only.
    package let name: String?

    /// Creates a sender with an address and an optional display name.
    ///
    /// The name may be any text, because it is encoded when an e-mail is rendered.
    package init(_ address: EmailAddress, name: String? = nil) {
        self.address = address
        self.name = name
    }
}
