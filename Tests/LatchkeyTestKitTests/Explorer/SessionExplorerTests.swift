import LatchkeyCore
import LatchkeyServerCore
import LatchkeyTestKit
import Testing

@Suite(.serialized) struct `The session machine, explored` {
    /// Bounds that a test run has the time for; `scripts/check --deep` goes further.
    private static let spaces = [
        ExplorerBounds(processes: 2, callers: 2).with(\.refreshes, 3).with(\.overtakings, 1),
        ExplorerBounds(processes: 2, callers: 1).with(\.signOuts, 1).with(\.refreshes, 1),
        ExplorerBounds(processes: 2, callers: 1).with(\.refreshes, 1).with(\.crashes, 1).with(\.losses, 1),
        ExplorerBounds(processes: 1, callers: 1)
            .with(\.signOuts, 1).with(\.refreshes, 1).with(\.losses, 1).with(\.moods, 1),
        ExplorerBounds(processes: 1, callers: 1).with(\.signOuts, 1).with(\.crashes, 1).with(\.moods, 1),
        ExplorerBounds(processes: 2, callers: 1).with(\.refreshes, 1).with(\.amendments, 1),
        ExplorerBounds(processes: 1, callers: 0).with(\.logins, 2).with(\.revocations, 1).with(\.moods, 1),
    ]

    @Test(arguments: spaces) func `holds its invariants in every world within bounds`(space: ExplorerBounds)
        async throws
    {
        let report = try await Self.search(SessionExplorer(space))

        #expect(report.violation == nil, "\(report)")
        #expect(report.isComplete)
    }

    @Test(arguments: SessionMutant.all) func `does not hold them with a mistake`(mutant: SessionMutant)
        async throws
    {
        let report = try await Self.search(SessionExplorer(mutant.space, reducer: mutant.reducer))
        let violation = try #require(report.violation)

        #expect(violation.what == mutant.breaks)
        #expect(violation.trace.count == mutant.steps)
    }

    /// Searches on a thread that steps back behind the other tests, which share two cores.
    private static func search(_ explorer: SessionExplorer) async throws -> SessionExplorer.Report {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkThread.Refused) {
                _ = try WorkThread(niceness: 15) {
                    continuation.resume(returning: explorer.search(limit: 100_000))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
