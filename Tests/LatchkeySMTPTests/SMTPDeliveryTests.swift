import LatchkeyCourier
import LatchkeyModel
import LatchkeySMTP
import TestProcesses
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `SMTP delivery` {
    /// The outcome of a delivery attempt.
    private enum Outcome: Equatable {
        case sent, refused, failed
    }

    private func outcome(of message: Message, by delivery: SMTPDelivery) async -> Outcome {
        do throws(DeliveryError) {
            try await delivery.deliver(message, idempotencyKey: message.id.description)
            return .sent
        } catch {
            switch error {
            case .refused: return .refused
            case .failed: return .failed
            }
        }
    }

    @Test(
        arguments: [
            (.ok, .sent, 1), (.temporary, .failed, 0), (.permanent, .refused, 0), (.content, .refused, 0),
            (.sender, .failed, 0), (.credentials, .failed, 0), (.drop, .failed, 0), (.hang, .failed, 1),
            (.lost, .failed, 1), (.cut, .sent, 1),
        ] as [(MessageSink.Mode, Outcome, Int)]
    )
    private func `Delivery only fails permanently if the server rejects the recipient or the message`(
        mode: MessageSink.Mode,
        expected: Outcome,
        arrived: Int
    ) async throws {
        let sink = try await MessageSink.mail(mode: mode)
        let delivery = try Post.delivery(to: sink) { if mode == .hang { $0.timeout = .seconds(1) } }
        let message = Post.message(.loginCode)
        #expect(await outcome(of: message, by: delivery) == expected)
        #expect(try await sink.reports(atLeast: arrived, as: MailReport.self).count == arrived)
    }

    @Test(arguments: [MessageSink.Mode.temporary, .drop, .hang, .lost, .sender])
    func `An e-mail is resent with the same Message-ID after an outage`(trouble: MessageSink.Mode)
        async throws
    {
        let sink = try await MessageSink.mail(mode: trouble)
        let delivery = try Post.delivery(to: sink) {
            $0.timeout = .seconds(trouble == .hang ? 2 : 30)
        }
        let message = Post.message(.loginCode)
        #expect(await outcome(of: message, by: delivery) == .failed)
        try sink.turn(.ok)
        try #require(await outcome(of: message, by: delivery) == .sent)
        try #require(await outcome(of: Post.message(.loginCode), by: delivery) == .sent)

        let isThere = trouble == .hang || trouble == .lost
        let mails = try await sink.reports(atLeast: isThere ? 3 : 2, as: MailReport.self)
        #expect(mails.count == (isThere ? 3 : 2))
        #expect(Set(mails.compactMap { $0.fields["message-id"] }).count == 2)
    }

    @Test func `Mail is sent over a new connection after the reply to an accepted message was cut off`()
        async throws
    {
        let sink = try await MessageSink.mail(mode: .cut)
        let delivery = try Post.delivery(to: sink)
        try #require(await outcome(of: Post.message(.loginCode), by: delivery) == .sent)
        try sink.turn(.ok)
        try #require(await outcome(of: Post.message(.loginCode), by: delivery) == .sent)
        #expect(try await sink.reports(atLeast: 2, as: MailReport.self).count == 2)
    }

    @Test func `Delivery fails temporarily if the mail server is not running`() async throws {
        let sink = try await MessageSink.mail()
        let closed = try Post.delivery(to: sink) { $0.port = 1 }
        #expect(await outcome(of: Post.message(.loginCode), by: closed) == .failed)
        let nowhere = try Post.delivery(to: sink) { $0.host = "mail.invalid" }
        #expect(await outcome(of: Post.message(.loginCode), by: nowhere) == .failed)
    }

    @Test func `Cancelling the task aborts the transfer`() async throws {
        let sink = try await MessageSink.mail(mode: .hang)
        let delivery = try Post.delivery(to: sink)
        let attempt = Task { await outcome(of: Post.message(.loginCode), by: delivery) }
        _ = try await sink.reports(atLeast: 1, as: MailReport.self)
        let start = ContinuousClock.now
        attempt.cancel()
        #expect(await attempt.value == .failed)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(arguments: [true, false])
    func `TLS requires a trusted certificate`(isImplicit: Bool) async throws {
        let sink = try await MessageSink.mail(isImplicit ? "--tls" : "--starttls", "--user", "shop:s3cr3t")
        let certificate = try sink.certificate
        let delivery = try Post.delivery(to: sink) { options in
            options.security = isImplicit ? .implicit : .startTLS
            options.trustedCertificates = certificate
            (options.user, options.password, options.greeting) = ("shop", "s3cr3t", "id.example.com")
        }
        try #require(await outcome(of: Post.message(.loginCode), by: delivery) == .sent)
        let mail = try #require(try await sink.reports(atLeast: 1, as: MailReport.self).first)
        #expect(mail.tls && mail.authenticated && mail.helo == "id.example.com")

        let stranger = try Post.delivery(to: sink) { $0.security = isImplicit ? .implicit : .startTLS }
        #expect(await outcome(of: Post.message(.loginCode), by: stranger) == .failed)
        let wrong = try Post.delivery(to: sink) { options in
            options.security = isImplicit ? .implicit : .startTLS
            options.trustedCertificates = certificate
            (options.user, options.password) = ("shop", "wrong")
        }
        #expect(await outcome(of: Post.message(.loginCode), by: wrong) == .failed)
        #expect(try await sink.reports(atLeast: 1, as: MailReport.self).count == 1)
    }

    @Test func `Mail is not sent in plain text if TLS is required`() async throws {
        let sink = try await MessageSink.mail()
        let delivery = try Post.delivery(to: sink) { $0.security = .startTLS }
        #expect(await outcome(of: Post.message(.loginCode), by: delivery) == .failed)
        #expect(try await sink.reports(atLeast: 0, as: MailReport.self).isEmpty)
    }

    @Test func `Messages are sent over several concurrent connections, which are reused`() async throws {
        let sink = try await MessageSink.mail()
        let delivery = try Post.delivery(to: sink) { $0.connections = 3 }
        await withTaskGroup { group in
            for _ in 0..<30 {
                group.addTask { #expect(await outcome(of: Post.message(.loginCode), by: delivery) == .sent) }
            }
        }
        let mails = try await sink.reports(atLeast: 30, as: MailReport.self)
        #expect(Set(mails.compactMap { $0.fields["message-id"] }).count == 30)
    }
}
