import Foundation
import LatchkeySodium

/// Measures the server and, as a baseline, its HTTP adapter alone.
///
/// `scripts/bench` runs this program.
@main
struct Benchmark {
    private static let usage = """
        usage: LatchkeyBenchmark PART… [SECONDS A ROUND]

        PART is reads, writes, hashing, tokens, provider, accounts, connections, streams=COUNT, start, client, sessions=COUNT,
        publication=COUNT (terms published to so many event streams), guessing (a simulated month of attacks, some ten minutes), instructions (counted by callgrind, without
        rounds; with BENCH_SERVER, those of another build of this program) or all (without streams, sessions,
        publication, guessing and instructions). BENCH_DATABASE names the PostgreSQL database to use in place of a file; its
        schemas latchkey_bench and latchkey_bench_apart are emptied.
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "floor":
            try await Subject.serve(FloorServer(bytes: arguments.last.flatMap { Int($0) } ?? 1000))
        case "server":
            let cheap = Argon2idParameters(memory: 8, iterations: 1) ?? .recommended
            try await LatchkeyServerSubject.run(
                folder: arguments.dropFirst().first ?? ".",
                hash: arguments.contains("cheap") ? cheap : .recommended,
                database: Bench.database,
                isApart: arguments.contains("apart"),
                isJoining: arguments.contains("join")
            )
        // The benchmark launches these two programs and measures how long they take to start.
        case "empty": break
        case "restore": try await RestoredSession(folder: arguments.last ?? ".").run(isGrant: false)
        case "restore-grant": try await RestoredSession(folder: arguments.last ?? ".").run(isGrant: true)
        default: try await measure(arguments)
        }
    }

    private static func measure(_ arguments: [String]) async throws {
        let seconds = arguments.last.flatMap { Double($0) }
        let parts = seconds == nil ? arguments : Array(arguments.dropLast())
        guard !parts.isEmpty else { return print(usage) }
        let bench = Bench(seconds: seconds ?? 3)
        defer { bench.removeFolder() }
        Report.line(
            "Servers on core 0, load on core 1, on \(Bench.database == nil ? "SQLite" : "PostgreSQL"); "
                + "\(Bench.rounds) rounds of \(bench.seconds) s, interleaved; medians."
        )
        for part in parts {
            switch part {
            case "reads": try bench.reads()
            case "writes": try bench.writes()
            case "hashing": try bench.hashing()
            case "tokens": try bench.refreshes()
            case "provider": try bench.provider()
            case "accounts": try bench.accounts()
            case "connections": try bench.connections()
            case "start": try bench.start()
            case "client":
                try await bench.authorizedRequests()
                try bench.restoredSession()
            case "guessing": try bench.guessing()
            case "instructions": try bench.instructions()
            case "all":
                try bench.start()
                try bench.reads()
                try bench.writes()
                try bench.hashing()
                try bench.refreshes()
                try bench.provider()
                try bench.accounts()
                try bench.connections()
                try await bench.authorizedRequests()
                try bench.restoredSession()
            case _ where part.hasPrefix("streams="):
                try bench.streams(Int(part.dropFirst(8)) ?? 5000)
            case _ where part.hasPrefix("publication="):
                try bench.publication(Int(part.dropFirst(12)) ?? 10_000)
            case _ where part.hasPrefix("sessions="):
                try bench.sessions(part.dropFirst(9).split(separator: ",").compactMap { Int($0) })
            default: return print(usage)
            }
        }
    }
}
