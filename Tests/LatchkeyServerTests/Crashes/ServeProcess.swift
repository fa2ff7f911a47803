import Foundation
import LatchkeyModel

/// `latchkey serve` in a process of its own, as an operator runs it, on free ports.
final class ServeProcess: Sendable {
    let url: String
    private let process: Process
    private let ended: Task<Void, Never>

    /// Starts the server and waits until it listens.
    ///
    /// - Parameters:
    ///   - folder: Where its data lie.
    ///   - wrapper: A program and its arguments that runs it, such as a tracer.
    /// - Throws: ``Failure`` with what it said, when it does not come up.
    init(data folder: URL, under wrapper: [String] = []) async throws {
        let process = Process()
        let server = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "latchkey"
        )
        let command =
            wrapper + [
                server.path(), "serve", "--data", folder.path(), "--port", "0", "--admin-port", "0",
                "--identities-default-schema", "person", "--passwords-memory-kib", "8", "--passwords-passes",
                "1",
                "--log-level", "error", "--limits-failures-per-address",
                "100000/1h",
            ]
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.standardError
        let listening = AsyncStream<String>.makeStream()
        let text = Locked("")
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                return listening.continuation.finish()
            }
            let url = text.withLock { text -> String? in
                text += String(decoding: data, as: UTF8.self)
                return text.split(separator: "\n").first { $0.hasPrefix("Latchkey listens on ") }
                    .flatMap { $0.split(separator: " ").last.map(String.init) }
            }
            if let url { listening.continuation.yield(url) }
        }
        let exits = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in exits.continuation.finish() }
        try process.run()
        ended = Task { for await _ in exits.stream {} }
        guard let url = await listening.stream.first(where: { _ in true }) else {
            throw Failure(output: text.withLock { $0 })
        }
        self.url = url
        self.process = process
    }

    /// Sends a signal to the server and waits for its end.
    func stop(_ signal: Int32) async {
        kill(process.processIdentifier, signal)
        await ended.value
    }

    struct Failure: Error {
        var output: String
    }
}
