import Foundation

/// One run of measurements: how long a round takes, and where the servers keep their data.
struct Bench {
    /// How often each thing is measured; the median counts.
    static let rounds = 3

    /// The PostgreSQL database that the variable names.
    static var database: String? { ProcessInfo.processInfo.environment["BENCH_DATABASE"] }

    /// The length of a round.
    let seconds: Double

    private let folder = URL.temporaryDirectory.appending(path: "latchkey-bench-\(UUID())")

    init(seconds: Double) {
        self.seconds = seconds
    }

    /// Starts a server with data of its own: a folder, or a schema in the database of PostgreSQL.
    ///
    /// - Parameters:
    ///   - hash: `cheap` for password hashes at their minimum, `default` for those that ship.
    ///   - isApart: Whether there is another one at the same time.
    /// - Returns: The server.
    /// - Throws: What kept it from starting.
    func server(_ hash: String = "cheap", apart isApart: Bool = false) throws -> ServerProcess {
        let data = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        return try ServerProcess(["server", data.path(), hash] + (isApart ? ["apart"] : []), core: 0)
    }

    /// Measures one thing.
    func take(_ server: ServerProcess, _ connections: Int, _ work: @escaping Work.Unit) throws -> Measurement
    {
        try .take(on: server, connections: connections, seconds: seconds, work)
    }

    /// Measures one thing as often as it takes for a median, and reports it.
    @discardableResult
    func row(
        _ name: String,
        _ server: ServerProcess,
        _ connections: Int,
        _ work: (_ round: Int) -> Work.Unit
    ) throws -> [Measurement] {
        let rounds = try (0..<Self.rounds).map { try take(server, connections, work($0)) }
        Report.row(name, connections, rounds)
        return rounds
    }

    /// Registers people, so that they can log in.
    func enrol(_ people: Int, on server: ServerProcess) throws {
        let connection = try BlockingConnection(port: server.port)
        for person in 0..<people { try Work.register(connection, person: person) }
    }

    func removeFolder() {
        try? FileManager.default.removeItem(at: folder)
    }
}
