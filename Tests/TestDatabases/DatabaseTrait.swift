package import Testing

/// Runs every test of a suite once on each database; fixtures ask ``TestDatabase/current``.
package struct DatabaseTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        for database in TestDatabase.all {
            try await TestDatabase.$current.withValue(database) {
                try await IssueHandlingTrait.compactMapIssues { issue in
                    var issue = issue
                    issue.comments.append("on \(database.rawValue)")
                    return issue
                }.provideScope(for: test, testCase: testCase, performing: function)
            }
        }
    }
}

extension Trait where Self == DatabaseTrait {
    /// The database is an argument of every test.
    package static var onEachDatabase: Self { DatabaseTrait() }
}
