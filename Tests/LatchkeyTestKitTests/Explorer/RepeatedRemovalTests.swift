import LatchkeyCore
import LatchkeyTestKit
import Testing

/// A fault that the explorer found: the machine requested a second removal before it knew the outcome of the
/// first one, and the second removal ran after another process had logged in.
@Suite struct `Pending removals` {
    private let bounds = ExplorerBounds(processes: 2, callers: 1)
        .setting(\.logins, to: 2).setting(\.signOuts, to: 1).setting(\.storeFailures, to: 1)

    private let way: [ModelStep] = [
        .setStoreCondition(.failing), .performStoreOperation(0), .signOut(0), .performStoreOperation(0),
        .acceptLogin(0, .pair), .completeLogin(0), .performStoreOperation(0), .requestAccess(0),
        .setStoreCondition(.available), .receiveStoreResult(0), .receiveStoreResult(0),
        .receiveStoreResult(0), .acceptLogin(1, .pair), .performStoreOperation(0), .performStoreOperation(1),
        .completeLogin(1),
        .performStoreOperation(1),
        .performStoreOperation(0), .receiveChange(0),
    ]

    @Test func `A second removal is not requested before the outcome of the first is known`() {
        let trace = SessionTrace(way, within: bounds)

        #expect(trace.violation == nil)
        #expect(trace.lines.last?.reductions.first?.event == .changed)
        #expect(trace.lines.last?.reductions.first?.effects == [])
    }

    @Test func `If the second removal started too early, it would remove the next login`() {
        let hasty: ModelState.Reducer = { machine, event in
            guard event == .changed, let owed = machine.pendingRemoval else { return machine.reduce(event) }
            return [.remove(owed, epoch: machine.epoch)]
        }
        let trace = SessionTrace(
            way + [.performStoreOperation(0), .receiveStoreResult(0), .receiveStoreResult(0)],
            within: bounds,
            reducer: hasty
        )

        #expect(trace.violation == .revived)
        #expect(trace.lines.count == 22)
    }

    @Test func `A failed removal is requested again`() {
        var machine = SessionMachine()
        #expect(machine.reduce(.signedOut).contains(.remove(.anything, epoch: 1)))
        #expect(machine.reduce(.changed) == [])
        #expect(machine.reduce(.removalFailed(epoch: 0)) == [])
        #expect(machine.reduce(.changed) == [])
        #expect(machine.reduce(.removalFailed(epoch: 1)) == [])
        #expect(machine.reduce(.changed) == [.remove(.anything, epoch: 1)])
        #expect(machine.reduce(.removed(epoch: 1)) == [.read(epoch: 1, refreshRead: nil)])
    }
}
