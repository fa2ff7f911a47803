import Foundation
import LatchkeyTestKit

/// Searches the worlds of the session machine within wide bounds; `scripts/check --deep` runs it.
@main
struct Explorer {
    /// Each leaves out something that another has, for all of it together is more than a machine can hold.
    private static let spaces: [ExplorerBounds] = [
        ExplorerBounds(processes: 2, callers: 3)
            .with(\.signOuts, 1).with(\.refreshes, 2).with(\.losses, 1).with(\.overtakings, 1),
        ExplorerBounds(processes: 2, callers: 2)
            .with(\.signOuts, 1).with(\.refreshes, 2).with(\.crashes, 1).with(\.moods, 1),
        ExplorerBounds(processes: 2, callers: 1)
            .with(\.logins, 2).with(\.signOuts, 1).with(\.refreshes, 1).with(\.revocations, 1),
        ExplorerBounds(processes: 2, callers: 1)
            .with(\.logins, 2).with(\.signOuts, 1).with(\.crashes, 1).with(\.moods, 1),
        ExplorerBounds(processes: 2, callers: 3)
            .with(\.refreshes, 4).with(\.crashes, 1).with(\.losses, 1).with(\.overtakings, 2),
    ]

    static func main() {
        let start = ContinuousClock.now
        var (worlds, steps) = (0, 0)
        for (number, space) in spaces.enumerated() {
            print("space \(number + 1) of \(spaces.count): \(space)")
            let report = SessionExplorer(space).search { report in
                guard report.depth % 5 == 0 else { return }
                print("  depth \(report.depth): \(report.worlds) worlds, \(ContinuousClock.now - start)")
            }
            if let (what, trace) = report.violation {
                print("VIOLATION: \(what), after \(trace.count) steps:")
                for step in trace { print("  \(step)") }
                exit(1)
            }
            print("  \(report.worlds) worlds, \(report.steps) steps, depth \(report.depth): no violation")
            worlds += report.worlds
            steps += report.steps
        }
        print("\(worlds) worlds in all, \(steps) steps, no violation, \(ContinuousClock.now - start)")
    }
}
