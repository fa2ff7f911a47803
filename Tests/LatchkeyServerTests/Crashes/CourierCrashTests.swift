import Foundation
import LatchkeyCourier
import LatchkeyModel
import TestDatabases
import TestProcesses
import Testing

/// Tests the server process by killing it while it sends messages.
@Suite(.serialized, .timeLimit(.minutes(crashMinutes))) struct `Courier recovery after a crash` {
    /// The number of rounds.
    ///
    /// `scripts/check --deep` runs 30 rounds.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 4 : 30
    private static let messages = 100

    private let folder = TemporaryFolder()
    private var data: String { folder.path + "/data" }

    private func flags(sms: MessageSink, mail: MessageSink) -> [String] {
        [
            "--log-level", "error", "--limits-codes-per-address", "100000+1/1s", "--courier-wait", "0s",
            "--limits-text-messages", "100000/1h", "--courier-calling-codes", "43,46,49",
            "--courier-kind", "http", "--courier-url", "http://127.0.0.1:\(sms.port)/sms",
            "--courier-timeout", "1s",
            "--courier-mail-kind", "smtp", "--courier-mail-url", "smtp://127.0.0.1:\(mail.port)",
            "--courier-mail-starttls", "never", "--courier-mail-from", "no-reply@example.com",
            "--courier-mail-timeout", "1s",
        ]
    }

    @Test func `No message is lost or sent with two different keys`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        let all = [Message.Channel.sms, .email].flatMap { channel in
            (0..<Self.messages * Self.rounds / 4).map { MessageTable.message($0, by: channel) }
        }
        let outbox = try await MessageTable(in: data, all)
        let (sms, mail) = (try await MessageSink.http(), try await MessageSink.mail())
        let flags = flags(sms: sms, mail: mail)

        for round in 0..<Self.rounds {
            // In every second round, the responses of the sinks are lost, too.
            for sink in [sms, mail] { try sink.turn(round % 2 == 0 ? .ok : .lost) }
            let victim = try await ServerProcess(data: data, flags: flags)
            let rows = try await outbox.rows()
            let left = all.count { $0.channel == .sms && rows[$0.id]?.status == "queued" }
            let arrived = try await sms.reports(atLeast: 0, as: HTTPReport.self).count
            // The server is killed while messages are being delivered.
            let more = min(left, Int.random(in: 1...10, using: &dice))
            _ = try await sms.reports(atLeast: arrived + more, as: HTTPReport.self)
            await victim.stop(SIGKILL)
        }
        for sink in [sms, mail] { try sink.turn(.ok) }
        let server = try await ServerProcess(data: data, flags: flags)
        for message in all {
            switch message.channel {
            case .sms: _ = try await sms.reports(of: message.id.description, as: HTTPReport.self)
            case .email: _ = try await mail.reports(of: message.id.description, as: MailReport.self)
            }
        }
        try await wait(until: "no message is queued") {
            try await outbox.rows().values.allSatisfy { $0.status != "queued" }
        }
        await server.stop(SIGTERM)

        let rows = try await outbox.rows()
        #expect(rows.count == all.count && rows.values.allSatisfy { $0.status == "sent" }, "seed \(seed)")
        let texts = try await sms.reports(atLeast: 0, as: HTTPReport.self).map {
            ($0.body["to"] ?? "", $0.key)
        }
        let mails = try await mail.reports(atLeast: 0, as: MailReport.self).map { ($0.to.joined(), $0.key) }
        let expected = Dictionary(uniqueKeysWithValues: all.map { ($0.recipient, Set([$0.id.description])) })
        #expect(Self.keys(texts + mails) == expected, "seed \(seed)")
        await outbox.close()
    }

    @Test func `The code from every acknowledged request is in the outbox`() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        let (sms, mail) = (try await MessageSink.http(), try await MessageSink.mail())
        let flags = flags(sms: sms, mail: mail)
        var accepted: Set<String> = []

        for round in 0..<Self.rounds {
            let victim = try await ServerProcess(data: data, flags: flags)
            let client = try PersonClient(victim.url)
            // The server is killed while requests are in progress.
            let enough = accepted.count / 2 + Int.random(in: 1...20, using: &dice)
            let said = await withTaskGroup { group in
                for lane in 0..<4 {
                    group.addTask {
                        var said: Set<String> = []
                        for number in 0..<10 {
                            let phone = "+43660\(1_000_000 + round * 100 + lane * 10 + number)"
                            if await client.requestCode(phone) { said.insert(phone) }
                        }
                        return said
                    }
                }
                group.addTask {
                    _ = try? await sms.reports(atLeast: enough, as: HTTPReport.self)
                    await victim.stop(SIGKILL)
                    return []
                }
                return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
            }
            accepted.formUnion(said)
        }
        let server = try await ServerProcess(data: data, flags: flags)
        var reports: [HTTPReport] = []
        while !accepted.isSubset(of: reports.compactMap { $0.body["to"] }) {
            try Task.checkCancellation()
            reports = try await sms.reports(atLeast: reports.count + 1)
        }
        await server.stop(SIGTERM)

        #expect(!accepted.isEmpty)
        let keys = Self.keys(reports.map { ($0.body["to"] ?? "", $0.key) })
        #expect(keys.values.allSatisfy { $0.count == 1 }, "seed \(seed)")
    }

    /// Groups the idempotency keys of the received messages by recipient.
    private static func keys(_ reports: [(recipient: String, key: String)]) -> [String: Set<String>] {
        reports.reduce(into: [:]) { $0[$1.recipient, default: []].insert($1.key) }
    }
}
