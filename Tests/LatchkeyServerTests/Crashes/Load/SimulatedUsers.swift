import Foundation
import LatchkeyModel
import LatchkeyWire
import TestProcesses
import Testing

/// Several simulated users of a server that is repeatedly killed and restarted.
struct SimulatedUsers {
    /// Returns the flags for a server without limits, with cheap hashes, and with codes that are sent over
    /// HTTP.
    static func flags(_ sink: MessageSink) -> [String] {
        let provider = "http://127.0.0.1:\(sink.port)"
        let body = #"{"to": "{{to}}", "code": "{{code}}"}"#
        return [
            "--identities-default-schema", "person", "--log-level", "error",
            "--limits-codes-per-phone", "", "--limits-codes-per-address", "",
            "--limits-wrong-codes-per-phone", "",
            "--limits-failures-per-address", "", "--limits-longest-wait", "0s",
            "--limits-enrolments-per-session", "", "--registration-verification", "false",
            "--notices-enabled", "false",
            "--courier-timeout", "1s", "--courier-mail-timeout", "1s", "--courier-kind", "http",
            "--courier-url", provider + "/sms", "--courier-body", body,
            "--courier-mail-kind", "http", "--courier-mail-url", provider + "/mail", "--courier-mail-body",
            body,
        ]
    }

    private var users = (0..<12).map { SimulatedUser($0) }
    private let mailbox = CodeMailbox()

    /// Lets all users perform steps until the server is killed, and then wakes those that are waiting for a
    /// code.
    mutating func run(at client: FlowClient, for steps: Int, then end: @escaping @Sendable () async -> Void)
        async
    {
        let countdown = Countdown(from: steps)
        mailbox.setClosed(false)
        users = await withTaskGroup { [users, mailbox] group in
            for user in users {
                group.addTask {
                    var user = user
                    await user.run(client, mailbox, until: countdown) {
                        await end()
                        mailbox.setClosed(true)
                    }
                    return user
                }
            }
            return await group.reduce(into: [SimulatedUser]()) { $0.append($1) }
        }
        users.sort { $0.number < $1.number }
    }

    /// Compares all ledgers with a restarted server.
    mutating func check(at client: FlowClient, _ sink: MessageSink) async throws {
        try await drain(client, sink)
        users = await withTaskGroup { [users] group in
            for user in users {
                group.addTask {
                    var user = user
                    await user.check(client)
                    return user
                }
            }
            return await group.reduce(into: [SimulatedUser]()) { $0.append($1) }
        }
        users.sort { $0.number < $1.number }
        for index in users.indices {
            for address in [users[index].email, users[index].phone] {
                let sent = users[index].sent[address] ?? 0
                let most = sent + (users[index].maybeSent[address] ?? 0)
                if !(sent...most).contains(mailbox.count(address)) {
                    users[index].report("\(mailbox.count(address)) codes of \(sent) to \(most)")
                }
            }
        }
    }

    /// The expectations that the server has violated.
    var violations: [String] { users.flatMap(\.violations) }

    /// The number of completed steps by kind.
    var done: [String: Int] {
        users.reduce(into: [:]) { $0.merge($1.done) { $0 + $1 } }
    }

    /// The number of existing accounts.
    var accountCount: Int { users.count { $0.exists == .yes } }

    /// Collects the codes from a sink until the task is cancelled.
    func collect(from sink: MessageSink) -> Task<Void, Never> {
        Task { [mailbox] in await mailbox.collect(from: sink) }
    }

    /// Waits until all queued messages have been sent and received.
    private func drain(_ client: FlowClient, _ sink: MessageSink) async throws {
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = true
            // Messages that are being delivered may be queued again.
            for status in ["queued", "processing", "queued"] {
                let waiting = await client.messages(status: status)?.body
                isDone = isDone && waiting == .array([])
            }
        }
        let name = "barrier-\(UUID())"
        let client = try FlowClient("http://127.0.0.1:\(sink.port)")
        mailbox.setClosed(false)
        #expect(await client.deliver(["to": name, "code": "last"], key: name))
        #expect(await mailbox.code(to: name, after: 0) == "last")
    }
}
