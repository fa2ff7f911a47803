import Foundation
import LatchkeyServer
import LatchkeyServerCore
import TestDatabases
import Testing

/// What schemathesis, a published tool, makes of the documents of both listeners.
@Suite(.onEachDatabase) struct `The published documents` {
    /// How many requests each operation gets.
    private static let examples = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 6 : 400

    @Test func `hold for whatever is sent, right or wrong`() async throws {
        try await PythonScript("document_tests.py").passes { server in
            [try #require(server.url) + "/a", try #require(server.adminURL), "1", String(Self.examples)]
        } changing: { configuration in
            configuration.limits.failuresPerAddress = []
            configuration.limits.freeFailures = 1_000_000
        }
    }
}
