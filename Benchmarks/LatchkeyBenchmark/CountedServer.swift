import Foundation

/// A server whose instructions are counted by Valgrind's callgrind tool.
///
/// Unlike durations, the counts barely depend on other load on the machine, so they reveal differences of a
/// few percent between two builds. The counts do not include work done by the operating system. Repeating
/// instructions, such as those that fill memory, are counted once per repetition.
final class CountedServer {
    private let server: ServerProcess
    private let profile: URL
    private var dumps = 0

    var port: Int { server.port }

    /// Starts a server, which may be another build of this program.
    ///
    /// - Parameters:
    ///   - data: The folder for the database and Valgrind's output.
    ///   - program: The path of the program, which must not contain debug information because Valgrind cannot
    ///     read it.
    /// - Throws: An error if the server does not start.
    init(data: URL, program: String) throws {
        profile = data.appending(path: "callgrind")
        // The server only calls `getrusage` when it reports its resource usage.
        let launcher = [
            "valgrind", "--tool=callgrind", "--quiet", "--dump-before=getrusage",
            "--callgrind-out-file=\(profile.path())",
        ]
        server = try ServerProcess(
            ["server", data.path(), "cheap"],
            core: 0,
            program: program,
            launcher: launcher
        )
    }

    /// Returns the average number of instructions per unit of work.
    func count(_ work: Work.Unit) throws -> Int {
        let (first, measured) = (100, 500)
        let connection = try BlockingConnection(port: port)
        // The first units of work fill the caches.
        for number in 0..<first { try work(connection, number) }
        _ = try dump()
        let query = try dump()
        for number in first..<(first + measured) { try work(connection, number) }
        return (try dump() - query) / measured
    }

    /// Returns the number of instructions that the server has executed since the previous call.
    ///
    /// The number includes the overhead of a call to this method.
    private func dump() throws -> Int {
        _ = try server.usage
        dumps += 1
        let text = try String(contentsOf: profile.appendingPathExtension(String(dumps)), encoding: .utf8)
        let line = text.split(separator: "\n").last { $0.hasPrefix("totals: ") }
        guard let total = line.flatMap({ Int($0.dropFirst("totals: ".count)) }) else {
            throw BlockingConnection.Failure(what: "callgrind counted no instructions")
        }
        return total
    }

    /// Sends a command to the server process and returns its reply.
    func ask(_ question: String) throws -> String { try server.ask(question) }

    func stop() { server.stop() }
}
