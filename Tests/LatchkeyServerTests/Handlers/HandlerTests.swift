import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer

@Suite struct `IP addresses` {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::FFFF:C000:0201", "192.0.2.1"),
        ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("2001:0db8::0001", "2001:db8::1"), ("::", "::"),
        ("::1", "::1"), ("1::", "1::"), ("0:0:0:0:0:0:0:0", "::"),
        // The rules of RFC 5952, section 4.2.
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
        ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"), ("fe80::1", "fe80::1"), ("::192.0.2.1", "::c000:201"),
    ])
    func `An address is shown in its canonical text form`(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
        #expect(IPAddress(bytes: address.bytes) == address)
    }

    @Test(arguments: [
        "", " 192.0.2.1", "192.0.2.1 ", "192.0.2.1\0", "192.0.2", "192.0.2.256", "192.0.2.01", "192.0.2.1:80",
        "[::1]", "::1%eth0", "2001:db8::1::2", "localhost",
    ])
    func `Text that isn't an address is rejected`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("::ffff:192.0.2.1", 80, "192.0.2.1:80"), ("192.0.2.1", nil, "192.0.2.1"),
            ("2001:DB8::1", 80, "[2001:db8::1]:80"), ("2001:DB8::1", nil, "2001:db8::1"),
        ] as [(String, UInt16?, String)]
    )
    func `A client is shown with its port only if there is one`(
        host: String,
        port: UInt16?,
        text: String
    ) throws {
        #expect(PeerAddress(try #require(IPAddress(host)), port: port).description == text)
    }
}

@Suite struct `Address ranges` {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "10.0.0.2", false), ("192.168.4.0/22", "192.168.7.255", true),
        ("192.168.4.0/22", "192.168.8.0", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ("::ffff:10.0.0.0/8", "10.1.2.3", true), ("10.0.0.0/8", "::10.1.2.3", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/33", "2001:db8:ffff::1", false),
        ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1", "2001:db8::2", false),
        ("2001:db8::/96", "2001:db8::1:1", true), ("2001:db8::/112", "2001:db8::1:1", false),
        ("::/0", "2001:db8::1", true), ("::/0", "10.0.0.1", false),
    ])
    func `An address range matches addresses by prefix`(range: String, host: String, isIn: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(host))) == isIn)
    }

    @Test(arguments: [
        "", "x", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "1.2.3.4:80",
    ])
    func `An address range in an unsupported notation is rejected`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}

@Suite struct `Health routes` {
    private struct Gone: Database {
        let broadcast = Broadcast()
        let writes = WriteHealth()

        func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
            throw DatabaseError(.unavailable, message: "gone")
        }

        func transaction<Outcome: Sendable>(
            _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
        ) async throws -> Outcome {
            throw DatabaseError(.unavailable, message: "gone")
        }

        func close() async {}
    }

    /// A database that can be read but not written to until its disk has room.
    private final class FullDatabase: Database {
        let broadcast = Broadcast()
        let writes = WriteHealth()
        let attempts = Locked(0)
        let hasRoom = Locked(false)

        func rows(_ sql: SQL, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] { [] }

        func transaction<Outcome: Sendable>(
            _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
        ) async throws -> Outcome {
            attempts.withLock { $0 += 1 }
            guard hasRoom.withLock({ $0 }) else {
                let error = DatabaseError(.unavailable, message: "full")
                writes.record(error)
                throw error
            }
            writes.recordSuccess()
            return try body(Transaction { _, _ in StatementOutcome(rows: [], changes: 1) })
        }

        func close() async {}
    }

    @Test func `While writes fail, the server isn't ready and tries to write every five seconds`() async {
        let (database, time) = (FullDatabase(), VirtualTime())
        let routes = Router(
            HealthEndpoints(database: database, time: time).endpoints,
            basePath: "",
            time: time
        )
        func ready() async -> Int {
            await routes.respond(to: HTTP.Request(.get, Route.ready), from: .inProcess).status
        }
        #expect(await ready() == 200)
        #expect(database.attempts.withLock { $0 } == 0)

        try? await database.transaction { _ in }
        for _ in 0..<3 {
            let before = database.attempts.withLock { $0 }
            for _ in 0..<3 { #expect(await ready() == 503) }
            #expect(database.attempts.withLock { $0 } == before + 1)
            time.advance(by: .seconds(5))
        }
        #expect(await ready() == 503)
        database.hasRoom.withLock { $0 = true }
        #expect(await ready() == 503)
        time.advance(by: .seconds(5))
        #expect(await ready() == 200)
        let attempts = database.attempts.withLock { $0 }
        time.advance(by: .seconds(5))
        #expect(await ready() == 200)
        #expect(database.attempts.withLock { $0 } == attempts)
    }

    @Test func `A server whose database is full is ready again once a write succeeds`() async throws {
        let server = try await TestServer()
        let database = try #require(server.database)
        func ready() async -> HTTP.Response {
            await server.handler.respond(to: HTTP.Request(.get, Route.ready), from: .inProcess)
        }
        let random = SystemRandom()
        func fill(withNamesOf length: Int) async throws {
            let name = Base64URL.encode(random.bytes(length))
            _ = try await database.transaction { transaction in
                try transaction.execute(
                    "INSERT INTO leases (name, held_until) VALUES ($1, 0)",
                    .text(name)
                )
            }
        }
        #expect(await ready().status == 200)

        // SQLite never sets the limit below the current size.
        _ = try await database.transaction { try $0.rows("PRAGMA max_page_count = 1") }
        // Not even the small row of the check fits into any page.
        for length in [1000, 100, 4] {
            var refusals = 0
            while refusals < 30 {
                if (try? await fill(withNamesOf: length)) == nil { refusals += 1 } else { refusals = 0 }
            }
        }
        let error = await #expect(throws: DatabaseError.self) { try await fill(withNamesOf: 1 << 20) }
        #expect(error?.serverError.status == 503)
        #expect(error?.serverError.reason == ServerError.storageUnavailable.reason)
        #expect(await ready().status == 503)
        #expect(String(decoding: await ready().body, as: UTF8.self).contains("storage"))

        // This transaction changes no rows, so it succeeds on a full disk, too.
        _ = try await database.transaction { try $0.rows("PRAGMA max_page_count = 1073741823") }
        #expect(await ready().status == 503)
        server.time.advance(by: .seconds(5))
        #expect(await ready().status == 200)
        await server.stop()
    }

    @Test(arguments: [(Route.alive, 200), (Route.ready, 503)])
    func `The routes distinguish a live server from a ready one`(path: String, status: Int) async {
        let health = Router(
            HealthEndpoints(database: Gone(), time: VirtualTime()).endpoints,
            basePath: "",
            time: VirtualTime()
        )

        #expect(await health.respond(to: HTTP.Request(.get, path), from: .inProcess).status == status)
    }

    @Test func `The response is 200 if the database is available`() async throws {
        let server = try await TestServer()
        let database = try #require(server.database)
        let health = Router(
            HealthEndpoints(database: database, time: VirtualTime()).endpoints,
            basePath: "",
            time: VirtualTime()
        )

        #expect(await health.respond(to: HTTP.Request(.get, Route.ready), from: .inProcess).status == 200)
        await server.stop()
    }

    @Test func `The response is 503 before the server has started`() async {
        #expect(
            await ReplaceableHandler().respond(to: HTTP.Request(.get, "/"), from: .inProcess).status == 503
        )
    }
}
