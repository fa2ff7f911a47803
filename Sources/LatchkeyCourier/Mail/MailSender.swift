package import LatchkeyModel

/// The sender shown to the recipients of e-mails.
package struct MailSender: Hashable, Sendable {
    /// The address used in the `From` field and in the envelope.
    ///
    /// The domain of this address is also used in `Message-ID`.
    package let address: EmailAddress

    /// The display name.
    ///
    /// If `nil`, only the address is shown.
    package let name: String?

    /// Creates a sender from an address and an optional display name.
    ///
    /// The name may contain any text, because it is encoded when an e-mail is rendered.
    package init(_ address: EmailAddress, name: String? = nil) {
        self.address = address
        self.name = name
    }
}
