import Foundation
package import Testing

/// The time limits of tests, so that a hanging test does not delay the run.
package enum TestLimit {
    /// The limit of one test, which is a quarter of the limit of the run; `TEST_TIMEOUT` sets the latter in
    /// seconds.
    package static let ofTest: Duration = {
        let run = ProcessInfo.processInfo.environment["TEST_TIMEOUT"].flatMap { Int($0) } ?? 1200
        return .seconds(run) / 4
    }()

    /// The limit of a single wait within a test.
    package static let ofWait = ofTest / 2

    /// The time within which a cancelled test must end.
    private static let grace: Duration = .seconds(30)

    /// Runs a test, and records an issue and cancels the test at its limit.
    ///
    /// If the test does not end then, the process is terminated, because other tests would wait for the test.
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

/// Waits until a condition holds, and records an issue if that takes too long.
///
/// - Parameters:
///   - condition: A description of the condition.
///   - sourceLocation: The location of the wait.
///   - holds: The condition, which is evaluated repeatedly.
/// - Throws: The error that the condition throws.
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

/// Runs an operation that waits, and records an issue and cancels the operation at the limit.
///
/// - Parameters:
///   - name: A description of the operation.
///   - sourceLocation: The location of the wait.
///   - body: The operation, which must end soon after its cancellation.
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
