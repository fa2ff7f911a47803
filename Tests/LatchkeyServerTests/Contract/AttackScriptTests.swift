import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import TestDatabases
import Testing

/// Tests with Python scripts that repeat attacks that once succeeded, over real sockets.
@Suite("Attack scripts over sockets", .onEachDatabase) struct AttackScriptTests {
    @Test func `an account opened with a victim's address gives no access to the victim's account`()
        async throws
    {
        try await withstands("attack_prehijack.py") { configuration in
            // The attacker and the owner have different networks.
            configuration.trustedProxies = ["127.0.0.1"]
        }
    }

    @Test func `the server registers accounts only for its default schema`() async throws {
        try await withstands("attack_prehijack.py", "closed") { configuration in
            configuration.schemas.standard = SchemaSettings().standard
        }
    }

    @Test func `a code is rejected after the account has changed`() async throws {
        try await withstands("attack_stale_codes.py")
    }

    @Test func `a stolen token does not give access to the account`() async throws {
        try await withstands("attack_stolen_token.py") { configuration in
            configuration.registration.schemas = ["person", "customer"]
        }
    }

    @Test func `a session that has ended cannot change the password`() async throws {
        try await withstands("attack_ended_session.py") { configuration in
            // The server hashes one password at a time, so slowly that a queue forms.
            configuration.passwords.threads = 1
            configuration.passwords.queue = 100
            configuration.passwords.memory = 32 * 1024
            configuration.passwords.passes = 2
        }
    }

    @Test func `a flood of registrations locks no other user out`() async throws {
        try await withstands("attack_flood.py") { configuration in
            configuration.trustedProxies = ["127.0.0.1"]
            configuration.limits.registrationsPerAddress =
                LimitSettings().registrationsPerAddress
            // Hashes have the same cost as in production.
            configuration.passwords = PasswordSettings()
        }
    }

    @Test func `the admin listener rejects web pages and callers without the token`() async throws {
        try await withstands("attack_admin.py")
    }

    @Test func `an open admin listener rejects web pages`() async throws {
        try await withstands("attack_admin.py", "open") { $0.admin.open = true }
    }

    @Test func `large requests are rejected and store little data`() async throws {
        let folder = Locked("")
        try await PythonScript("attack_bounds.py").passes { server in
            let addresses = [try #require(server.url), try #require(server.adminURL)]
            return TestDatabase.current == .sqlite ? addresses + [folder.withLock { $0 }] : addresses
        } changing: { configuration in
            configuration.limits.failuresPerAddress = []
            configuration.limits.accountsPerAddress = []
            configuration.limits.failuresPerAccount = []
            configuration.limits.freeFailures = 1_000_000
            configuration.flows.returnURLs = ["https://app.example.com/"]
            folder.withLock { $0 = configuration.data }
        }
    }

    /// Runs a script against a new server, and expects every attack to fail.
    ///
    /// - Parameters:
    ///   - script: The file in `Tests/Interop`.
    ///   - modes: The arguments after the addresses of the two listeners.
    ///   - change: The configuration that the attack needs.
    /// - Throws: An error if the server or the script cannot start.
    private func withstands(
        _ script: String,
        _ modes: String...,
        configuredBy change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        try await PythonScript(script).passes { server in
            [try #require(server.url), try #require(server.adminURL)] + modes
        } changing: { configuration in
            configuration.limits.failuresPerAddress = []
            configuration.limits.accountsPerAddress = []
            configuration.limits.failuresPerAccount = []
            configuration.limits.registrationsPerAddress = []
            configuration.limits.freeFailures = 1_000_000
            configuration.registration.sendsVerification = true
            change(&configuration)
        }
    }
}
