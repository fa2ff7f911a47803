import Foundation
import Glibc
import LatchkeyModel

extension Bench {
    /// The number of revocations whose delay is measured.
    private static let revocations = 200

    /// Measures how much memory idle event streams use, the latency of whoami while they are open, and the
    /// time between a revocation and its event.
    func streams(_ count: Int) throws {
        var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let server = try server()
        defer { server.stop() }
        let token = try Work.register(try BlockingConnection(port: server.port), person: 3_000_000)
        _ = try server.ask("fill \(count + 2 * Self.revocations)")
        // The first run warms up the caches, the threads and the code for streams, and isn't reported.
        _ = try measure(server, connections: 16, work: Work.whoami(token))
        _ = try (0..<20).map { try StreamConnection(port: server.port, token: SessionFill.token($0)) }
        Report.line("\n" + Report.header)
        let alone = try row("whoami alone", on: server, connections: 16) { _ in Work.whoami(token) }
        let before = try server.usage.memory
        var open: [StreamConnection] = []
        for number in 0..<count {
            open.append(try StreamConnection(port: server.port, token: SessionFill.token(number)))
        }
        let opened = try server.usage.memory - before
        let loaded = try row("whoami with \(count) event streams", on: server, connections: 16) { _ in
            Work.whoami(token)
        }
        // We wait until every stream has sent comments.
        Thread.sleep(forTimeInterval: 35)
        let after = try server.usage.memory - before
        guard let one = Measurement.median(alone), let many = Measurement.median(loaded) else { return }
        Report.summary(
            "relative to the first row: throughput %.2f, p99 %.2f; KiB per stream: %.2f when opened, %.2f after comments",
            values: many.perSecond / one.perSecond,
            Double(many.p99) / Double(one.p99),
            Double(opened) / Double(count),
            Double(after) / Double(count)
        )
        try delays(from: server, to: server, first: count, "on the same node, with \(count) streams")
        guard Self.database != nil else { return }
        let other = try self.server(joining: true)
        defer { other.stop() }
        try delays(from: server, to: other, first: count + Self.revocations, "on another node")
        _ = open
    }

    /// Reports the time between a logout request and the arrival of the event.
    private func delays(
        from revoking: ServerProcess,
        to following: ServerProcess,
        first: Int,
        _ name: String
    ) throws {
        let connection = try BlockingConnection(port: revoking.port)
        var delays: [Double] = []
        for number in first..<(first + Self.revocations) {
            let token = SessionFill.token(number)
            let stream = try StreamConnection(port: following.port, token: token)
            // The node starts listening for events when its first stream is opened.
            if number == first { Thread.sleep(forTimeInterval: 1) }
            let start = ContinuousClock.now
            let answer = try connection.exchange(
                "DELETE",
                target: "/a/self-service/logout/api",
                body: #"{"session_token":"\#(token)"}"#
            )
            guard answer.status == 204 else { throw BlockingConnection.Failure(what: "unexpected response") }
            try stream.wait(for: "event: session_ended")
            delays.append(Double((ContinuousClock.now - start).wholeMicroseconds) / 1000)
        }
        Report.summary(
            "from a revocation to the event \(name): median %.1f ms, maximum %.1f ms",
            values: delays.median,
            delays.max() ?? 0
        )
    }
}
