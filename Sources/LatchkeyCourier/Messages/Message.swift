package import LatchkeyModel

/// A message to a user, with its texts rendered for one channel.
package struct Message: Sendable {
    /// The channel of a message, which determines the provider.
    package typealias Channel = ContactAddress.Channel

    /// The id of the message, which is the idempotency key for all delivery attempts.
    package let id: Identifier

    /// The channel, which determines the delivery and the format of the recipient.
    package let channel: Channel

    /// The raw value of the ``MessageKind``, stored unsealed so that operators can read it in the outbox.
    package let template: String

    /// The phone number or e-mail address, depending on the channel.
    ///
    /// Phone numbers are in E.164 format. Unlike the texts, the recipient is stored in plain text in the
    /// outbox.
    package let recipient: String

    /// The subject of an e-mail; `nil` for text messages.
    package let subject: Secret?

    /// The text of a text message, or the plain text of an e-mail.
    package let body: Secret

    /// The HTML form of an e-mail; `nil` for text messages.
    package let html: Secret?

    /// The code in the text, for providers that use their own texts; `nil` if the message has no code.
    package let code: Secret?

    /// The time from which the message is no longer sent; `nil` if it does not expire.
    ///
    /// This time is the expiry of the code, after which the courier abandons a message that has not been
    /// sent.
    package let expiresAt: Timestamp?

    /// Creates a message from rendered texts, whereas ``MessageWriter`` creates one from templates.
    ///
    /// - Parameters:
    ///   - id: The id, which is the same for all attempts to send the message.
    ///   - channel: The channel.
    ///   - template: The raw value of the ``MessageKind``.
    ///   - recipient: The phone number or e-mail address, depending on the channel.
    ///   - subject: The subject of an e-mail; `nil` for text messages.
    ///   - body: The plain text.
    ///   - html: The HTML form of an e-mail; `nil` for text messages.
    ///   - code: The code in the texts; `nil` if there is none.
    ///   - expiresAt: The time from which the message is no longer sent; `nil` if it does not expire.
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
