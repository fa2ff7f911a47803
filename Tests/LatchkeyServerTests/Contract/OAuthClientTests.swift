import LatchkeyAccounts
import LatchkeyServer
import TestDatabases
import TestProcesses
import Testing

/// Logs users in at unmodified Python packages that are OAuth clients.
///
/// The users' browsers are followed through the hosted pages, and PyJWT verifies each ID token.
@Suite(.onEachDatabase) struct `Published OAuth clients` {
    @Test(arguments: ["authlib_client.py", "requests_oauth2_client.py"])
    func `The clients log users in, refresh and revoke, with each algorithm`(script: String) async throws {
        try await PythonScript(script).passes { server in
            [try #require(server.url), try #require(server.adminURL)]
        } changing: { configuration in
            configuration.limits = .unlimited
        }
    }
}
