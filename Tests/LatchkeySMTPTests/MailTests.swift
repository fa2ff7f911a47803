import LatchkeyCourier
import LatchkeyModel
import LatchkeySMTP
import LatchkeyTestKit
import TestProcesses
import Testing

/// Tests how a mail server and Python's `email` package parse the messages that we send.
@Suite(.timeLimit(.minutes(5))) struct `Internet messages` {
    @Test(arguments: Language.allCases)
    func `An e-mail contains plain text and HTML in every language`(language: Language) async throws {
        let sink = try await Post.sink.value
        let message = Post.message(.loginCode, language: language, app: "Bjørns Blåbærskog")
        try await Post.delivery(to: sink).deliver(message, idempotencyKey: message.id.description)

        let mail = try #require(try await sink.reports(of: message.id.description, as: MailReport.self).first)
        #expect(mail.from == "no-reply@example.com" && mail.to == ["user@example.com"])
        #expect(mail.senders == [["Shop", "no-reply@example.com"]])
        #expect(mail.recipients == ["user@example.com"])
        #expect(mail.fields["subject"] == message.subject?.exposed)
        #expect(mail.plain == message.body.exposed)
        #expect(mail.html == message.html?.exposed)
        #expect(mail.types == ["multipart/alternative", "text/plain", "text/html"])
        #expect(mail.fields["message-id"] == "<\(message.id)@example.com>")
        #expect(mail.fields["auto-submitted"] == "auto-generated")
        #expect(mail.fields["date"] == "Sun, 01 Mar 2026 08:00:00 +0000")
        #expect(mail.fields["mime-version"] == "1.0")
        #expect(mail.names.count == Set(mail.names).count)
        #expect(mail.defects.isEmpty && mail.longest <= 76 && mail.bare == 0 && mail.ascii)
    }

    @Test(arguments: [
        "Shop\r\nBcc: all@example.com", "Shop\n\n<b>body</b>", "Shop\u{0}\u{85}\u{2028}x",
        "\"Shop\" <all@example.com>, x",
        "=?utf-8?q?=0D=0ABcc:_all@example.com?=", "Ærlig \\ \"Tom\" 🗝️ & Sønner ",
        String(repeating: "å🗝️", count: 200),
        String(repeating: "x", count: 300), ".", "From me",
    ])
    func `A service name cannot add a header or recipient`(app: String) async throws {
        let sink = try await Post.sink.value
        let message = Post.message(.loginCode, app: app)
        let sender = MailSender(try #require(EmailAddress("no-reply@example.com")), name: app)
        try await Post.delivery(to: sink, from: sender).deliver(message, idempotencyKey: "k")

        let mail = try #require(try await sink.reports(of: message.id.description, as: MailReport.self).first)
        #expect(mail.to == ["user@example.com"] && mail.recipients == ["user@example.com"])
        #expect(mail.senders.map(\.last) == ["no-reply@example.com"])
        #expect(Set(mail.names) == Self.names && mail.names.count == Self.names.count)
        #expect(mail.plain == message.body.exposed && mail.html == message.html?.exposed)
        #expect(mail.fields["subject"] == message.subject?.exposed)
        #expect(mail.defects.isEmpty && mail.longest <= 998 && mail.bare == 0 && mail.ascii)
    }

    @Test(arguments: [
        ("user@münchen.example", "user@xn--mnchen-3ya.example"),
        ("user@xn--mnchen-3ya.example", "user@xn--mnchen-3ya.example"),
    ])
    func `The envelope and the header contain the ASCII form of a domain`(recipient: String, ascii: String)
        async throws
    {
        let sink = try await Post.sink.value
        let message = Message(
            id: Identifier(),
            channel: .email,
            template: "stub",
            recipient: recipient,
            subject: "Subject",
            body: Secret("text"),
            html: nil
        )
        let sender = MailSender(try #require(EmailAddress("no-reply@bücher.example")), name: "Shop")
        try await Post.delivery(to: sink, from: sender).deliver(message, idempotencyKey: "k")

        let mail = try #require(try await sink.reports(of: message.id.description, as: MailReport.self).first)
        #expect(mail.to == [ascii] && mail.recipients == [ascii])
        #expect(mail.from == "no-reply@xn--bcher-kva.example")
        #expect(mail.senders == [["Shop", "no-reply@xn--bcher-kva.example"]])
        #expect(mail.fields["message-id"] == "<\(message.id)@xn--bcher-kva.example>")
        #expect(mail.ascii)
    }

    @Test(arguments: [
        "first.\n.\n..\n.dot\nFrom me\n>From\n", "trailing \t\n \nspace=20\n=\n", "\u{0}\u{7F}\u{1B}[31m",
        String(repeating: "å", count: 500), String(repeating: "x", count: 5000),
        String(repeating: "word. ", count: 300), "a\r\nb\rc\n", "",
    ])
    func `The text is delivered unchanged, including leading dots`(text: String) async throws {
        let sink = try await Post.sink.value
        let message = Message(
            id: Identifier(),
            channel: .email,
            template: "stub",
            recipient: "user@example.com",
            subject: "Subject",
            body: Secret(text),
            html: Secret("<p>\(text)</p>")
        )
        try await Post.delivery(to: sink).deliver(message, idempotencyKey: "k")

        let mail = try #require(try await sink.reports(of: message.id.description, as: MailReport.self).first)
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        #expect(mail.plain == lines)
        #expect(mail.html == "<p>\(lines)</p>" && mail.trailing == 0)
        #expect(mail.defects.isEmpty && mail.longest <= 76 && mail.bare == 0 && mail.ascii)
    }

    @Test(arguments: [
        "a@example.com, b@example.com", "a@example.com\r\nRCPT TO:<b@example.com>", "a@example.com>",
        "<a@example.com>",
        "\"a b\"@example.com", " a@example.com", "a@example.com\n", "a", "+439999999999", "a@b@example.com",
        "",
    ])
    func `A recipient that is not exactly one address is rejected`(recipient: String) async throws {
        let sink = try await Post.sink.value
        let message = Post.message(.loginCode, to: recipient)
        let error = await #expect(throws: DeliveryError.self) {
            try await Post.delivery(to: sink).deliver(message, idempotencyKey: "k")
        }
        guard case .refused = error else {
            Issue.record("Expected a rejection.")
            return
        }
        #expect(
            try await sink.reports(atLeast: 0, as: MailReport.self).allSatisfy { $0.key != "\(message.id)" }
        )
    }

    @Test func `Mail to a non-ASCII address is sent if the mail server supports SMTPUTF8`() async throws {
        let sink = try await Post.sink.value
        let delivery = try Post.delivery(to: sink)
        // The second message is sent over the same connection, whose capabilities are known by then.
        for _ in 1...2 {
            let message = Post.message(.loginCode, to: "bjørn@bücher.example")
            try await delivery.deliver(message, idempotencyKey: "k")

            let id = message.id.description
            let mail = try #require(try await sink.reports(of: id, as: MailReport.self).first)
            #expect(mail.to == ["bjørn@xn--bcher-kva.example"] && mail.recipients == mail.to)
            #expect(mail.plain?.contains("bjørn@bücher.example") == true && !mail.ascii)
        }
    }

    @Test func `Mail to a non-ASCII address is not sent to a mail server without SMTPUTF8`() async throws {
        let sink = try await MessageSink.mail("--ascii")
        let delivery = try Post.delivery(to: sink)
        let ascii = [Post.message(.loginCode), Post.message(.loginCode, to: "user@bücher.example")]
        for message in [ascii[0], Post.message(.loginCode, to: "bjørn@example.com"), ascii[1]] {
            var reason: String?
            do throws(DeliveryError) {
                try await delivery.deliver(message, idempotencyKey: "k")
            } catch {
                guard case .refused(let text) = error else {
                    Issue.record("Expected a permanent failure.")
                    continue
                }
                reason = text
            }
            #expect((reason?.contains("SMTPUTF8") == true) == message.recipient.hasPrefix("bjørn"))
        }
        let mails = try await sink.reports(atLeast: 2, as: MailReport.self)
        #expect(mails.map(\.key) == ascii.map(\.id.description))
    }

    @Test func `A sender that requires SMTPUTF8 is a temporary failure, because the operator can change it`()
        async throws
    {
        let sink = try await MessageSink.mail("--ascii")
        let sender = MailSender(try #require(EmailAddress("bjørn@example.com")))
        let error = await #expect(throws: DeliveryError.self) {
            try await Post.delivery(to: sink, from: sender)
                .deliver(Post.message(.loginCode), idempotencyKey: "k")
        }
        guard case .failed = error else {
            Issue.record("Expected a temporary failure.")
            return
        }
    }

    private static let names: Set = [
        "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
    ]
}
