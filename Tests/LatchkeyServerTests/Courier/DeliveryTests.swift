import Foundation
import LatchkeyCourier
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import TestProcesses
import Testing

@testable import LatchkeyServer

/// Tests the server's courier with real receivers.
///
/// The delays between attempts pass on a virtual clock.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `Delivery to an unreliable provider` {
    /// The ways to deliver a message.
    enum DeliveryKind: String, CaseIterable, Sendable {
        case sms, mail, mailByHTTP

        var channel: Message.Channel { self == .sms ? .sms : .email }

        func sink(_ mode: MessageSink.Mode) async throws -> MessageSink {
            self == .mail ? try await .mail(mode: mode) : try await .http(mode: mode)
        }

        /// Configures delivery to a port with a timeout for each attempt.
        func configure(_ courier: inout CourierSettings, port: Int, timeout: Duration) {
            switch self {
            case .sms:
                courier.kind = .http
                courier.url = "http://127.0.0.1:\(port)/sms"
                courier.timeout = timeout
            case .mail:
                courier.mail.kind = .smtp
                courier.mail.url = "smtp://127.0.0.1:\(port)"
                courier.mail.startTLS = .never
                courier.mail.from = "no-reply@example.com"
                courier.mail.timeout = timeout
            case .mailByHTTP:
                courier.mail.kind = .http
                courier.mail.url = "http://127.0.0.1:\(port)/mail"
                courier.mail.timeout = timeout
            }
        }
    }

    @Test(arguments: DeliveryKind.allCases, [MessageSink.Mode.temporary, .credentials, .hang, .drop, .lost])
    func `Delivery succeeds when the provider recovers and uses the same idempotency key`(
        kind: DeliveryKind,
        trouble: MessageSink.Mode
    ) async throws {
        let folder = TemporaryFolder()
        let message = MessageTable.message(1, by: kind.channel)
        let outbox = try await MessageTable(in: folder.path + "/data", [message])
        let sink = try await kind.sink(trouble)
        let (server, time) = try await start(
            folder,
            kind,
            sink,
            timeout: trouble == .hang ? .seconds(1) : .seconds(30)
        )

        let attempts = try await pass(time, outbox, message) { $0.attempts >= 2 && !$0.isLeased }.attempts
        try sink.turn(.ok)
        let row = try await pass(time, outbox, message) { $0.status != "queued" }
        #expect(row.status == "sent" && row.attempts > attempts)

        // If the receiver hangs or its response is lost, it has already received the message.
        let hadIt = trouble == .hang || trouble == .lost
        let keys = try await keys(of: kind, at: sink, atLeast: hadIt ? 2 : 1)
        #expect(Set(keys) == [message.id.description] && keys.count <= (hadIt ? Int(row.attempts) : 1))
        await server.stop()
        await outbox.close()
    }

    @Test(arguments: DeliveryKind.allCases)
    func `Delivery ends when the provider permanently rejects the message`(kind: DeliveryKind) async throws {
        let folder = TemporaryFolder()
        let message = MessageTable.message(1, by: kind.channel)
        let outbox = try await MessageTable(in: folder.path + "/data", [message])
        let sink = try await kind.sink(.permanent)
        let (server, time) = try await start(folder, kind, sink, timeout: .seconds(30))

        let row = try await pass(time, outbox, message) { $0.status != "queued" }
        #expect(row.status == "abandoned" && row.attempts == 1)
        await server.stop()
        await outbox.close()
    }

    @Test(arguments: DeliveryKind.allCases)
    func `A message is sent once if the rest of the provider's positive response is lost`(kind: DeliveryKind)
        async throws
    {
        let folder = TemporaryFolder()
        let message = MessageTable.message(1, by: kind.channel)
        let outbox = try await MessageTable(in: folder.path + "/data", [message])
        let sink = try await kind.sink(.cut)
        let (server, time) = try await start(folder, kind, sink, timeout: .seconds(30))

        let row = try await pass(time, outbox, message) { $0.status != "queued" }
        #expect(row.status == "sent" && row.attempts == 1)
        #expect(try await keys(of: kind, at: sink, atLeast: 1) == [message.id.description])
        await server.stop()
        await outbox.close()
    }

    @Test func `A failing channel does not delay messages on other channels`() async throws {
        let folder = TemporaryFolder()
        let mails = (1...3).map { MessageTable.message($0, by: .email) }
        let texts = (1...20).map { MessageTable.message($0, by: .sms) }
        let outbox = try await MessageTable(in: folder.path + "/data", mails + texts)
        let (mailSink, smsSink) = (try await MessageSink.mail(mode: .hang), try await MessageSink.http())
        let (server, _) = try await start(folder, .sms, smsSink, timeout: .seconds(30)) { courier in
            DeliveryKind.mail.configure(&courier, port: mailSink.port, timeout: .seconds(3))
        }

        let reports = try await smsSink.reports(atLeast: 20, as: HTTPReport.self)
        #expect(Set(reports.map(\.key)) == Set(texts.map(\.id.description)))
        let rows = try await outbox.rows()
        #expect(mails.allSatisfy { rows[$0.id]?.status == "queued" })
        await server.stop()
        await outbox.close()
    }

    private func start(
        _ folder: TemporaryFolder,
        _ kind: DeliveryKind,
        _ sink: MessageSink,
        timeout: Duration,
        _ change: (inout CourierSettings) -> Void = { _ in }
    ) async throws -> (IdentityServer, VirtualTime) {
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.logLevel = .error
        configuration.courier.workers = 1
        kind.configure(&configuration.courier, port: sink.port, timeout: timeout)
        change(&configuration.courier)
        let time = VirtualTime(now: SystemTime().now)
        let parts = ServerParts(
            time: time,
            random: SystemRandom(),
            log: Log(.error, time: time, to: { _ in }),
            terminal: { _ in }
        )
        let server = IdentityServer(configuration: configuration, parts: parts)
        try await server.start()
        return (server, time)
    }

    /// Advances the clock whenever both workers and the cleanup are sleeping, until the message has the given
    /// status.
    private func pass(
        _ time: VirtualTime,
        _ outbox: MessageTable,
        _ message: Message,
        until isThere: (MessageTable.Row) -> Bool
    ) async throws -> MessageTable.Row {
        while true {
            try Task.checkCancellation()
            let row = try #require(try await outbox.rows()[message.id])
            if isThere(row) { return row }
            await time.sleepers(atLeast: 3)
            time.advance(by: .milliseconds(500))
        }
    }

    private func keys(of kind: DeliveryKind, at sink: MessageSink, atLeast count: Int) async throws
        -> [String]
    {
        switch kind {
        case .mail: try await sink.reports(atLeast: count, as: MailReport.self).map(\.key)
        case .sms, .mailByHTTP: try await sink.reports(atLeast: count, as: HTTPReport.self).map(\.key)
        }
    }
}
