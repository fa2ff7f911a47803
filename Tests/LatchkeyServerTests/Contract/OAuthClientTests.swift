import LatchkeyAccounts
import LatchkeyServer
import TestDatabases
import TestProcesses
import Testing

/// Logs users in at unmodified OAuth clients: Python packages, and the module mod_auth_openidc of Apache.
///
/// The users' browsers are followed through the hosted pages. PyJWT verifies the ID tokens of the packages that
/// return them.
@Suite(.onEachDatabase) struct `Published OAuth clients` {
    @Test(arguments: [
        "authlib_client.py", "requests_oauth2_client.py", "apache_openid.py", "django_site.py",
    ])
    func `The clients log users in with each algorithm and use their tokens`(script: String) async throws {
        try await PythonScript(script).passes { server in
            [try #require(server.url), try #require(server.adminURL)]
        } changing: { configuration in
            configuration.limits = .unlimited
        }
    }
}
