import LatchkeyTestKit
import Testing

@Suite struct `Random walks` {
    private static let wide =
        "processes=2,callers=3,asks=any,refreshes=any,signOuts=2,logins=3,crashes=3,losses=5"

    @Test func `are the same for the same seed, and others for another`() throws {
        let bounds = try ExplorerBounds(Self.wide)
        let walk = try SessionWalk(300, within: bounds, seed: 7)

        #expect(walk.steps.count == 300)
        #expect(try SessionWalk(300, within: bounds, seed: 7).steps == walk.steps)
        #expect(try SessionWalk(100, within: bounds, seed: 7).steps == Array(walk.steps.prefix(100)))
        #expect(try SessionWalk(300, within: bounds, seed: 8).steps != walk.steps)
    }

    @Test func `end when nothing more can happen`() throws {
        let walk = try SessionWalk(100, within: ExplorerBounds("processes=1,callers=1,logins=0"), seed: 1)

        #expect(walk.steps.count < 10)
        #expect(walk.worlds.last?.steps.isEmpty == true)
    }

    @Test func `take all kinds of steps within wide bounds`() throws {
        let bounds = try ExplorerBounds(
            Self.wide + ",opaqueLogins=2,departures=9,amendments=5,moods=9,overtakings=9,revocations=2"
        )
        var kinds: Set<String> = []
        for seed in 1...40 as ClosedRange<UInt64> {
            for step in try SessionWalk(250, within: bounds, seed: seed).steps {
                kinds.insert(String("\(step)".prefix { $0 != "(" }))
            }
        }

        #expect(kinds.count == 19)
    }

    @Test func `find a mistake by themselves`() {
        let mutant = SessionMutant.all[0]

        #expect(throws: ExploredViolation.self) {
            for seed in 1...2_000 as ClosedRange<UInt64> {
                _ = try SessionWalk(40, within: mutant.space, seed: seed, reducer: mutant.reducer)
            }
        }
    }
}
