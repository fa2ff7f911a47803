import LatchkeyTestKit
import Testing

@Suite struct `Random walks through the session machine` {
    private static let wide =
        "processes=2,callers=3,requests=any,refreshes=any,signOuts=2,logins=3,crashes=3,losses=5"

    @Test func `The same seed generates the same walk`() throws {
        let bounds = try ExplorerBounds(Self.wide)
        let walk = try SessionWalk(300, within: bounds, seed: 7)

        #expect(walk.steps.count == 300)
        #expect(try SessionWalk(300, within: bounds, seed: 7).steps == walk.steps)
        #expect(try SessionWalk(100, within: bounds, seed: 7).steps == Array(walk.steps.prefix(100)))
        #expect(try SessionWalk(300, within: bounds, seed: 8).steps != walk.steps)
    }

    @Test func `A walk ends in a state in which no step is possible`() throws {
        let walk = try SessionWalk(100, within: ExplorerBounds("processes=1,callers=1,logins=0"), seed: 1)

        #expect(walk.steps.count < 10)
        #expect(walk.states.last?.steps.isEmpty == true)
    }

    @Test func `A random walk takes every kind of step if the bounds are wide`() throws {
        let bounds = try ExplorerBounds(
            Self.wide
                + ",opaqueLogins=2,cancellations=9,sessionChanges=5,storeFailures=9,lockTimeouts=9,revocations=2"
        )
        var kinds: Set<String> = []
        for seed in 1...40 as ClosedRange<UInt64> {
            for step in try SessionWalk(250, within: bounds, seed: seed).steps {
                kinds.insert(String("\(step)".prefix { $0 != "(" }))
            }
        }

        #expect(kinds.count == 19)
    }

    @Test func `A random walk finds a mutant's violation`() {
        let mutant = SessionMutant.all[0]

        #expect(throws: InvariantViolation.self) {
            for seed in 1...2_000 as ClosedRange<UInt64> {
                _ = try SessionWalk(40, within: mutant.space, seed: seed, reducer: mutant.reducer)
            }
        }
    }
}
