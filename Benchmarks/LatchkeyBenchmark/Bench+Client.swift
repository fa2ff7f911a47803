import Foundation
import LatchkeyModel

extension Bench {
    /// An app's authorized requests, compared with the same requests sent by the bare transport.
    func authorizedRequests() async throws {
        let server = try ServerProcess(["floor", "1000"], core: 0)
        defer { server.stop() }
        let requests = try AuthorizedRequests(port: server.port)
        Report.line("\n| Client, one request at a time | bare p50 µs | authorized p50 µs | overhead |")
        Report.line("|---|---|---|---|")
        for round in 1...Self.rounds {
            let (bare, authorized) = try await requests.run(10_000)
            let (ours, theirs) = (authorized / .microseconds(1), bare / .microseconds(1))
            Report.line(
                String(
                    format: "| round %d | %.1f | %.1f | %.1f %% |",
                    round,
                    theirs,
                    ours,
                    (ours / theirs - 1) * 100
                )
            )
        }
    }
}
