import LatchkeyModel
import LatchkeyServerCore
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer

@Suite struct `The client behind a proxy` {
    /// Answers with the address that it sees.
    private struct Mirror: HTTPHandler {
        func respond(to request: HTTPRequest, from peer: PeerAddress) async -> HTTPResponse {
            HTTPResponse(200, body: Array(peer.host.utf8))
        }
    }

    static let hops: [(peer: String, forwarded: [String], seen: String)] = [
        ("192.0.2.1", [], "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9, 198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["203.0.113.9", "198.51.100.7"], "198.51.100.7"),
        ("10.0.0.1", ["198.51.100.7, 10.0.0.2"], "198.51.100.7"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
        ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.7, <script>"], "10.0.0.1"),
    ]

    @Test(arguments: hops)
    func `is the last address that no trusted proxy has`(peer: String, forwarded: [String], seen: String)
        async
    {
        var request = HTTPRequest(.get, "/")
        request.headers.fields = forwarded.map { HTTPHeaders.Field(name: "x-forwarded-for", value: $0) }
        let handler = ForwardedPeer(Mirror(), trusting: ["10.0.0.1", "10.0.0.2"])

        let response = await handler.respond(to: request, from: PeerAddress(host: peer, port: 1))

        #expect(String(decoding: response.body, as: UTF8.self) == seen)
    }

    @Test(arguments: [
        (["for=192.0.2.60"], "192.0.2.60"),
        (["For=\"[2001:db8::17]:4711\""], "2001:db8::17"),
        (["for=192.0.2.43:47011;proto=https;by=203.0.113.43"], "192.0.2.43"),
        (["proto=https; for = 192.0.2.43"], "192.0.2.43"),
        (["for=1.1.1.1, for=192.0.2.43, for=10.9.9.9"], "192.0.2.43"),
        (["for=1.1.1.1", "for=192.0.2.43"], "192.0.2.43"),
        (["for=1.1.1.1;x=\", for=6.6.6.6\""], "1.1.1.1"),
        (["for=192.0.2.43, for=unknown"], "10.0.0.1"),
        (["for=_hidden"], "10.0.0.1"),
        (["proto=https"], "10.0.0.1"),
        ([], "10.0.0.1"),
    ])
    func `is whom trusted proxies name by the header of RFC 7239`(forwarded: [String], seen: String) async {
        var request = HTTPRequest(.get, "/")
        request.headers.fields = forwarded.map { HTTPHeaders.Field(name: "Forwarded", value: $0) }
        // What the proxies pass on is the client's own word.
        request.headers.fields.append(HTTPHeaders.Field(name: "X-Forwarded-For", value: "6.6.6.6"))
        let handler = ForwardedPeer(Mirror(), trusting: ["10.0.0.0/8"], in: .forwarded)

        let response = await handler.respond(to: request, from: PeerAddress(host: "10.0.0.1", port: 1))

        #expect(String(decoding: response.body, as: UTF8.self) == seen)
    }
}

@Suite struct `A range of addresses` {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "10.0.0.2", false), ("192.168.4.0/22", "192.168.7.255", true),
        ("192.168.4.0/22", "192.168.8.0", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true),
        ("10.0.0.0/8", "10.0.0.1 ", false), ("10.0.0.0/8", "", false),
    ])
    func `has the addresses that begin as it does`(range: String, host: String, isIn: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(host) == isIn)
    }

    @Test(arguments: [
        "", "x", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "1.2.3.4:80",
    ])
    func `is read from nothing else`(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}

@Suite struct `Health` {
    private struct Gone: Database {
        func rows(_ sql: StaticString, _ values: [SQLValue]) async throws(DatabaseError) -> [Row] {
            throw DatabaseError(.unavailable, "gone")
        }

        func transaction<Outcome: Sendable>(
            _ body: @escaping @Sendable (borrowing Transaction) throws -> Outcome
        ) async throws -> Outcome {
            throw DatabaseError(.unavailable, "gone")
        }

        func close() async {}
    }

    @Test(arguments: [(Route.alive, 200), (Route.ready, 503)])
    func `tells a server that lives from one that can work`(path: String, status: Int) async {
        let health = Router(HealthEndpoints(database: Gone()).endpoints, basePath: "", time: VirtualTime())

        #expect(await health.respond(to: HTTPRequest(.get, path), from: .inProcess).status == status)
    }

    @Test func `is good while the database answers`() async throws {
        let server = try await TestServer()
        let database = try #require(server.database)
        let health = Router(HealthEndpoints(database: database).endpoints, basePath: "", time: VirtualTime())

        #expect(await health.respond(to: HTTPRequest(.get, Route.ready), from: .inProcess).status == 200)
        await server.stop()
    }

    @Test func `is not asked of a server that has not begun`() async {
        #expect(await HandlerSlot().respond(to: HTTPRequest(.get, "/"), from: .inProcess).status == 503)
    }
}
