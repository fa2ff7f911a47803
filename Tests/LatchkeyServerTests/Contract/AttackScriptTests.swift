import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import TestDatabases
import Testing

/// Runs Python scripts over real sockets that repeat attacks that were once successful.
@Suite("Attack scripts over sockets", .onEachDatabase) struct AttackScriptTests {
    @Test func `An account opened with a victim's address gives no access to the victim's account`()
        async throws
    {
        try await withstands("attack_prehijack.py") { configuration in
            // The attacker and the owner use different networks.
            configuration.trustedProxies = ["127.0.0.1"]
        }
    }

    @Test func `The server only registers accounts for its default schema`() async throws {
        try await withstands("attack_prehijack.py", "closed") { configuration in
            configuration.schemas.standard = SchemaSettings().standard
        }
    }

    @Test func `A code is rejected after the account has changed`() async throws {
        try await withstands("attack_stale_codes.py")
    }

    @Test func `A stolen token does not give access to the account`() async throws {
        try await withstands("attack_stolen_token.py") { configuration in
            configuration.registration.schemas = ["person", "customer"]
        }
    }

    @Test func `An ended session cannot change the password`() async throws {
        try await withstands("attack_ended_session.py") { configuration in
            // The server hashes one password at a time, and so slowly that a queue builds up.
            configuration.passwords.threads = 1
            configuration.passwords.queue = 100
            configuration.passwords.memory = 32 * 1024
            configuration.passwords.passes = 2
        }
    }

    @Test func `A flood of registrations does not lock out other users`() async throws {
        try await withstands("attack_flood.py") { configuration in
            configuration.trustedProxies = ["127.0.0.1"]
            configuration.limits.registrationsPerAddress =
                LimitSettings().registrationsPerAddress
            // Hashing has the same cost as in production.
            configuration.passwords = PasswordSettings()
        }
    }

    @Test func `The admin listener rejects web pages and callers without the token`() async throws {
        try await withstands("attack_admin.py")
    }

    @Test func `An open admin listener rejects web pages`() async throws {
        try await withstands("attack_admin.py", "open") { $0.admin.open = true }
    }

    @Test func `A flood of large requests cannot fill the database`() async throws {
        let folder = Locked("")
        try await PythonScript("attack_bounds.py").passes { server in
            let addresses = [try #require(server.url), try #require(server.adminURL)]
            return TestDatabase.current == .sqlite ? addresses + [folder.withLock { $0 }] : addresses
        } changing: { configuration in
            configuration.limits.failuresPerAddress = []
            configuration.limits.accountsPerAddress = []
            configuration.limits.failuresPerAccount = []
            configuration.limits.freeFailures = 1_000_000
            configuration.limits.formsPerAddress = []
            configuration.flows.returnURLs = ["https://app.example.com/"]
            folder.withLock { $0 = configuration.data }
        }
    }

    /// Runs a script against a new server and expects every attack to fail.
    ///
    /// - Parameters:
    ///   - script: The name of the script in `Tests/Interop`.
    ///   - modes: The arguments that follow the addresses of the two listeners.
    ///   - change: Sets up the configuration that the attack needs.
    /// - Throws: An error if the server or the script cannot be started.
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
