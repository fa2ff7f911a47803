package import LatchkeyModel

/// An e-mail in the format in which it is sent (RFC 5322, RFC 2045), with its envelope.
package struct InternetMessage: Sendable {
    /// The sender in the envelope, which is also the address in `From`.
    package let sender: EmailAddress

    /// The recipient in the envelope, which is also the only address in `To`.
    package let recipient: EmailAddress

    /// The header and the body, in which every line ends with CR LF.
    package let bytes: [UInt8]

    /// Renders an e-mail.
    ///
    /// All attempts to send a message have the same `Message-ID` and the same MIME boundaries, so receivers
    /// can detect duplicates.
    ///
    /// - Parameters:
    ///   - message: The message, which is rendered as `multipart/alternative` if it has HTML.
    ///   - sender: The sender in `From` and in the envelope.
    ///   - now: The time in the `Date` field.
    /// - Throws: ``DeliveryError/refused(_:)`` if the recipient is not a single e-mail address.
    package init(_ message: Message, from sender: MailSender, at now: Timestamp) throws(DeliveryError) {
        guard let recipient = EmailAddress(message.recipient), recipient.address == message.recipient else {
            throw .refused("The recipient is not an e-mail address.")
        }
        self.sender = sender.address
        self.recipient = recipient
        var lines = MailLines()
        lines.field("Date", value: HeaderText(now))
        lines.field("From", value: HeaderText(sender.address, name: sender.name))
        lines.field("To", value: HeaderText(recipient))
        lines.field("Subject", value: HeaderText(message.subject?.exposed ?? ""))
        lines.field("Message-ID", value: HeaderText(messageID: message.id, of: sender.address))
        // This field suppresses automatic responses (RFC 3834).
        lines.field("Auto-Submitted", value: HeaderText(constant: "auto-generated"))
        lines.field("MIME-Version", value: HeaderText(constant: "1.0"))
        if let html = message.html {
            lines.alternatives(plain: message.body, html: html, id: message.id)
        } else {
            lines.text(message.body, type: HeaderText(constant: "text/plain; charset=utf-8"))
        }
        bytes = lines.bytes
    }
}

/// A builder for the lines of an e-mail.
private struct MailLines {
    /// The lines that have been appended, each with its CR LF.
    private(set) var bytes: [UInt8] = []

    /// Appends a header field, whose value ``HeaderText`` has already folded if it is long.
    mutating func field(_ name: StaticString, value: HeaderText) {
        line("\(name): \(value.folded)")
    }

    /// Appends the text of the e-mail in plain form and then in HTML form, because the preferred form comes
    /// last (RFC 2046, section 5.1.4).
    mutating func alternatives(plain: Secret, html: Secret, id: Identifier) {
        // "=_" does not occur in quoted-printable text.
        let boundary = "=_\(id.description)"
        line("Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"")
        line("")
        line("--\(boundary)")
        text(plain, type: HeaderText(constant: "text/plain; charset=utf-8"))
        line("--\(boundary)")
        text(html, type: HeaderText(constant: "text/html; charset=utf-8"))
        line("--\(boundary)--")
    }

    /// Appends a text part in quoted-printable encoding, with its own header fields.
    mutating func text(_ text: Secret, type: HeaderText) {
        field("Content-Type", value: type)
        field("Content-Transfer-Encoding", value: HeaderText(constant: "quoted-printable"))
        line("")
        bytes += QuotedPrintable.encode(text.exposed)
        line("")
    }

    /// Appends a line and its CR LF without encoding the text.
    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes += [13, 10]
    }
}
