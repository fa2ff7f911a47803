import LatchkeyCore
import LatchkeyTestKit
import Testing

@Suite struct `Session model states` {
    private static let bounds =
        "processes=2,callers=3,requests=any,logins=5,opaqueLogins=2,signOuts=4,refreshes=any,"
        + "cancellations=any,sessionChanges=3,crashes=4,losses=9,revocations=2,storeFailures=9,lockTimeouts=9"

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func `A state can be encoded and decoded without loss`(
        seed: UInt64
    ) throws {
        let walk = try SessionWalk(200, within: ExplorerBounds(Self.bounds), seed: seed)

        for state in walk.states {
            #expect(
                ModelState(canonical: state.canonical[...], budget: state.budget).canonical == state.canonical
            )
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Decoding a state preserves its successors`(seed: UInt64) throws {
        let walk = try SessionWalk(120, within: ExplorerBounds(Self.bounds), seed: seed)

        for state in walk.states {
            let twin = ModelState(canonical: state.canonical[...], budget: state.budget)
            let (one, other) = (try successors(of: twin), try successors(of: state))
            #expect(one == other)
        }
    }

    @Test func `Swapping two processes does not change the canonical form`() throws {
        let bounds = try ExplorerBounds("processes=2,callers=2,refreshes=1")
        let steps: [ModelStep] = [
            .performStoreOperation(0), .receiveStoreResult(0), .acceptLogin(0, .pair), .completeLogin(0),
            .performStoreOperation(0), .receiveStoreResult(0), .receiveChange(1), .requestFresherAccess(0),
        ]
        var (one, other) = (ModelState(bounds), ModelState(bounds))
        for step in steps {
            try one.apply(step) { $0.reduce($1) }
            try other.apply(step.mirrored) { $0.reduce($1) }
        }

        #expect(one != other)
        #expect(one.canonical == other.canonical)
    }

    @Test func `Numbering logins differently does not change the canonical form`() throws {
        let bounds = try ExplorerBounds("processes=1,callers=0,logins=2")
        var (one, other) = (ModelState(bounds), ModelState(bounds))
        // In the first state, the current login is the second one, so the logins are numbered differently.
        let steps: [ModelStep] = [
            .performStoreOperation(0), .receiveStoreResult(0), .acceptLogin(0, .incomplete),
            .completeLogin(0), .acceptLogin(0, .pair),
        ]
        for step in steps { try one.apply(step) { $0.reduce($1) } }
        for step in [ModelStep.performStoreOperation(0), .receiveStoreResult(0), .acceptLogin(0, .pair)] {
            try other.apply(step) { $0.reduce($1) }
        }

        #expect(one.canonical == other.canonical)
    }

    // If this test fails, make sure that the new property is encoded. States that only differ in an unencoded
    // property would be treated as equal.
    @Test func `The session machine only has the expected properties`() {
        let known = [
            "status", "refresh", "epoch", "signOuts", "refreshReads", "generation", "pendingRemoval",
            "isRemoving", "replacing",
            "isUnsaved",
            "waiters",
        ]

        #expect(Mirror(reflecting: SessionMachine()).children.compactMap(\.label) == known)
    }

    private func successors(of state: ModelState) throws -> Set<[UInt8]> {
        var successors: Set<[UInt8]> = []
        for step in state.steps {
            var after = state
            try after.apply(step) { $0.reduce($1) }
            successors.insert(after.canonical)
        }
        // Revoking an unreferenced login does not change the canonical form, which omits such logins.
        successors.remove(state.canonical)
        return successors
    }
}

extension ModelStep {
    fileprivate var mirrored: ModelStep {
        switch self {
        case .performStoreOperation(let app): .performStoreOperation(1 - app)
        case .receiveStoreResult(let app): .receiveStoreResult(1 - app)
        case .receiveChange(let app): .receiveChange(1 - app)
        case .acceptLogin(let app, let login): .acceptLogin(1 - app, login)
        case .completeLogin(let app): .completeLogin(1 - app)
        case .requestFresherAccess(let caller): .requestFresherAccess(1 - caller)
        default: self
        }
    }
}
