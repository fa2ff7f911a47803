package import LatchkeyModel

/// A message to a user, rendered for a particular channel.
package struct Message: Sendable {
    /// The channel that a message is sent through.
    package typealias Channel = ContactAddress.Channel

    /// The message id.
    ///
    /// The id is used as the idempotency key for every delivery attempt.
    package let id: Identifier

    /// The channel.
    ///
    /// The channel determines which delivery is used and whether the recipient is a phone number or an e-mail
    /// address.
    package let channel: Channel

    /// The raw value of the message's ``MessageKind``.
    ///
    /// This value isn't encrypted, so operators can see it in the outbox.
    package let template: String

    /// The recipient's phone number (in E.164 format) or e-mail address, depending on the channel.
    ///
    /// Unlike the message text, the recipient is stored in the outbox in plain text.
    package let recipient: String

    /// The subject of an e-mail.
    ///
    /// `nil` for text messages.
    package let subject: Secret?

    /// The text of a text message, or the plain-text version of an e-mail.
    package let body: Secret

    /// The HTML version of an e-mail.
    ///
    /// `nil` for text messages.
    package let html: Secret?

    /// The one-time code, for providers that use their own message texts.
    ///
    /// `nil` if the message doesn't contain a code.
    package let code: Secret?

    /// When the message expires, or `nil` if it never does.
    ///
    /// A message expires together with the code that it contains. The courier abandons messages that have
    /// expired.
    package let expiresAt: Timestamp?

    /// Creates a message whose texts are already rendered.
    ///
    /// To create a message from templates, use ``MessageWriter``.
    ///
    /// - Parameters:
    ///   - id: The message id, which is the same for every delivery attempt.
    ///   - channel: The channel to send the message through.
    ///   - template: The raw value of the message's ``MessageKind``.
    ///   - recipient: The recipient's phone number or e-mail address, depending on the channel.
    ///   - subject: The subject of an e-mail. `nil` for text messages.
    ///   - body: The plain text.
    ///   - html: The HTML version of an e-mail. `nil` for text messages.
    ///   - code: The code that the texts contain, if any.
    ///   - expiresAt: When the message expires, or `nil` if it never does.
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
