import LatchkeyCore
import LatchkeyServerCore
import LatchkeyTestKit
import Testing

extension SessionMutant: CustomTestStringConvertible {
    /// The mistake.
    public var testDescription: String { mistake }
}

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
        let trace = SessionTrace(violation.trace, within: mutant.space, reducer: mutant.reducer)
        #expect(trace.violation == mutant.breaks)
        #expect(trace.lines.count == mutant.steps, "\(trace)")
    }

    @Test func `gives the same counts and the same trace with any number of workers`() {
        let mutant = SessionMutant.all[3]
        for explorer in [
            SessionExplorer(Self.spaces[2]), SessionExplorer(mutant.space, reducer: mutant.reducer),
        ] {
            let reports = [1, 2, 5].map { explorer.search(workers: $0) }
            for report in reports.dropFirst() {
                #expect(report.worlds == reports[0].worlds)
                #expect(report.visits == reports[0].visits)
                #expect(report.steps == reports[0].steps)
                #expect(report.depth == reports[0].depth)
                #expect(report.violation?.trace == reports[0].violation?.trace)
            }
        }
    }

    @Test func `counts a world once in however many spaces it is`() {
        let tally = WorldTally()
        let small = SessionExplorer(Self.spaces[3]).search(tally: tally)
        #expect(tally.count == small.worlds)
        _ = SessionExplorer(Self.spaces[3]).search(tally: tally)
        #expect(tally.count == small.worlds)
        let large = SessionExplorer(Self.spaces[3].with(\.refreshes, 2)).search(tally: tally)
        #expect(tally.count == large.worlds)
    }

    @Test func `finds the end of a space in which things happen as often as they like`() throws {
        let bounds = try ExplorerBounds(
            "processes=1,callers=1,refreshes=any,losses=any,crashes=any,moods=any"
        )
        let report = SessionExplorer(bounds).search(limit: 50_000)

        #expect(report.isComplete)
        #expect(report.violation == nil)
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
