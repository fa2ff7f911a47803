import LatchkeyModel
import OnsideKit
package import Testing

/// A trait for tests that use the static functions of `Onside`.
///
/// Tests with this trait run one at a time.
package struct ExclusiveOnside: SuiteTrait, TestTrait, TestScoping {
    private static let lock = AsyncLock()

    package let isRecursive = true

    /// Runs a test while no other test uses `Onside`, and then resets `Onside` to its initial state.
    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.lock.acquire()
        defer { Self.lock.release() }
        await Onside.reset()
        do {
            try await function()
        } catch {
            await Onside.reset()
            throw error
        }
        await Onside.reset()
    }
}

extension Trait where Self == ExclusiveOnside {
    /// The tests use the static functions of `Onside` and run one at a time.
    package static var exclusiveOnside: ExclusiveOnside { ExclusiveOnside() }
}

/// A lock that callers acquire in order, without blocking a thread while they wait.
private final class AsyncLock: Sendable {
    private struct State {
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func acquire() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.isHeld else {
                    state.isHeld = true
                    return true
                }
                state.waiters.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
