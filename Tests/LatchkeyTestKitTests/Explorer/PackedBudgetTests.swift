import Testing

@testable import LatchkeyTestKit

@Suite struct `What may still happen` {
    @Test func `is unpacked as it was packed`() throws {
        for (number, name) in ExplorerBounds.names.enumerated() {
            let bounds = try ExplorerBounds("processes=2,callers=3,\(name.name)=\(number + 1)")
            #expect(PackedBudget(bounds).bounds(ExplorerBounds(processes: 2, callers: 3)) == bounds)
        }
    }

    @Test func `covers as much and less, of each thing`() throws {
        let base = try ExplorerBounds(
            ExplorerBounds.names.map { "\($0.name)=7" }.joined(separator: ",") + ",callers=0"
        )
        #expect(PackedBudget(base).covers(PackedBudget(base)))
        for (_, bound) in ExplorerBounds.names {
            for other in [0, 6, 8, ExplorerBounds.unlimited] {
                let changed = PackedBudget(base.with(bound, other))
                #expect(PackedBudget(base).covers(changed) == (other <= 7))
                #expect(changed.covers(PackedBudget(base)) == (other >= 7))
            }
        }
    }

    @Test func `brings a world back when it is more of one thing, and not when it is less of all`() {
        func budget(_ crashes: UInt8, _ losses: UInt8) -> PackedBudget {
            PackedBudget(
                ExplorerBounds(processes: 1, callers: 1).with(\.crashes, crashes).with(\.losses, losses)
            )
        }
        var seen = SeenWorlds()
        #expect(seen.insert(9, budget(1, 1), parent: 0, step: 0)?.isNew == true)
        #expect(seen.insert(9, budget(1, 0), parent: 0, step: 0) == nil)
        #expect(seen.insert(9, budget(0, 2), parent: 0, step: 0)?.isNew == false)
        #expect(seen.covers(9, budget(0, 2)) && seen.covers(9, budget(1, 1)))
        #expect(!seen.covers(9, budget(1, 2)) && !seen.covers(8, budget(0, 0)))
        #expect(seen.insert(9, budget(2, 2), parent: 0, step: 0)?.isNew == false)
        #expect(seen.covers(9, budget(1, 1)) && seen.covers(9, budget(0, 2)))
        #expect(seen.worlds == 1)
        #expect(seen.origins.count == 3)
    }
}
