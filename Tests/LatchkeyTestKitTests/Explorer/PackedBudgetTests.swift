import Testing

@testable import LatchkeyTestKit

@Suite struct `Packed exploration budgets` {
    @Test func `Packed bounds can be unpacked`() throws {
        for (number, name) in ExplorerBounds.names.enumerated() {
            let bounds = try ExplorerBounds("processes=2,callers=3,\(name.name)=\(number + 1)")
            #expect(ExplorerBounds(processes: 2, callers: 3).unpacking(bounds.packed) == bounds)
        }
    }

    @Test func `A budget covers another one if none of its bounds is smaller`() throws {
        let base = try ExplorerBounds(
            ExplorerBounds.names.map { "\($0.name)=7" }.joined(separator: ",") + ",callers=0"
        )
        #expect(base.packed.covers(base.packed))
        for (_, bound) in ExplorerBounds.names {
            for other in [0, 6, 8, ExplorerBounds.unlimited] {
                let changed = base.setting(bound, to: other).packed
                #expect(base.packed.covers(changed) == (other <= 7))
                #expect(changed.covers(base.packed) == (other >= 7))
            }
        }
    }

    @Test func `A state is visited again if the new budget is larger in any bound`() {
        func budget(crashes: UInt8, losses: UInt8) -> PackedBudget {
            ExplorerBounds(processes: 1, callers: 1).setting(\.crashes, to: crashes).setting(
                \.losses,
                to: losses
            )
            .packed
        }
        var seen = VisitedStates()
        #expect(seen.insert(9, budget: budget(crashes: 1, losses: 1), parent: 0, step: 0)?.isNew == true)
        #expect(seen.insert(9, budget: budget(crashes: 1, losses: 0), parent: 0, step: 0) == nil)
        #expect(seen.insert(9, budget: budget(crashes: 0, losses: 2), parent: 0, step: 0)?.isNew == false)
        #expect(
            seen.covers(9, budget: budget(crashes: 0, losses: 2))
                && seen.covers(9, budget: budget(crashes: 1, losses: 1))
        )
        #expect(
            !seen.covers(9, budget: budget(crashes: 1, losses: 2))
                && !seen.covers(8, budget: budget(crashes: 0, losses: 0))
        )
        #expect(seen.insert(9, budget: budget(crashes: 2, losses: 2), parent: 0, step: 0)?.isNew == false)
        #expect(
            seen.covers(9, budget: budget(crashes: 1, losses: 1))
                && seen.covers(9, budget: budget(crashes: 0, losses: 2))
        )
        #expect(seen.states == 1)
        #expect(seen.origins.count == 3)
    }
}
