import LatchkeyCore
import LatchkeyTestKit
import Testing

@Suite struct `The session machine, explored` {
    /// Bounds that a test run has the time for; `scripts/check --deep` goes further.
    private static let spaces = [
        ExplorerBounds(processes: 2, callers: 2).with(\.refreshes, 3).with(\.overtakings, 1),
        ExplorerBounds(processes: 2, callers: 1).with(\.signOuts, 1).with(\.refreshes, 1),
        ExplorerBounds(processes: 2, callers: 1).with(\.refreshes, 1).with(\.crashes, 1).with(\.losses, 1),
        ExplorerBounds(processes: 1, callers: 1)
            .with(\.signOuts, 1).with(\.refreshes, 1).with(\.losses, 1).with(\.moods, 1),
        ExplorerBounds(processes: 1, callers: 1).with(\.signOuts, 1).with(\.crashes, 1).with(\.moods, 1),
    ]

    @Test(arguments: spaces) func `holds its invariants in every world within bounds`(space: ExplorerBounds) {
        let report = SessionExplorer(space).search()

        #expect(report.violation == nil, "\(report)")
        #expect(report.isComplete)
    }

    @Test(arguments: SessionMutant.all) func `does not hold them with a mistake`(mutant: SessionMutant) throws
    {
        let report = SessionExplorer(mutant.space, reducer: mutant.reducer).search(limit: 100_000)
        let violation = try #require(report.violation)

        #expect(violation.what == mutant.breaks)
        #expect(violation.trace.count == mutant.steps)
    }

    @Test func `is explored the same way each time`() {
        let space = Self.spaces[3]
        let (first, second) = (SessionExplorer(space).search(), SessionExplorer(space).search())

        #expect(first.worlds == second.worlds && first.steps == second.steps && first.depth == second.depth)
    }
}
