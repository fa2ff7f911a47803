import Foundation
import LatchkeyModel
import TestProcesses

/// An Ory Kratos server in a separate process.
///
/// The environment variable `LATCHKEY_TEST_KRATOS` names the program.
final class KratosServer: Sendable {
    /// Thrown if the server does not start.
    ///
    /// The text is the server's output.
    struct Failure: Error {
        let text: String
    }

    /// The path of the program, or `nil` if the environment does not specify one.
    static let program: String? = {
        let program = ProcessInfo.processInfo.environment["LATCHKEY_TEST_KRATOS"] ?? ""
        return program.isEmpty ? nil : program
    }()

    /// The public URL of the server.
    let url: String

    private let folder = TemporaryFolder()
    private let process: ChildProcess
    private let counts = Locked<[String: Int]>([:])

    /// Starts a server with an empty database.
    init(_ program: String) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process = try await ChildProcess.start([
            root.appending(path: ".venv/bin/python").path(),
            root.appending(path: "Tests/Interop/kratos_server.py").path(), program, folder.path,
        ])
        let output = await process.output(until: "\n")
        guard let line = output.split(separator: "\n").first, line.hasPrefix("url ") else {
            process.signal(SIGKILL)
            throw Failure(text: await process.outcome().text)
        }
        url = String(line.dropFirst(4))
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// Waits for the next code that is sent to an address and returns it.
    func code(for address: String) async throws -> String {
        let number = counts.withLock { counts in
            counts[address, default: 0] += 1
            return counts[address, default: 1]
        }
        let prefix = "code \(address) \(number) "
        _ = await output(until: prefix)
        let output = await output(until: "end\n")
        guard let range = output.range(of: prefix) else { throw Failure(text: output) }
        return String(output[range.upperBound...].prefix(6))
    }

    /// Waits until the output contains the given text.
    ///
    /// Cancelling the task kills the server, which ends the wait.
    private func output(until text: String) async -> String {
        await withTaskCancellationHandler {
            await process.output(until: text)
        } onCancel: {
            process.signal(SIGKILL)
        }
    }
}
