import LatchkeyCore
import LatchkeyServerKit
import LatchkeyTestKit
import Testing

extension BrowserLoginMutant: CustomTestStringConvertible {
    /// The mistake that the mutant makes.
    public var testDescription: String { mistake }
}

@Suite(.serialized) struct `Explorer of logins in a browser` {
    /// Bounds that can be explored in a test run.
    ///
    /// `scripts/check --deep` explores larger state spaces.
    ///
    /// A crash just after a sign-out, before the revocation of an answered login is stored, is left out: what the login
    /// has created then stays at the server until it expires.
    private static let spaces = [
        "processes=2,callers=1,requests=3,otherLogins=1,crashes=2,losses=2",
        "processes=2,callers=1,requests=3,signOuts=2,otherLogins=1,losses=2",
        "processes=1,callers=2,requests=3,otherLogins=1,crashes=2,losses=1",
        "processes=2,callers=2,requests=2,crashes=1",
        "processes=2,callers=2,requests=1,handOffs=2,dismissals=1,expiries=1",
        "processes=1,callers=2,requests=2,crashes=1,handOffs=2,dismissals=1,refusals=1,expiries=1",
    ]

    @Test(arguments: spaces)
    func `Every login ends as a session of the device or leaves no trace at the server`(
        space: String
    ) async throws {
        let bounds = try BrowserLoginBounds(space)
        let report = try await Self.search(StateExplorer<BrowserLoginModel>(bounds))

        if let violation = report.violation {
            let trace = violation.trace.map { "\($0)" }.joined(separator: "\n")
            Issue.record("\(violation.what.text)\n\(trace)")
        }
        print("Explored \(report.states) states of logins in a browser within \(space)")
        #expect(report.isComplete)
        #expect(report.states > 1000, "\(report)")
    }

    @Test(arguments: BrowserLoginMutant.all) func `The explorer finds the violation of each mutant`(
        mutant: BrowserLoginMutant
    ) async throws {
        let report = try await Self.search(
            StateExplorer<BrowserLoginModel>(mutant.space, reducer: mutant.reducer)
        )

        let violation = try #require(report.violation)
        let trace = violation.trace.map { "\($0)" }.joined(separator: "\n")
        #expect(violation.what == mutant.breaks, "\(trace)")
    }

    @Test func `Every kind of violation is caused by at least one mutant`() {
        let broken = Set(BrowserLoginMutant.all.map(\.breaks))

        for violation in BrowserLoginViolation.allCases {
            #expect(broken.contains(violation), "\(violation.text)")
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `A state can be encoded and decoded without loss`(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        var state = BrowserLoginModel(
            try BrowserLoginBounds(
                """
                processes=2,callers=3,requests=9,otherLogins=2,signOuts=0,crashes=3,losses=5,\
                handOffs=\(seed % 3),dismissals=1,refusals=1,expiries=1
                """
            )
        )
        for _ in 0..<150 {
            let steps = state.steps
            guard !steps.isEmpty else { break }
            let draw = random.bytes(4).reduce(UInt(0)) { $0 << 8 | UInt($1) }
            try state.apply(steps[Int(draw % UInt(steps.count))], with: BrowserLoginModel.shipped)
            try state.check()
            let twin = BrowserLoginModel(canonical: state.canonical[...], budget: state.budget)
            #expect(twin.canonical == state.canonical && twin.steps == state.steps)
        }
    }

    /// Searches on a low-priority thread because other tests share the cores.
    private static func search(
        _ explorer: StateExplorer<BrowserLoginModel>
    ) async throws -> StateExplorer<BrowserLoginModel>.Report {
        try await withCheckedThrowingContinuation { continuation in
            do throws(WorkThread.Refused) {
                _ = try WorkThread(niceness: 15) {
                    continuation.resume(returning: explorer.search(limit: 3_000_000))
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
