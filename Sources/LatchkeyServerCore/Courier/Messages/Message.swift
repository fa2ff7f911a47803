package import LatchkeyModel

/// A message to a person.
package struct Message: Sendable {
    /// The way it takes.
    package enum Channel: String, Sendable, CaseIterable {
        case sms, email
    }

    /// Names the message, and is the key by which a provider knows a repetition.
    package let id: Identifier

    package let channel: Channel

    /// What the message is about, for those who look at the outbox: a ``MessageKind`` in words.
    package let template: String

    /// The phone number or the e-mail address.
    package let recipient: String

    /// What stands above the text of a mail.
    package let subject: Secret?

    /// The plain text.
    package let body: Secret

    /// The text of a mail once more, as HTML.
    package let html: Secret?

    /// The code within the text, for providers that have texts of their own.
    package let code: Secret?

    /// When the message is of no use any more.
    package let expiresAt: Timestamp?

    package init(
        id: Identifier,
        channel: Channel,
        template: String,
        recipient: String,
        subject: Secret? = nil,
        body: Secret,
        html: Secret? = nil,
        code: Secret? = nil,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.channel = channel
        self.template = template
        self.recipient = recipient
        self.subject = subject
        self.body = body
        self.html = html
        self.code = code
        self.expiresAt = expiresAt
    }
}
