import Foundation
import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

/// A script that uses a published Python package.
///
/// The script runs in the environment created by `scripts/setup --tests`.
struct PythonScript {
    private let path: String
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    init(_ name: String) {
        path = Self.root.appending(path: "Tests/Interop").appending(path: name).path()
    }

    /// Runs the script against a new server with the schema `person` and expects every step to succeed.
    ///
    /// - Parameters:
    ///   - basePath: The path prefix of the self-service API.
    ///   - arguments: The script's arguments. By default, this is the server's address.
    ///   - change: Sets up the configuration that the script needs.
    /// - Throws: An error if the server or the script cannot be started.
    func passes(
        basePath: String = "/a",
        arguments: (IdentityServer) throws -> [String] = { [try #require($0.url)] },
        changing change: (inout ServerConfiguration) -> Void = { _ in }
    ) async throws {
        let folder = TemporaryFolder()
        var configuration = ServerConfiguration(data: folder.path + "/data")
        configuration.port = 0
        configuration.admin.port = 0
        configuration.basePath = basePath
        configuration.schemas.standard = "person"
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        // The scripts request all codes themselves, so none are sent automatically.
        configuration.registration.sendsVerification = false
        configuration.limits.codesPerPhone = []
        configuration.limits.codesPerAddress = nil
        configuration.limits.wrongCodesPerPhone = []
        configuration.logLevel = .error
        change(&configuration)
        if TestDatabase.current == .postgreSQL {
            configuration.database = Secret(try await PostgresPool.shared.makeBare())
        }
        let time = SystemTime()
        let parts = ServerParts(time: time, random: SystemRandom(), log: Log(.error, time: time)) { _ in }
        let server = IdentityServer(configuration: configuration, parts: parts)
        try await server.start()

        let outcome = try await run(try arguments(server), token: server.adminToken)

        #expect(outcome.code == 0, "\(outcome.text)")
        #expect(outcome.output.hasSuffix("all steps passed\n"))
        await server.stop()
    }

    /// Runs the script until it exits.
    func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
        try await run(arguments)
    }

    /// Runs the script until it exits.
    ///
    /// - Parameters:
    ///   - arguments: The script's arguments.
    ///   - token: The admin token, which is passed to the script in its environment.
    /// - Returns: The script's output and exit code.
    /// - Throws: An error if the script cannot be started.
    func run(_ arguments: [String], token: Secret? = nil) async throws -> ChildProcess.Outcome {
        try await start(arguments, token: token).outcome()
    }

    /// Starts the script.
    ///
    /// - Parameters:
    ///   - arguments: The script's arguments.
    ///   - token: The admin token, which is passed to the script in its environment.
    /// - Returns: The running script.
    /// - Throws: An error if the script cannot be started.
    func start(_ arguments: [String], token: Secret? = nil) async throws -> ChildProcess {
        var environment = ProcessInfo.processInfo.environment
        environment["LATCHKEY_ADMIN_TOKEN"] = token?.exposed
        let python = Self.root.appending(path: ".venv/bin/python").path()
        // The flag `-B` keeps Python from writing bytecode to the repository.
        return try await ChildProcess.start([python, "-B", path] + arguments, environment: environment)
    }
}
