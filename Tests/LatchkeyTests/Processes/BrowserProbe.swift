import Foundation
import LatchkeyCurl
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

/// A server in a separate process, and an app in other processes whose user logs in with a browser.
final class BrowserProbe: Sendable {
    static let redirectURI = "com.example.probe:/callback"
    private static let email = "person@example.org"
    private static let password = "Kept-Through-Crashes-1"

    let folder: String
    let app: SessionProbe
    private let redirectURI: String
    private let flags: [String]
    private let port: Int
    private let server: Locked<ServerProcess>

    private init(
        _ folder: String,
        _ server: ServerProcess,
        redirectURI: String,
        flags: [String]
    ) throws {
        self.redirectURI = redirectURI
        (self.folder, self.flags, self.server) = (folder, flags, Locked(server))
        port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
        app = SessionProbe(
            server: server.url,
            folder: folder + "/app",
            environment: ["PROBE_CLIENT": "probe"]
        )
    }

    /// The app as it is an hour later.
    var lateApp: SessionProbe {
        SessionProbe(
            server: serverURL,
            folder: folder + "/app",
            environment: ["PROBE_CLIENT": "probe", "PROBE_LATE": "1"]
        )
    }

    /// The argument that tells the probe to log in the user without a browser.
    var login: String { "login:\(Self.email):\(Self.password)" }

    var serverURL: String { server.withLock { $0.url } }

    /// Runs a closure with a server that has a user and a registered app.
    ///
    /// - Parameters:
    ///   - database: The kind of database.
    ///   - redirectURI: The redirect URI of the app.
    ///   - handsOver: Whether another app can approve the requests of the app.
    ///   - body: The closure.
    ///   - check: Checks the database after the server has stopped.
    /// - Throws: The errors of the closures, or if the server can't be started.
    static func with(
        _ database: TestDatabase,
        redirectURI: String = redirectURI,
        handsOver: Bool = false,
        _ body: (BrowserProbe) async throws -> Void,
        check: (any Database) async throws -> Void
    ) async throws {
        let folder = "/tmp/lk-\(UUID().uuidString.prefix(13))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let url = database == .postgreSQL ? try await PostgresPool.shared.makeBare() : nil
        let flags =
            [
                "--identities-default-schema", "person", "--registration-schemas", "person", "--log-level",
                "error",
            ]
            + (url.map { ["--database", $0] } ?? [])
        try await prepare(folder, redirectURI: redirectURI, handsOver: handsOver, flags: flags)
        let server = try await ServerProcess(data: folder + "/server", flags: flags + limits)
        let probe = try BrowserProbe(folder, server, redirectURI: redirectURI, flags: flags)
        do {
            try await body(probe)
        } catch {
            await probe.server.withLock { $0 }.stop(SIGKILL)
            throw error
        }
        await probe.server.withLock { $0 }.stop(SIGTERM)
        let opened: any Database =
            if let url {
                try await PostgreSQLDatabase.open(PostgreSQLLocation(Secret(url)), migrations: .all)
            } else {
                try await SQLiteDatabase.open(.file(folder + "/server/latchkey.db"), migrations: .all)
            }
        do {
            try await check(opened)
        } catch {
            await opened.close()
            throw error
        }
        await opened.close()
    }

    /// All requests come from one address.
    private static let limits = [
        "failures-per-address", "failures-per-client", "forms-per-address", "authorizations-per-address",
        "pushed-requests-per-client", "approvals-per-session",
    ].flatMap { ["--limits-\($0)", "100000/1h"] }

    private static func prepare(
        _ folder: String,
        redirectURI: String,
        handsOver: Bool,
        flags: [String]
    ) async throws {
        let data = ["--data", folder + "/server", "--passwords-memory-kib", "8", "--passwords-passes", "1"]
        let made = try await BuiltCommand.run(
            [
                "identity", "create", "--schema", "person", "--email", email, "--phone", "+439999999999",
                "--password-stdin",
            ] + data + flags,
            home: folder,
            input: password + "\n"
        )
        try #require(made.code == 0, "\(made.text)")
        let client = """
            {"client_id": "probe", "client_name": "Probe", "redirect_uris": ["\(redirectURI)"], \
            "scope": "openid", "grant_types": ["authorization_code"], "token_endpoint_auth_method": "none", \
            "id_token_signed_response_alg": "ES256", "skip_consent": true, \
            \(handsOver ? #""application_type": "native", "# : "")\
            "latchkey": {"first_party": true, "native_session": true, "app_to_app": \(handsOver)}}
            """
        let registered = try await BuiltCommand.run(
            ["client", "create", "--file", "-"] + data + flags,
            home: folder,
            input: client
        )
        try #require(registered.code == 0, "\(registered.text)")
    }

    /// Kills the server, and starts it again with the same port and data.
    ///
    /// - Parameter yields: How often this task lets others run first, so that requests are interrupted at different
    ///   points.
    /// - Throws: An error if the server can't be started.
    func killServer(afterYields yields: Int) async throws {
        for _ in 0..<yields { await Task.yield() }
        await server.withLock { $0 }.stop(SIGKILL)
        let next = try await ServerProcess(data: folder + "/server", port: port, flags: flags + Self.limits)
        server.withLock { $0 = next }
    }

    /// Logs in without an interruption, and returns what the app has printed.
    func logIn(_ name: String) async throws -> ChildProcess.Outcome {
        let file = folder + "/redirect-" + name
        let process = try await app.start("browser:\(file)")
        if let address = Self.address(in: await process.output(until: "open http")) {
            try await visit(address).write(toFile: file, atomically: true, encoding: .utf8)
        }
        return await process.outcome()
    }

    /// Returns the address that the app has opened.
    static func address(in output: String) -> String? {
        output.split(separator: "\n").first { $0.hasPrefix("open ") }.map { String($0.dropFirst(5)) }
    }

    /// Logs the user in on the pages, and returns the redirect.
    func visit(_ address: String) async throws -> String {
        let user = BrowserUser(
            at: serverURL,
            over: try CurlTransport(),
            redirectURI: redirectURI,
            identifier: Self.email,
            password: Self.password
        )
        return await user.visit(address)
    }

    /// Checks that the last login is the only thing that is left of all logins.
    ///
    /// - Parameters:
    ///   - database: The server's database.
    ///   - withoutCodes: Whether grants are ignored whose code was never redeemed. They expire with the code.
    /// - Throws: An error of the database.
    static func expectOneSession(in database: any Database, withoutCodes: Bool = false) async throws {
        let sessions = try await database.rows(
            "SELECT COUNT(*) FROM sessions WHERE client_id = 'probe' AND revoked_at IS NULL"
        )
        let sessionCount = try sessions[0].integer(0)
        #expect(sessionCount == 1)
        let grants =
            if withoutCodes {
                try await database.rows(
                    "SELECT COUNT(*) FROM grants WHERE ended_at IS NULL AND redeemed_at IS NOT NULL"
                )
            } else {
                try await database.rows("SELECT COUNT(*) FROM grants WHERE ended_at IS NULL")
            }
        let grantCount = try grants[0].integer(0)
        #expect(grantCount == 0)
    }
}
