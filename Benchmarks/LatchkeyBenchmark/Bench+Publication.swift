import Foundation
import Glibc
import LatchkeyModel

extension Bench {
    /// Publishes terms to open event streams, each of which then reads its session as an app does.
    ///
    /// The spread of the events, the latency of the reads and the server's memory are reported.
    func publication(_ count: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let server = try server()
        defer { server.stop() }
        let reader = try BlockingConnection(port: server.port)
        _ = try Work.register(reader, person: 3_000_000)
        _ = try server.ask("fill \(count)")
        let empty = try server.usage.memory
        let streams = try (0..<count).map {
            try StreamConnection(port: server.port, token: SessionFill.token($0))
        }
        let before = try server.usage
        let start = ContinuousClock.now
        guard try server.ask(BenchTerms.command) == "published" else {
            throw BlockingConnection.Failure(what: "the terms were not published")
        }
        var reads = Latencies()
        var seconds: [Int] = []
        try StreamConnection.wait(for: "event: duties_changed", on: streams) { number in
            let arrival = ContinuousClock.now
            seconds.append(Int((arrival - start).components.seconds))
            let answer = try reader.exchange(
                "GET",
                target: "/a/sessions/whoami",
                headers: "X-Session-Token: \(SessionFill.token(number))\r\n"
            )
            guard answer.status == 200 else { return reads.addError() }
            reads.add((ContinuousClock.now - arrival).wholeMicroseconds)
        }
        let after = try server.usage
        var histogram: [Int: Int] = [:]
        for second in seconds { histogram[second, default: 0] += 1 }
        Report.line(
            "\n| event streams | first s | last s | most in one second | whoami p50 µs | p99 µs | errors |\n"
                + "|---|---|---|---|---|---|---|"
        )
        let cells = [
            count, seconds.min() ?? 0, seconds.max() ?? 0, histogram.values.max() ?? 0,
            Int(reads.percentile(0.5)), Int(reads.percentile(0.99)), reads.errors,
        ]
        Report.line("| " + cells.map(String.init).joined(separator: " | ") + " |")
        Report.line(
            "Server memory in KiB: \(empty) without streams, \(before.memory) with streams, \(after.memory) at the end; "
                + "CPU time for the publication: \((after.process - before.process) / 1000) ms."
        )
    }
}
