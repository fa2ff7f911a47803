package import LatchkeyModel

/// A mail as it goes to a mail server (RFC 5322, RFC 2045), with its envelope.
package struct InternetMessage: Sendable {
    package let sender: EmailAddress

    /// The one recipient.
    package let recipient: EmailAddress

    /// Header and body; every line ends with CR LF.
    package let bytes: [UInt8]

    /// Writes a mail.
    ///
    /// The same message gets the same `Message-ID` and the same boundaries at every attempt, so that a receiver can tell
    /// a repetition.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - sender: Whom it comes from.
    ///   - now: The time that it says.
    /// - Throws: ``DeliveryError`` when it does not go to one e-mail address.
    package init(_ message: Message, from sender: MailSender, at now: Timestamp) throws(DeliveryError) {
        guard let recipient = EmailAddress(message.recipient), recipient.address == message.recipient else {
            throw .refused("The recipient is no e-mail address.")
        }
        self.sender = sender.address
        self.recipient = recipient
        var lines = MailLines()
        lines.field("Date", HeaderText(now))
        lines.field("From", HeaderText(sender.address, name: sender.name))
        lines.field("To", HeaderText(recipient))
        lines.field("Subject", HeaderText(message.subject?.exposed ?? ""))
        lines.field("Message-ID", HeaderText(messageID: message.id, of: sender.address))
        // RFC 3834: no machine answers to this.
        lines.field("Auto-Submitted", HeaderText(constant: "auto-generated"))
        lines.field("MIME-Version", HeaderText(constant: "1.0"))
        if let html = message.html {
            lines.alternatives(plain: message.body, html: html, id: message.id)
        } else {
            lines.text(message.body, HeaderText(constant: "text/plain; charset=utf-8"))
        }
        bytes = lines.bytes
    }
}

/// A mail while it is written.
private struct MailLines {
    private(set) var bytes: [UInt8] = []

    mutating func field(_ name: StaticString, _ value: HeaderText) {
        line("\(name): \(value.folded)")
    }

    /// The same text in two forms, the one that is liked best last (RFC 2046, section 5.1.4).
    mutating func alternatives(plain: Secret, html: Secret, id: Identifier) {
        // "=_" does not occur in quoted-printable.
        let boundary = "=_\(id.description)"
        line("Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"")
        line("")
        line("--\(boundary)")
        text(plain, HeaderText(constant: "text/plain; charset=utf-8"))
        line("--\(boundary)")
        text(html, HeaderText(constant: "text/html; charset=utf-8"))
        line("--\(boundary)--")
    }

    mutating func text(_ text: Secret, _ type: HeaderText) {
        field("Content-Type", type)
        field("Content-Transfer-Encoding", HeaderText(constant: "quoted-printable"))
        line("")
        bytes += QuotedPrintable.encode(text.exposed)
        line("")
    }

    private mutating func line(_ text: String) {
        bytes += text.utf8
        bytes += [13, 10]
    }
}
