import LatchkeyCore
import LatchkeyTestKit
import Testing

/// What the explorer found: a second removal was asked for before the outcome of the first was known, and came when
/// another process had logged in.
@Suite struct `A removal that is owed` {
    private let bounds = ExplorerBounds(processes: 2, callers: 1)
        .with(\.logins, 2).with(\.signOuts, 1).with(\.moods, 1)

    private let way: [ExploredStep] = [
        .mood(.failing), .store(0), .signOut(0), .store(0), .accept(0, .pair), .admit(0), .store(0), .ask(0),
        .mood(.fine), .hear(0), .hear(0), .hear(0), .accept(1, .pair), .store(0), .store(1), .admit(1),
        .store(1),
        .store(0), .news(0),
    ]

    @Test func `is not asked for again before its outcome is known`() {
        let trace = SessionTrace(way, within: bounds)

        #expect(trace.violation == nil)
        #expect(trace.lines.last?.reductions.first?.event == .changed)
        #expect(trace.lines.last?.reductions.first?.effects == [])
    }

    @Test func `would otherwise meet the next login`() {
        let hasty: ExploredWorld.Reducer = { machine, event in
            guard event == .changed, let owed = machine.pendingRemoval else { return machine.reduce(event) }
            return [.remove(owed, epoch: machine.epoch)]
        }
        let trace = SessionTrace(way + [.store(0), .hear(0), .hear(0)], within: bounds, reducer: hasty)

        #expect(trace.violation == .revived)
        #expect(trace.lines.count == 22)
    }

    @Test func `is asked for again once it has failed`() {
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
