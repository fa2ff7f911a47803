import Foundation

/// The configuration of a benchmark run: how long each round takes and where the servers store their data.
struct Bench {
    /// How many times each scenario is measured.
    ///
    /// The median of the measurements is reported.
    static let rounds = 3

    /// The PostgreSQL database specified by the environment variable `BENCH_DATABASE`.
    static var database: String? { ProcessInfo.processInfo.environment["BENCH_DATABASE"] }

    /// The duration of a round in seconds.
    let seconds: Double

    /// The folder for the servers' data.
    let folder = URL.temporaryDirectory.appending(path: "latchkey-bench-\(UUID())")

    init(seconds: Double) {
        self.seconds = seconds
    }

    /// Starts a server with its own folder or PostgreSQL schema.
    ///
    /// - Parameters:
    ///   - hash: `cheap` for the minimum password hashing cost, or `default` for the cost used in production.
    ///   - isApart: Whether the server runs alongside another one.
    ///   - isJoining: Whether the server shares the PostgreSQL schema of the previously started server.
    /// - Returns: The started server process.
    /// - Throws: An error if the server cannot be started.
    func server(
        _ hash: String = "cheap",
        apart isApart: Bool = false,
        joining isJoining: Bool = false
    ) throws -> ServerProcess {
        let data = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        let modes = (isApart ? ["apart"] : []) + (isJoining ? ["join"] : [])
        return try ServerProcess(["server", data.path(), hash] + modes, core: 0)
    }

    /// Measures a scenario once.
    func measure(_ server: ServerProcess, connections: Int, work: @escaping Work.Unit) throws -> Measurement {
        try .take(on: server, connections: connections, seconds: seconds, work: work)
    }

    /// Measures a scenario several times and reports the median.
    @discardableResult
    func row(
        _ name: String,
        on server: ServerProcess,
        connections: Int,
        work: (_ round: Int) -> Work.Unit
    ) throws -> [Measurement] {
        let rounds = try (0..<Self.rounds).map {
            try measure(server, connections: connections, work: work($0))
        }
        Report.row(name, connections: connections, rounds: rounds)
        return rounds
    }

    /// Registers users so that they can log in.
    func enrol(_ people: Int, on server: ServerProcess) throws {
        let connection = try BlockingConnection(port: server.port)
        for person in 0..<people { try Work.register(connection, person: person) }
    }

    func removeFolder() {
        try? FileManager.default.removeItem(at: folder)
    }
}
