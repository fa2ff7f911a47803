import Foundation

/// A server in a separate process that is bound to one core.
///
/// The benchmark queries the server's resource usage through a pipe.
final class ServerProcess {
    let port: Int
    private let process = Process()
    private let input = Pipe()
    private let output: FileHandle

    /// Starts this program, or another build of it, with different arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, which determine what the other process does.
    ///   - core: The processor core that the process is bound to.
    ///   - program: The path of the program.
    ///   - launcher: A command to run the program with, such as a profiler and its options.
    /// - Throws: An error if the process does not start.
    init(
        _ arguments: [String],
        core: Int,
        program: String = CommandLine.arguments[0],
        launcher: [String] = []
    ) throws {
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/taskset")
        process.arguments = ["-c", String(core)] + launcher + [program] + arguments
        process.standardInput = input
        process.standardOutput = pipe
        output = pipe.fileHandleForReading
        try process.run()
        guard let line = Self.line(from: output), let port = Int(line) else {
            throw BlockingConnection.Failure(what: "the server did not start")
        }
        self.port = port
    }

    var usage: Usage {
        get throws {
            guard let usage = Usage(try ask("usage")) else {
                throw BlockingConnection.Failure(what: "the server does not respond")
            }
            return usage
        }
    }

    /// Sends a command to the server process and returns its reply.
    func ask(_ question: String) throws -> String {
        input.fileHandleForWriting.write(Data((question + "\n").utf8))
        guard let line = Self.line(from: output) else {
            throw BlockingConnection.Failure(what: "the server does not respond")
        }
        return line
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static func line(from handle: FileHandle) -> String? {
        var bytes: [UInt8] = []
        while let byte = try? handle.read(upToCount: 1)?.first {
            if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
