import Foundation
import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire
import TestProcesses
import Testing

/// A number of simulated users of one server, which is killed and restarted again and again.
struct Village {
    /// Returns the flags of the server: no limits, cheap hashes, codes by HTTP.
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

    private var lives = (0..<12).map { Life($0) }
    private let post = Postbox()

    /// Runs all users until the server is killed, and ends all waits then.
    mutating func live(at client: FlowClient, for steps: Int, then end: @escaping @Sendable () async -> Void)
        async
    {
        let fuse = Fuse(length: steps)
        post.shut(false)
        lives = await withTaskGroup { [lives, post] group in
            for life in lives {
                group.addTask {
                    var life = life
                    await life.go(client, post, burning: fuse) {
                        await end()
                        post.shut(true)
                    }
                    return life
                }
            }
            return await group.reduce(into: [Life]()) { $0.append($1) }
        }
        lives.sort { $0.number < $1.number }
    }

    /// Compares all ledgers with a restarted server.
    mutating func check(at client: FlowClient, _ sink: MessageSink) async throws {
        try await drain(client, sink)
        lives = await withTaskGroup { [lives] group in
            for life in lives {
                group.addTask {
                    var life = life
                    await life.check(client)
                    return life
                }
            }
            return await group.reduce(into: [Life]()) { $0.append($1) }
        }
        lives.sort { $0.number < $1.number }
        for index in lives.indices {
            for address in [lives[index].email, lives[index].phone] {
                let sent = lives[index].sent[address] ?? 0
                let most = sent + (lives[index].maybeSent[address] ?? 0)
                if !(sent...most).contains(post.count(address)) {
                    lives[index].complain("\(post.count(address)) codes of \(sent) to \(most)")
                }
            }
        }
    }

    /// The violated expectations.
    var troubles: [String] { lives.flatMap(\.troubles) }

    /// The number of completed steps by kind.
    var done: [String: Int] {
        lives.reduce(into: [:]) { $0.merge($1.done) { $0 + $1 } }
    }

    /// The number of existing accounts.
    var population: Int { lives.count { $0.isThere == .yes } }

    /// Collects the codes of a sink until the task is cancelled.
    func collect(from sink: MessageSink) -> Task<Void, Never> {
        Task { [post] in await post.collect(from: sink) }
    }

    /// Waits until all queued messages were sent and received.
    private func drain(_ client: FlowClient, _ sink: MessageSink) async throws {
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = true
            // Messages in delivery may be queued again.
            for status in ["queued", "processing", "queued"] {
                let waiting = await client.messages(status: status)?.body
                isDone = isDone && waiting == .array([])
            }
        }
        let name = "barrier-\(UUID())"
        let client = try FlowClient("http://127.0.0.1:\(sink.port)")
        post.shut(false)
        #expect(await client.deliver(["to": name, "code": "last"], key: name))
        #expect(await post.code(to: name, after: 0) == "last")
    }
}
