import Foundation
import Latchkey
import LatchkeyModel
import TestProcesses
import Testing

/// A server in a separate process with one user, and a folder in which an app's processes share a session.
struct SharedServer: Sendable {
    private static let email = "user@example.com"
    private static let password = "Kept-Through-Crashes-1"

    let folder: String
    let server: ServerProcess
    let probe: SessionProbe

    /// The argument that tells the probe to log in the user.
    var login: String { "login:\(Self.email):\(Self.password)" }

    private init(_ folder: String, _ server: ServerProcess) {
        (self.folder, self.server) = (folder, server)
        probe = SessionProbe(server: server.url, folder: folder + "/app")
    }

    /// Runs a closure with a server that has a logged-in user, and stops the server afterwards.
    static func with(_ body: (SharedServer) async throws -> Void) async throws {
        let folder = "/tmp/lk-\(UUID().uuidString.prefix(13))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let made = try await BuiltCommand.run(
            [
                "identity", "create", "--schema", "business", "--email", email, "--password-stdin",
                "--data", folder + "/server", "--passwords-memory-kib", "8", "--passwords-passes", "1",
            ],
            home: folder,
            input: password + "\n"
        )
        try #require(made.code == 0, "\(made.text)")
        let shared = SharedServer(folder, try await start(folder))
        do {
            try await shared.logIn()
            try await body(shared)
        } catch {
            await shared.server.stop(SIGKILL)
            throw error
        }
        await shared.server.stop(SIGTERM)
    }

    /// Logs in the user by running a client in another process.
    func logIn() async throws {
        let login = try await probe.run("login:\(Self.email):\(Self.password)").text
        #expect(login == "in\n")
    }

    /// Starts the server again, with the same port and the same data.
    func restarted() async throws -> SharedServer {
        let port = try #require(server.url.split(separator: ":").last.flatMap { Int($0) })
        return SharedServer(folder, try await Self.start(folder, port: port))
    }

    private static func start(_ folder: String, port: Int = 0) async throws -> ServerProcess {
        try await ServerProcess(data: folder + "/server", port: port, flags: ["--log-level", "error"])
    }
}
