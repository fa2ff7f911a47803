package import LatchkeyModel

extension Message {
    /// The message that carries a code to a phone.
    ///
    /// - Parameters:
    ///   - code: The code.
    ///   - phone: The number that it proves control of.
    ///   - app: What people know the service as; nothing to leave it out.
    ///   - lifespan: How long the code is good.
    ///   - now: When it was made.
    ///   - random: The source of the message's id.
    /// - Returns: The message.
    package static func verificationCode(
        _ code: OneTimeCode,
        to phone: PhoneNumber,
        app: String?,
        lifespan: Duration,
        at now: Timestamp,
        random: some RandomSource
    ) -> Message {
        let use = app.map { "your verification code for \($0)" } ?? "your verification code"
        let text =
            "\(code.exposed) is \(use). It is valid for \(words(for: lifespan)). Never give it to anybody."
        return Message(
            id: Identifier(random: random),
            channel: .sms,
            template: "verification_code",
            recipient: phone.e164,
            body: Secret(text),
            code: Secret(code.exposed),
            expiresAt: now + lifespan
        )
    }

    private static func words(for lifespan: Duration) -> String {
        let seconds = lifespan.components.seconds
        let (count, unit) = seconds >= 120 || seconds == 60 ? (seconds / 60, "minute") : (seconds, "second")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}
