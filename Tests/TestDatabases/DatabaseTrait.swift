import LatchkeyTestKit
import TestContract
package import Testing

/// A trait that runs every test in a suite once with each database.
///
/// Fixtures read ``TestDatabase/current``.
package struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await TestSemaphore.shared.wait()
        do {
            try await onEachDatabase(test, testCase, function)
            await TestSemaphore.shared.signal()
        } catch {
            await TestSemaphore.shared.signal()
            throw error
        }
    }

    private func onEachDatabase(
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        for database in TestDatabase.all {
            let labels = IssueHandlingTrait.compactMapIssues { issue in
                var issue = issue
                issue.comments.append("on \(database.rawValue)")
                return issue
            }
            let scope = TestScope()
            let result: Result<Void, any Error>
            do {
                try await TestDatabase.$current.withValue(database) {
                    try await TestDatabase.$scope.withValue(scope) {
                        try await TestServer.$opening.withValue({ try await database.open(time: $0) }) {
                            try await TestServer.$watching.withValue({ DocumentedHandler($0, $1) }) {
                                try await labels.provideScope(for: test, testCase: testCase) {
                                    try await withoutActuallyEscaping(function) { function in
                                        try await TestLimit.guarding(test, function)
                                    }
                                }
                            }
                        }
                    }
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await scope.close()
            try result.get()
        }
    }
}

extension Trait where Self == DatabaseTrait {
    /// A trait that runs every test with each database.
    package static var onEachDatabase: Self { DatabaseTrait() }
}
