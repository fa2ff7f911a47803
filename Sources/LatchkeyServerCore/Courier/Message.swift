package import LatchkeyModel

/// A message to a person.
package struct Message: Sendable {
    /// The way it takes.
    package enum Channel: String, Sendable {
        case sms
    }

    /// Names the message, and is the key by which a provider knows a repetition.
    package let id: Identifier

    package let channel: Channel

    /// What the message is about, for those who look at the outbox.
    package let template: String

    /// The phone number.
    package let recipient: String

    /// The text.
    package let body: Secret

    /// The code within the text, for providers that have texts of their own.
    package let code: Secret?

    /// When the message is of no use any more.
    package let expiresAt: Timestamp?

    package init(
        id: Identifier,
        channel: Channel,
        template: String,
        recipient: String,
        body: Secret,
        code: Secret? = nil,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.channel = channel
        self.template = template
        self.recipient = recipient
        self.body = body
        self.code = code
        self.expiresAt = expiresAt
    }
}
