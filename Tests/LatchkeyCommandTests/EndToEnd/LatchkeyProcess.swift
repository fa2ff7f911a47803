import Foundation
import LatchkeyModel

/// The built command as a process of its own; nothing here blocks a task.
final class LatchkeyProcess: Sendable {
    /// What a process left behind.
    struct Result: Sendable {
        let code: Int32
        let output: String
        let errors: String
    }

    private enum Event: Sendable {
        case output([UInt8])
        case errors([UInt8])
        case outputEnded
        case errorsEnded
        case exited(Int32)
    }

    private let events: AsyncStream<Event>
    private let identifier: Int32

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments.
    ///   - home: The home folder that it sees.
    ///   - input: What it reads.
    /// - Throws: When it cannot be started.
    init(_ arguments: [String], home: String, input: String = "") throws {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = ["HOME": home, "PATH": "/usr/bin:/bin"]
        let (output, errors, feed) = (Pipe(), Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = feed
        let (events, sink) = AsyncStream<Event>.makeStream()
        self.events = events
        output.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            if bytes.isEmpty { handle.readabilityHandler = nil }
            sink.yield(bytes.isEmpty ? .outputEnded : .output(Array(bytes)))
        }
        errors.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            if bytes.isEmpty { handle.readabilityHandler = nil }
            sink.yield(bytes.isEmpty ? .errorsEnded : .errors(Array(bytes)))
        }
        process.terminationHandler = { sink.yield(.exited($0.terminationStatus)) }
        try process.run()
        identifier = process.processIdentifier
        try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try feed.fileHandleForWriting.close()
    }

    /// Sends a signal.
    func signal(_ number: Int32) {
        kill(identifier, number)
    }

    /// Runs the command to its end.
    static func run(_ arguments: [String], home: String, input: String = "") async throws -> Result {
        try await LatchkeyProcess(arguments, home: home, input: input).ended()
    }

    /// Reads until a text has appeared on standard output, or the process has ended.
    func output(until text: String) async -> String {
        var bytes: [UInt8] = []
        for await event in events {
            if case .output(let more) = event { bytes += more }
            if case .exited = event { break }
            if String(decoding: bytes, as: UTF8.self).contains(text) { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for the end.
    func ended() async -> Result {
        var code: Int32?
        var (output, errors): ([UInt8], [UInt8]) = ([], [])
        var open = 2
        for await event in events {
            switch event {
            case .output(let bytes): output += bytes
            case .errors(let bytes): errors += bytes
            case .outputEnded, .errorsEnded: open -= 1
            case .exited(let status): code = status
            }
            if open == 0, code != nil { break }
        }
        return Result(
            code: code ?? -1,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }

    /// Beside the tests, where the package manager puts both.
    static var executable: URL {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0])
        return tests.resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("latchkey")
    }
}
