import Foundation
package import Testing

/// The time limits for tests, so that a hanging test does not delay the whole run.
package enum TestLimit {
    /// The time limit for one test, which is a quarter of the limit for the whole run.
    ///
    /// The environment variable `TEST_TIMEOUT` sets the limit for the whole run in seconds.
    package static let ofTest: Duration = {
        let run = ProcessInfo.processInfo.environment["TEST_TIMEOUT"].flatMap { Int($0) } ?? 1200
        return .seconds(run) / 4
    }()

    /// The time limit for a single wait within a test.
    package static let ofWait = ofTest / 2

    /// How long a cancelled test may take to end.
    private static let grace: Duration = .seconds(30)

    /// Runs a test.
    ///
    /// If the test exceeds its time limit, an issue is recorded and the test is cancelled.
    ///
    /// If the test doesn't return after it was cancelled, the process is terminated, because other tests
    /// would wait for this test forever.
    static func guarding(
        _ test: Test,
        _ body: @escaping @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await body()
                return true
            }
            group.addTask {
                try await Task.sleep(for: ofTest)
                return false
            }
            if try await group.next() == true {
                group.cancelAll()
                return
            }
            Issue.record("The test did not end within \(ofTest).", sourceLocation: test.sourceLocation)
            group.cancelAll()
            let last = Task.detached {
                try await Task.sleep(for: grace)
                FileHandle.standardError.write(
                    Data("\(test.name) does not end, and the run ends with it.\n".utf8)
                )
                fflush(nil)
                _exit(1)
            }
            defer { last.cancel() }
            _ = try await group.next()
        }
    }
}

/// Waits until a condition holds.
///
/// If the wait takes too long, an issue is recorded.
///
/// - Parameters:
///   - condition: A description of the condition.
///   - sourceLocation: The source location to report.
///   - holds: The condition, which is evaluated repeatedly.
/// - Throws: An error thrown by the condition.
package func wait(
    until condition: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ holds: () async throws -> Bool
) async rethrows {
    let end = ContinuousClock.now + TestLimit.ofWait
    while try await !holds() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            Issue.record("The wait until \(condition) took too long.", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}

/// Runs an operation with a time limit.
///
/// If the operation exceeds the time limit, an issue is recorded and the operation is cancelled.
///
/// - Parameters:
///   - name: A description of the operation.
///   - sourceLocation: The source location to report.
///   - body: The operation, which must end soon after it is cancelled.
package func limit(
    _ name: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () async -> Void
) async {
    await withTaskGroup { group in
        group.addTask {
            await body()
            return true
        }
        group.addTask {
            (try? await Task.sleep(for: TestLimit.ofWait)) == nil
        }
        if await group.next() == false {
            Issue.record("\(name) did not end in time.", sourceLocation: sourceLocation)
        }
        group.cancelAll()
    }
}
