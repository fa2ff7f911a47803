import Foundation
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServer
import LatchkeyServerKit
import TestDatabases
import TestProcesses
import Testing

/// The time limit for the crash tests in minutes.
let crashMinutes = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 5 : 60

/// Tests the server process by killing it under load.
@Suite(.serialized, .timeLimit(.minutes(crashMinutes))) struct `Server recovery after a crash` {
    /// The number of rounds for each database.
    ///
    /// `scripts/check --deep` runs 100 rounds.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 4 : 100

    private static let flags = [
        "--identities-default-schema", "person", "--log-level", "error",
        "--limits-failures-per-address", "100000/1h",
    ]

    @Test(arguments: TestDatabase.all)
    func `After a crash, all acknowledged changes are stored and no change is incomplete`(
        database: TestDatabase
    ) async throws {
        let folder = TemporaryFolder()
        let url = database == .postgreSQL ? try await PostgresPool.shared.makeBare() : nil
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var users = SimulatedUsers()
        var recoveries: [Duration] = []
        var round = 0

        while round < Self.rounds {
            // All of the sink's messages are read again in every round, so we start a new sink every 10
            // rounds to limit the number of messages.
            let sink = try await MessageSink.http()
            let collecting = users.collect(from: sink)
            let flags = SimulatedUsers.flags(sink) + (url.map { ["--database", $0] } ?? [])
            let last = min(round + 10, Self.rounds)
            var server = try await ServerProcess(data: folder.path + "/data", flags: flags)
            while round < last {
                let victim = server
                let client = try FlowClient(victim)
                await users.run(at: client, for: Int.random(in: 10...150, using: &dice)) {
                    await victim.stop(SIGKILL)
                }
                let began = ContinuousClock.now
                server = try await ServerProcess(data: folder.path + "/data", flags: flags)
                let back = try FlowClient(server)
                #expect(await back.isReady())
                recoveries.append(began.duration(to: .now))
                try await users.check(at: back, sink)
                round += 1
                try #require(users.violations.isEmpty, "seed \(seed), round \(round): \(users.violations)")
            }
            await server.stop(SIGTERM)
            collecting.cancel()
        }
        print("Killed \(round) times on \(database): \(recoveries.summary) to be ready; \(users.done)")
        #expect(Set(users.done.keys) == Set(SimulatedUser.Step.allCases.map(\.rawValue)) || round < 10)
        if let url {
            let database = try await PostgreSQLDatabase.open(
                PostgreSQLLocation(Secret(url)),
                migrations: .all
            )
            try await Self.expectConsistency(of: database, people: users.accountCount)
        } else {
            let database = try await SQLiteDatabase.open(
                .file(folder.path + "/data/latchkey.db"),
                migrations: .all
            )
            #expect(try await database.rows("PRAGMA integrity_check").first?.text(0) == "ok")
            try await Self.expectConsistency(of: database, people: users.accountCount)
        }
    }

    @Test func `Every change is synced before it is acknowledged`() async throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let trace = folder.appending(path: "trace")
        let server = try await ServerProcess(
            data: folder.appending(path: "data").path(),
            flags: Self.flags,
            under: [
                "strace", "-D", "-f", "-s", "64", "-o", trace.path(), "-e",
                "trace=fsync,fdatasync,recvfrom,read,sendto,sendmsg,write,writev",
            ]
        )
        #expect(try await PersonClient(server.url).register(1))
        await server.stop(SIGTERM)

        let lines = try String(contentsOf: trace, encoding: .utf8).split(separator: "\n")
        let asked = try #require(lines.firstIndex { $0.contains(#""POST /a/self-service/registration"#) })
        let answered = try #require(lines[asked...].firstIndex { $0.contains(#""HTTP/1.1 200 OK"#) })
        let synced = lines[asked..<answered].contains { line in
            (line.contains("fdatasync") || line.contains("fsync")) && line.hasSuffix("= 0")
        }
        #expect(synced, "\(lines[asked...answered].joined(separator: "\n"))")
    }

    /// Expects the database to contain complete records for all users and none for deleted users.
    private static func expectConsistency(of database: any Database, people: Int) async throws {
        let counts: [(what: String, sql: SQL, each: Int)] = [
            ("identities", "SELECT count(*) FROM identities", 1),
            ("identifiers", "SELECT count(*) FROM identifiers", 2),
            ("addresses", "SELECT count(*) FROM addresses", 3),
            (
                "sessions without an identity",
                "SELECT count(*) FROM sessions WHERE identity_id NOT IN (SELECT id FROM identities)", 0
            ),
            (
                "passwords without an identity",
                "SELECT count(*) FROM passwords WHERE identity_id NOT IN (SELECT id FROM identities)", 0
            ),
            (
                "certificates without a session",
                "SELECT count(*) FROM certificates WHERE session_id NOT IN (SELECT id FROM sessions)", 0
            ),
        ]
        for (what, sql, each) in counts {
            let count = try await database.rows(sql).first?.integer(0)
            #expect(count == Int64(people * each), "\(what)")
        }
        await database.close()
    }
}

extension [Duration] {
    /// A text with the median and the maximum.
    var summary: String {
        let sorted = sorted()
        guard let longest = sorted.last else { return "none" }
        return "median \(sorted[sorted.count / 2]), maximum \(longest)"
    }
}
