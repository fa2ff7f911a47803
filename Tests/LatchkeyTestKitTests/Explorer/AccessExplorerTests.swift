import LatchkeyCore
import LatchkeyServerKit
import LatchkeyTestKit
import Testing

extension AccessMutant: CustomTestStringConvertible {
    /// The mistake that the mutant makes.
    public var testDescription: String { mistake }
}

@Suite(.serialized) struct `Access state machine explorer` {
    /// Bounds that can be explored in a test run.
    ///
    /// `scripts/check --deep` explores larger state spaces.
    private static let spaces = [
        "processes=2,callers=2,otherLogins=1,signOuts=1,cancellations=1,dismissals=1",
        "processes=1,callers=2,requests=3,logins=2,duties=2,otherLogins=1,sessionEnds=2,failedActions=2,dismissals=1",
        "processes=2,callers=1,requests=2,otherLogins=1,crashes=1,storeFailures=1,missingPresenters=1",
        "processes=1,callers=3,requests=5,duties=1,cancellations=2,dismissals=2,missingPresenters=1,signOuts=1",
    ]

    @Test(arguments: spaces) func `The access state machine upholds all invariants within the bounds`(
        space: String
    ) async throws {
        let bounds = try AccessBounds(space)
        let report = try await Self.search(StateExplorer<AccessModel>(bounds))

        if let violation = report.violation {
            Issue.record("\(violation.what)\n\(AccessTrace(violation.trace, within: bounds))")
        }
        #expect(report.isComplete)
        #expect(report.states > 1000, "\(report)")
    }

    @Test(arguments: AccessMutant.all) func `The explorer finds a minimal trace for each mutant's violation`(
        mutant: AccessMutant
    ) async throws {
        let report = try await Self.search(
            StateExplorer<AccessModel>(mutant.space, reducer: mutant.reducer)
        )
        let violation = try #require(report.violation)

        let trace = AccessTrace(violation.trace, within: mutant.space, reducer: mutant.reducer)
        #expect(violation.what == mutant.breaks, "\(trace)")
        #expect(violation.trace.count == mutant.steps, "\(trace)")
        #expect(trace.violation == mutant.breaks)
    }

    @Test func `Every kind of violation is caused by at least one mutant`() {
        let broken = Set(AccessMutant.all.map(\.breaks))

        for violation in AccessViolation.allCases { #expect(broken.contains(violation), "\(violation)") }
    }

    @Test func `Printed bounds can be parsed`() throws {
        let text = "processes=2,callers=3,requests=4,logins=any,duties=1,crashes=14"

        #expect(try AccessBounds(text).description == text)
        #expect(throws: BoundsParseError.self) { try AccessBounds("refreshes=1") }
    }

    @Test func `Packed bounds can be unpacked`() throws {
        for (number, name) in AccessBounds.names.enumerated() {
            let bounds = try AccessBounds("processes=2,callers=3,\(name.name)=\(number + 1)")
            #expect(AccessBounds(processes: 2, callers: 3).unpacking(bounds.packed) == bounds)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `A state can be encoded and decoded without loss`(seed: UInt64) throws {
        for state in try Self.walk(seed: seed) {
            let twin = AccessModel(canonical: state.canonical[...], budget: state.budget)
            #expect(twin.canonical == state.canonical)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Decoding a state preserves its successors`(seed: UInt64) throws {
        for state in try Self.walk(seed: seed) {
            let twin = AccessModel(canonical: state.canonical[...], budget: state.budget)
            #expect(try Self.successors(of: twin) == Self.successors(of: state))
        }
    }

    /// Returns the states visited by a random walk.
    private static func walk(seed: UInt64) throws -> [AccessModel] {
        let random = SeededRandom(seed: seed)
        var state = AccessModel(
            try AccessBounds(
                "processes=2,callers=4,requests=any,logins=3,duties=2,otherLogins=3,signOuts=3,sessionEnds=3,"
                    + "failedActions=9,cancellations=9,dismissals=9,missingPresenters=3,crashes=2,storeFailures=2"
            )
        )
        var states: [AccessModel] = []
        for _ in 0..<150 {
            let steps = state.steps
            guard !steps.isEmpty else { break }
            let draw = random.bytes(4).reduce(UInt(0)) { $0 << 8 | UInt($1) }
            try state.apply(steps[Int(draw % UInt(steps.count))], with: AccessModel.shipped)
            try state.check()
            states.append(state)
        }
        return states
    }

    /// Returns the canonical forms of all successors.
    private static func successors(of state: AccessModel) throws -> Set<[UInt8]> {
        var forms: Set<[UInt8]> = []
        for step in state.steps {
            var next = state
            try next.apply(step, with: AccessModel.shipped)
            forms.insert(next.canonical)
        }
        return forms
    }

    /// Searches on a low-priority thread because other tests share the cores.
    private static func search(
        _ explorer: StateExplorer<AccessModel>
    ) async throws -> StateExplorer<AccessModel>.Report {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkThread.Refused) {
                _ = try WorkThread(niceness: 15) {
                    continuation.resume(returning: explorer.search(limit: 300_000))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
