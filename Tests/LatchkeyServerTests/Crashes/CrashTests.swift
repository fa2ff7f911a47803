import Foundation
import LatchkeyModel
import LatchkeyPostgreSQL
import LatchkeySQLite
import LatchkeyServerCore
import TestDatabases
import TestProcesses
import Testing

/// The server as an operator runs it, ended without warning.
@Suite(.serialized) struct `A server that is killed` {
    /// 50 with `scripts/check --deep`.
    private static let rounds = ProcessInfo.processInfo.environment["DEEP_TESTS"] == nil ? 4 : 50

    private static let flags = [
        "--identities-default-schema", "person", "--log-level", "error",
        "--limits-failures-per-address", "100000/1h",
    ]

    @Test(arguments: TestDatabase.all)
    func `has kept every registration that it acknowledged, and no half of another`(
        database: TestDatabase
    ) async throws {
        let folder = URL.temporaryDirectory.appending(path: "latchkey-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = database == .postgreSQL ? try await PostgresPool.shared.makeBare() : nil
        let flags = Self.flags + (url.map { ["--database", $0] } ?? [])
        let seed = UInt64.random(in: 0...UInt64.max)
        var dice = SeededDice(seed: seed)
        var next = 0

        for round in 0..<Self.rounds {
            let place = "seed \(seed), round \(round)"
            let people = next..<(next + 64)
            next = people.upperBound
            let victim = try await ServerProcess(data: folder.path(), flags: flags)
            // After so many registrations have begun, the server dies under the rest.
            let fuse = Fuse(length: Int.random(in: 1...40, using: &dice))
            let acknowledged = try await Crowd.register(people, at: victim.url, burning: fuse) {
                await victim.stop(SIGKILL)
            }

            let server = try await ServerProcess(data: folder.path(), flags: flags)
            let client = try PersonClient(server.url)
            for person in people {
                let isIn = await client.logIn(person)
                if acknowledged.contains(person) { #expect(isIn, "\(place): \(person) was acknowledged") }
                if isIn {
                    #expect(
                        await client.logIn(person, with: PersonClient.phone),
                        "\(place): half of \(person)"
                    )
                } else {
                    #expect(await client.register(person), "\(place): \(person) can begin anew")
                }
            }
            await server.stop(SIGTERM)
        }
        if let url {
            let database = try await PostgreSQLDatabase.open(PostgreSQLLocation(Secret(url)))
            try await Self.expectWholeness(of: database, people: next)
        } else {
            let file = folder.appending(path: "latchkey.db").path()
            let database = try await SQLiteDatabase.open(.file(file))
            #expect(try await database.rows("PRAGMA integrity_check").first?.text(0) == "ok")
            try await Self.expectWholeness(of: database, people: next)
        }
    }

    @Test func `had synced before it acknowledged`() async throws {
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

    /// Looks into the database: everybody is there with everything.
    private static func expectWholeness(of database: any Database, people: Int) async throws {
        for (table, each) in [("identities", 1), ("passwords", 1), ("identifiers", 2), ("addresses", 3)] {
            let sql: StaticString =
                switch table {
                case "identities": "SELECT count(*) FROM identities"
                case "passwords": "SELECT count(*) FROM passwords"
                case "identifiers": "SELECT count(*) FROM identifiers"
                default: "SELECT count(*) FROM addresses"
                }
            let count = try await database.rows(sql).first?.integer(0)
            #expect(count == Int64(people * each), "\(table)")
        }
        await database.close()
    }
}
