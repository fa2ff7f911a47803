import LatchkeyIDNA
package import LatchkeyModel

/// An e-mail in the format used for transmission (RFC 5322, RFC 2045), together with its envelope.
package struct InternetMessage: Sendable {
    /// The envelope sender, which is also the address in `From`.
    package let sender: EmailAddress

    /// The envelope recipient, which is also the only address in `To`.
    package let recipient: EmailAddress

    /// Whether the mail server must support SMTPUTF8 (RFC 6531).
    ///
    /// Otherwise, the envelope and the header are ASCII.
    package var requiresSMTPUTF8: Bool { sender.requiresSMTPUTF8 || recipient.requiresSMTPUTF8 }

    /// The header and the body of the e-mail.
    ///
    /// Every line ends with CRLF.
    package let bytes: [UInt8]

    /// Renders an e-mail.
    ///
    /// Every attempt to send a message uses the same `Message-ID` and the same MIME boundaries, so that
    /// receivers can detect duplicates.
    ///
    /// - Parameters:
    ///   - message: The message to render. Messages with HTML are rendered as `multipart/alternative`.
    ///   - sender: The sender in `From` and in the envelope.
    ///   - now: The time in the `Date` field.
    /// - Throws: ``DeliveryError/refused(_:)`` if the recipient isn't a single e-mail address, or if its
    ///   domain has no ASCII form.
    package init(_ message: Message, from sender: MailSender, at now: Timestamp) throws(DeliveryError) {
        guard let given = EmailAddress(message.recipient), given.address == message.recipient else {
            throw .refused("The recipient is not an e-mail address.")
        }
        // Mail systems only accept international domains in this form (RFC 5891, RFC 5321 section 2.3.5).
        guard let recipient = given.withASCIIDomain, let address = sender.address.withASCIIDomain else {
            throw .refused("The domain of the recipient or of the sender does not exist.")
        }
        self.sender = address
        self.recipient = recipient
        var lines = MailLines()
        lines.field("Date", value: HeaderText(now))
        lines.field("From", value: HeaderText(address, name: sender.name))
        lines.field("To", value: HeaderText(recipient))
        lines.field("Subject", value: HeaderText(message.subject?.exposed ?? ""))
        lines.field("Message-ID", value: HeaderText(messageID: message.id, of: address))
        // Prevents automatic replies (RFC 3834).
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

/// Builds the lines of an e-mail.
private struct MailLines {
    /// The lines that have been appended so far, including their CRLFs.
    private(set) var bytes: [UInt8] = []

    /// Appends a header field.
    ///
    /// Long values have already been folded by ``HeaderText``.
    mutating func field(_ name: StaticString, value: HeaderText) {
        line("\(name): \(value.folded)")
    }

    /// Appends the plain text and the HTML version of the e-mail.
    ///
    /// The preferred version comes last (RFC 2046, section 5.1.4).
    mutating func alternatives(plain: Secret, html: Secret, id: Identifier) {
        // "=_" can't occur in quoted-printable text.
        let boundary = "=_\(id.description)"
        line("Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"")
        line("")
        line("--\(boundary)")
        text(plain, type: HeaderText(constant: "text/plain; charset=utf-8"))
        line("--\(boundary)")
        text(html, type: HeaderText(constant: "text/html; charset=utf-8"))
        line("--\(boundary)--")
    }

    /// Appends a text part in quoted-printable encoding, including its header fields.
    mutating func text(_ text: Secret, type: HeaderText) {
        field("Content-Type", value: type)
        field("Content-Transfer-Encoding", value: HeaderText(constant: "quoted-printable"))
        line("")
        bytes += QuotedPrintable.encode(text.exposed)
        line("")
    }

    /// Appends a line and a CRLF.
    ///
    /// The text is appended as is, without any encoding.
    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes += [13, 10]
    }
}
