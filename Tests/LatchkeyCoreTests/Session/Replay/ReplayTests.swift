import LatchkeyModel
import LatchkeyTestKit
import Testing

@testable import LatchkeyCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `Replaying random traces with real keepers` {
    /// The number of random traces.
    ///
    /// `scripts/check --deep` replays 10,000 traces.
    private static let count = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 100 : 10_000

    private static let length = 150

    private static let bounds = [
        ExplorerBounds(processes: 2, callers: 3).generous,
        ExplorerBounds(processes: 3, callers: 3).generous.setting(\.storeFailures, to: 0),
        ExplorerBounds(processes: 1, callers: 4).generous.setting(\.crashes, to: 0),
    ]

    @Test func `Real keepers and the reducer have the same state after every step`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        for number in 0..<Self.count {
            let bounds = Self.bounds[number % Self.bounds.count]
            guard try Self.replay(bounds, seed: seed &+ UInt64(number)) else { return }
        }
    }

    @Test func `No session is stored after a sign-out, even if removing the session failed`() throws {
        var replay = try ReplayedWorld(ExplorerBounds(processes: 1, callers: 1).generous)
        let steps: [ModelStep] = [
            .performStoreOperation(0), .acceptLogin(0, .pair), .completeLogin(0), .performStoreOperation(0),
            .requestFresherAccess(0), .acquireLock(0), .performStoreOperation(0), .answerRequest(0, 0),
            .receiveResponse(0, 0), .setStoreCondition(.failing), .signOut(0), .setStoreCondition(.available),
            .performStoreOperation(0), .receiveChange(0), .performStoreOperation(0),
        ]
        for step in steps where replay.choices.contains(step) {
            try replay.apply(step)
            #expect(replay.difference == nil, "after \(step)")
        }
        #expect(
            replay.steps.contains(.receiveResponse(0, 0)) && replay.steps.last == .performStoreOperation(0)
        )
    }

    @Test func `A pending removal is completed even after failed logins`() throws {
        var replay = try ReplayedWorld(ExplorerBounds(processes: 1, callers: 1).generous)
        let logIn: [ModelStep] = [.acceptLogin(0, .pair), .completeLogin(0), .performStoreOperation(0)]
        let steps =
            [.performStoreOperation(0)] + logIn + [.setStoreCondition(.failing), .signOut(0)]
            // A pending removal is retried before and after the next login.
            + Array(repeating: logIn + [.performStoreOperation(0)], count: 3).flatMap(\.self)
            + [
                .setStoreCondition(.available), .requestAccess(0), .performStoreOperation(0),
                .performStoreOperation(0),
            ]
        for step in steps {
            try #require(replay.choices.contains(step), "\(step) after \(replay.steps)")
            try replay.apply(step)
            #expect(replay.difference == nil, "after \(step)")
        }
        #expect(replay.world.record == nil)
    }

    /// Replays a random trace, and returns whether the keepers and the reducer always had the same
    /// state.
    private static func replay(_ bounds: ExplorerBounds, seed: UInt64) throws -> Bool {
        let random = SeededRandom(seed: seed)
        var replay = try ReplayedWorld(bounds)
        for _ in 0..<length {
            let all = replay.choices
            // Two thirds of the steps continue an operation in progress. Otherwise, most traces would consist
            // only of waiting.
            let inner = all.filter { !$0.isCausedByEnvironment }
            let draw = random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let choices = draw % 3 == 0 || inner.isEmpty ? all : inner
            guard !choices.isEmpty else { return true }
            try replay.apply(choices[Int(draw / 3 % UInt64(choices.count))])
            if let difference = replay.difference {
                let steps = replay.steps.map { "\($0)" }.joined(separator: "\n  ")
                Issue.record("seed \(seed), after \(replay.steps.count) steps: \(difference)\n  \(steps)")
                return false
            }
        }
        return true
    }
}

extension ExplorerBounds {
    /// A copy of these bounds, with the limits raised to values that are suitable for a single trace.
    fileprivate var generous: ExplorerBounds {
        setting(\.requests, to: 6).setting(\.logins, to: 6).setting(\.signOuts, to: 3).setting(
            \.refreshes,
            to: 10
        ).setting(\.cancellations, to: 2)
            .setting(\.sessionChanges, to: 3).setting(\.crashes, to: 2).setting(\.losses, to: 3).setting(
                \.revocations,
                to: 2
            )
            .setting(\.storeFailures, to: 3).setting(\.lockTimeouts, to: 2)
    }
}
