import Foundation
import LatchkeyModel

extension Bench {
    /// Measures an app's authorized requests, compared with the same requests sent directly by the transport.
    func authorizedRequests() async throws {
        let server = try ServerProcess(["floor", "1000"], core: 0)
        defer { server.stop() }
        let requests = try AuthorizedRequests(port: server.port)
        Report.line(
            "\n| Client, one request at a time | bare p50 µs | authorized p50 µs | overhead | grant / session |"
        )
        Report.line("|---|---|---|---|---|")
        for round in 1...Self.rounds {
            let (bare, authorized, granted) = try await requests.run(10_000)
            let (ours, theirs) = (authorized / .microseconds(1), bare / .microseconds(1))
            Report.line(
                String(
                    format: "| round %d | %.1f | %.1f | %.1f %% | %.3f |",
                    round,
                    theirs,
                    ours,
                    (ours / theirs - 1) * 100,
                    granted / authorized
                )
            )
        }
        Report.line(
            "\n| Client, without a refresh | dictionary lookup ns | authorization(for:) ns |\n|---|---|---|"
        )
        for round in 1...Self.rounds {
            let (lookup, authorization) = try await requests.authorizations(100_000)
            let (theirs, ours) = (lookup / .nanoseconds(1), authorization / .nanoseconds(1))
            Report.line(String(format: "| round %d | %.0f | %.0f |", round, theirs, ours))
        }
    }

    /// Measures the start of an app that restores a session, compared with the start of an empty program.
    func restoredSession() throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-restore-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = RestoredSession(folder: folder.path())
        try program.prepare()
        Report.line(
            "\n| Client, start of a program | empty ms | with a restored session ms | difference ms | grant / session |"
        )
        Report.line("|---|---|---|---|---|")
        for round in 1...Self.rounds {
            let (empty, restored, granted) = try program.measure(31)
            let (theirs, ours) = (empty / .milliseconds(1), restored / .milliseconds(1))
            Report.line(
                String(
                    format: "| round %d | %.2f | %.2f | %.2f | %.3f |",
                    round,
                    theirs,
                    ours,
                    ours - theirs,
                    granted / restored
                )
            )
        }
    }
}
