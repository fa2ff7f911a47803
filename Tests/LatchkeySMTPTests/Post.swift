import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeySMTP
import LatchkeyTestKit
import TestProcesses

/// Helpers for creating and sending e-mails.
enum Post {
    /// A mail server that accepts every message.
    ///
    /// The tests share this server.
    static let sink = Task { try await MessageSink.mail() }

    static func message(
        _ kind: MessageKind,
        to address: String = "user@example.com",
        language: Language = .english,
        app: String? = nil
    ) -> Message {
        MessageWriter().message(
            kind,
            to: address,
            by: .email,
            code: OneTimeCode("271501"),
            lifespan: .seconds(600),
            language: language,
            app: app,
            at: Timestamp(seconds: 1_772_352_000),
            random: SystemRandom()
        )
    }

    /// Creates a delivery to a message sink.
    ///
    /// By default, the connection does not use TLS.
    static func delivery(
        to sink: MessageSink,
        from sender: MailSender? = nil,
        _ change: (inout SMTPOptions) -> Void = { _ in }
    ) throws -> SMTPDelivery {
        guard let address = EmailAddress("no-reply@example.com") else { throw SMTPUnavailable() }
        var options = SMTPOptions(host: "127.0.0.1", port: sink.port, security: .none)
        options.connections = 1
        change(&options)
        return try SMTPDelivery(
            options,
            from: sender ?? MailSender(address, name: "Shop"),
            time: VirtualTime()
        )
    }
}
