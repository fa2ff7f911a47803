import LatchkeyAccounts
import LatchkeyCore
import LatchkeyServerKit
import LatchkeyTestKit
import Testing

extension SessionMutant: CustomTestStringConvertible {
    /// The mistake that the mutant makes.
    public var testDescription: String { mistake }
}

@Suite(.serialized) struct `Session state machine explorer` {
    /// Bounds that can be explored in a test run.
    ///
    /// `scripts/check --deep` explores larger state spaces.
    private static let spaces = [
        ExplorerBounds(processes: 2, callers: 2).setting(\.refreshes, to: 3).setting(\.lockTimeouts, to: 1),
        ExplorerBounds(processes: 2, callers: 1).setting(\.signOuts, to: 1).setting(\.refreshes, to: 1),
        ExplorerBounds(processes: 2, callers: 1).setting(\.refreshes, to: 1).setting(\.crashes, to: 1)
            .setting(\.losses, to: 1),
        ExplorerBounds(processes: 1, callers: 1)
            .setting(\.signOuts, to: 1).setting(\.refreshes, to: 1).setting(\.losses, to: 1).setting(
                \.storeFailures,
                to: 1
            ),
        ExplorerBounds(processes: 1, callers: 1).setting(\.signOuts, to: 1).setting(\.crashes, to: 1).setting(
            \.storeFailures,
            to: 1
        ),
        ExplorerBounds(processes: 2, callers: 1).setting(\.refreshes, to: 1).setting(\.sessionChanges, to: 1),
        ExplorerBounds(processes: 1, callers: 0).setting(\.logins, to: 2).setting(\.revocations, to: 1)
            .setting(\.storeFailures, to: 1),
    ]

    @Test(arguments: spaces) func `The session state machine upholds all invariants within the bounds`(
        space: ExplorerBounds
    )
        async throws
    {
        let report = try await Self.search(SessionExplorer(space))

        #expect(report.violation == nil, "\(report)")
        #expect(report.isComplete)
    }

    @Test(arguments: SessionMutant.all) func `The explorer finds a minimal trace for each mutant's violation`(
        mutant: SessionMutant
    )
        async throws
    {
        let report = try await Self.search(SessionExplorer(mutant.space, reducer: mutant.reducer))
        let violation = try #require(report.violation)

        #expect(violation.what == mutant.breaks)
        #expect(violation.trace.count == mutant.steps)
        let trace = SessionTrace(violation.trace, within: mutant.space, reducer: mutant.reducer)
        #expect(trace.violation == mutant.breaks)
        #expect(trace.lines.count == mutant.steps, "\(trace)")
    }

    @Test func `The number of workers does not affect the counts and the trace`() {
        let mutant = SessionMutant.all[3]
        for explorer in [
            SessionExplorer(Self.spaces[2]), SessionExplorer(mutant.space, reducer: mutant.reducer),
        ] {
            let reports = [1, 2, 5].map { explorer.search(workers: $0) }
            for report in reports.dropFirst() {
                #expect(report.states == reports[0].states)
                #expect(report.visits == reports[0].visits)
                #expect(report.steps == reports[0].steps)
                #expect(report.depth == reports[0].depth)
                #expect(report.violation?.trace == reports[0].violation?.trace)
            }
        }
    }

    @Test func `A state that occurs in several spaces is only counted once`() {
        let counter = StateCounter()
        let small = SessionExplorer(Self.spaces[3]).search(counter: counter)
        #expect(counter.count == small.states)
        _ = SessionExplorer(Self.spaces[3]).search(counter: counter)
        #expect(counter.count == small.states)
        let large = SessionExplorer(Self.spaces[3].setting(\.refreshes, to: 2)).search(counter: counter)
        #expect(counter.count == large.states)
    }

    @Test func `A state space with unlimited steps can be explored completely`() throws {
        let bounds = try ExplorerBounds(
            "processes=1,callers=1,refreshes=any,losses=any,crashes=any,storeFailures=any"
        )
        let report = SessionExplorer(bounds).search(limit: 50_000)

        #expect(report.isComplete)
        #expect(report.violation == nil)
    }

    /// Searches on a low-priority thread because other tests share the cores.
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
