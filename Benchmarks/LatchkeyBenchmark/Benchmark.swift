import Foundation
import LatchkeySodium

/// Measures the server beside the floor of its HTTP adapter; `scripts/bench` starts it.
@main
struct Benchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "floor":
            try await Subject.serve(FloorServer(bytes: arguments.last.flatMap { Int($0) } ?? 1000))
        case "server":
            let folder = arguments.dropFirst().first ?? "."
            let cheap = Argon2idParameters(memory: 8, iterations: 1) ?? .recommended
            try await LatchkeyServerSubject.run(
                folder: folder,
                hash: arguments.contains("cheap") ? cheap : .recommended,
                database: database
            )
        case "tokens":
            try tokens(seconds: arguments.dropFirst().first.flatMap { Double($0) } ?? 3)
        case "client":
            try await authorizedRequests()
        case "postgres":
            try postgres(seconds: arguments.dropFirst().first.flatMap { Double($0) } ?? 3)
        case "run":
            try run(seconds: arguments.dropFirst().first.flatMap { Double($0) } ?? 3)
            try await authorizedRequests()
        default:
            print("usage: LatchkeyBenchmark run|tokens|client|postgres [SECONDS A ROUND]")
        }
    }

    private static let rounds = 3

    /// The PostgreSQL database that the variable names.
    private static var database: String? { ProcessInfo.processInfo.environment["BENCH_DATABASE"] }

    /// What differs on PostgreSQL, with what its own processes take.
    private static func postgres(seconds: Double) throws {
        guard database != nil else { return print("BENCH_DATABASE names no database") }
        let folder = URL.temporaryDirectory.appending(path: "latchkey-bench-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        Report.line(
            "\nOn PostgreSQL, which shares core 0 with the server; \(rounds) rounds of \(seconds) s; medians.\n"
        )
        Report.line(Report.header)
        try whoami(folder, seconds)
        try writes(folder, seconds)
    }

    private static func whoami(_ folder: URL, _ seconds: Double) throws {
        let server = try start(folder, "cheap")
        defer { server.stop() }
        let token = try Work.register(BlockingConnection(port: server.port), person: 1_000_000)
        for connections in [1, 16, 64] {
            let rounds = try (0..<rounds).map { _ in
                try Measurement.take(
                    on: server,
                    connections: connections,
                    seconds: seconds,
                    Work.whoami(token)
                )
            }
            Report.row("whoami", connections, rounds)
        }
    }

    private static func run(seconds: Double) throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-bench-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        Report.line(
            "Servers on core 0, load on core 1; \(rounds) rounds of \(seconds) s, interleaved; medians.\n"
        )
        Report.line(Report.header)
        try reads(folder.appending(path: "reads"), seconds)
        try writes(folder.appending(path: "writes"), seconds)
        try hashing(folder.appending(path: "hashing"), seconds)
        try refreshes(folder.appending(path: "refreshes"), seconds)
    }

    private static func tokens(seconds: Double) throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-bench-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try refreshes(folder, seconds)
    }

    /// Requests of an app, as the person who is logged in, beside the same by the bare transport.
    private static func authorizedRequests() async throws {
        let server = try ServerProcess(["floor", "1000"], core: 0)
        defer { server.stop() }
        let requests = try AuthorizedRequests(port: server.port)
        Report.line("\n| Client, one request at a time | bare p50 µs | authorised p50 µs | overhead |")
        Report.line("|---|---|---|---|")
        for round in 1...rounds {
            let (bare, authorized) = try await requests.run(10_000)
            let (ours, theirs) = (authorized / .microseconds(1), bare / .microseconds(1))
            Report.line(
                String(
                    format: "| round %d | %.1f | %.1f | %.1f %% |",
                    round,
                    theirs,
                    ours,
                    (ours / theirs - 1) * 100
                )
            )
        }
    }

    /// Refreshes of token pairs: the proof's signature verified, the database written, the access token signed.
    private static func refreshes(_ folder: URL, _ seconds: Double) throws {
        let server = try start(folder, "cheap")
        defer { server.stop() }
        Report.line("\n" + Report.header)
        for connections in [1, 16, 64] {
            let devices = try TokenDevices(connections, on: server.port, from: connections * 1000)
            let rounds = try (0..<rounds).map { _ in
                try Measurement.take(
                    on: server,
                    connections: connections,
                    seconds: seconds,
                    devices.refresh
                )
            }
            Report.row("refresh", connections, rounds)
        }
    }

    /// Whoami and flow init, each beside a floor of the same size.
    private static func reads(_ folder: URL, _ seconds: Double) throws {
        let server = try start(folder, "cheap")
        defer { server.stop() }
        let idle = try server.usage.memory
        let connection = try BlockingConnection(port: server.port)
        let token = try Work.register(connection, person: 0)
        let flowSize = try connection.exchange("GET", "/a/self-service/login/api").body.count
        let whoamiSize = try connection.exchange(
            "GET",
            "/a/sessions/whoami",
            headers: "X-Session-Token: \(token)\r\n"
        ).body.count
        let flowFloor = try ServerProcess(["floor", String(flowSize)], core: 0)
        defer { flowFloor.stop() }
        let whoamiFloor = try ServerProcess(["floor", String(whoamiSize)], core: 0)
        defer { whoamiFloor.stop() }
        for connections in [64, 1] {
            try compare("flow init", Work.flowInit, server, flowFloor, flowSize, connections, seconds)
            try compare("whoami", Work.whoami(token), server, whoamiFloor, whoamiSize, connections, seconds)
        }
        Report.line(
            "\nmemory: \(idle) KiB idle, \(try server.usage.memory) KiB after the reads\n\n" + Report.header
        )
    }

    private static func compare(
        _ name: String,
        _ work: @escaping Work.Unit,
        _ server: ServerProcess,
        _ floor: ServerProcess,
        _ size: Int,
        _ connections: Int,
        _ seconds: Double
    ) throws {
        var ours: [Measurement] = []
        var theirs: [Measurement] = []
        for _ in 0..<rounds {
            theirs.append(
                try .take(on: floor, connections: connections, seconds: seconds, Work.get("/constant"))
            )
            ours.append(try .take(on: server, connections: connections, seconds: seconds, work))
        }
        Report.row("floor, \(size) bytes", connections, theirs)
        Report.row(name, connections, ours)
        guard let our = Measurement.median(ours), let their = Measurement.median(theirs) else { return }
        Report.line(
            String(format: "| = share of the floor | | %.2f | | | | | | | |", our.perSecond / their.perSecond)
        )
    }

    /// Registrations and logins with the hash at its minimum, up to 64 writers at once.
    private static func writes(_ folder: URL, _ seconds: Double) throws {
        let server = try start(folder, "cheap")
        defer { server.stop() }
        for (run, connections) in [(1, 1), (2, 16), (3, 64)] {
            let rounds = try (0..<rounds).map { round in
                try Measurement.take(
                    on: server,
                    connections: connections,
                    seconds: seconds,
                    Work.registration(run: run * 10 + round)
                )
            }
            Report.row("registration, least hash", connections, rounds)
        }
        let people = try enrol(64, on: server)
        for connections in [1, 16, 64] {
            let rounds = try (0..<rounds).map { _ in
                try Measurement.take(
                    on: server,
                    connections: connections,
                    seconds: seconds,
                    Work.login(people: people)
                )
            }
            Report.row("login, least hash", connections, rounds)
        }
        Report.line("\nmemory after the writes: \(try server.usage.memory) KiB")
        if database == nil { Report.line("\n" + Report.header) }
    }

    /// Logins and registrations at the default cost, and what a flow init takes beside eight of them.
    private static func hashing(_ folder: URL, _ seconds: Double) throws {
        let server = try start(folder, "default")
        defer { server.stop() }
        let people = try enrol(8, on: server)
        let login = Work.login(people: people)
        for (name, work) in [("login", login), ("registration", Work.registration(run: 90))] {
            for connections in [1, 8] {
                let rounds = try (0..<rounds).map { round in
                    try Measurement.take(
                        on: server,
                        connections: connections,
                        seconds: seconds,
                        name == "login" ? work : Work.registration(run: 90 + connections * 10 + round)
                    )
                }
                Report.row("\(name), default hash", connections, rounds)
            }
        }
        let idle = try (0..<rounds).map { _ in
            try Measurement.take(on: server, connections: 1, seconds: seconds, Work.flowInit)
        }
        let port = server.port
        let background = LoadThread {
            _ = Load(port: port, connections: 8, duration: .seconds(seconds * Double(rounds) + 1)).run(login)
        }
        let busy = try (0..<rounds).map { _ in
            try Measurement.take(on: server, connections: 1, seconds: seconds, Work.flowInit)
        }
        background.join()
        Report.row("flow init, nothing beside it", 1, idle)
        Report.row("flow init beside 8 logins", 1, busy)
        Report.line("\nmemory after the hashing: \(try server.usage.memory) KiB")
    }

    private static func start(_ folder: URL, _ hash: String) throws -> ServerProcess {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try ServerProcess(["server", folder.path(), hash], core: 0)
    }

    private static func enrol(_ people: Int, on server: ServerProcess) throws -> Int {
        let connection = try BlockingConnection(port: server.port)
        for person in 0..<people { try Work.register(connection, person: person) }
        return people
    }
}
