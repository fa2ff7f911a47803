import Foundation
import LatchkeyAccounts
import LatchkeyServer
import TestDatabases
import Testing

/// Sends requests that schemathesis, a published tool, generates from the OpenAPI documents of both
/// listeners.
@Suite(.onEachDatabase) struct `Published OpenAPI documents` {
    /// The number of requests per operation.
    private static let examples = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 6 : 400

    @Test func `The documents describe the responses to valid and invalid requests`() async throws {
        try await PythonScript("document_tests.py").passes { server in
            [try #require(server.url) + "/a", try #require(server.adminURL), "1", String(Self.examples)]
        } changing: { configuration in
            configuration.limits.failuresPerAddress = []
            configuration.limits.freeFailures = 1_000_000
        }
    }
}
