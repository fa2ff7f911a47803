import LatchkeyModel
import LatchkeyWire
import TestSpellings
import Testing

@testable import LatchkeyCommand

@Suite struct `Admin API client` {
    private static let id = "9a8cbfb3-87bd-4087-b48d-2569b1b43386"
    private static let other = "c8cd0b5f-4b3c-4c5e-8a59-2f8d0c7e11aa"

    private static func identity(_ id: String, _ traits: String) -> String {
        #"{"id": "\#(id)", "traits": \#(traits)}"#
    }

    /// Returns a client for a server that sends the same response to every request.
    private func client(_ body: String) -> AdminClient {
        AdminClient { _ in HTTP.Response(200, body: Array(body.utf8)) }
    }

    @Test(
        arguments: (TypedSpellings.phones + TypedSpellings.emails + TypedSpellings.names).filter {
            $0.value != nil
        }
    )
    func `An identity can be found by every spelling of its login identifier`(
        _ spelling: TypedSpellings.Text
    ) async throws {
        let traits = JSONValue.object(["login": .string(try #require(spelling.value))])
        let found = JSONValue.array([["id": .string(Self.id), "traits": traits]])
        let query = Locked<String?>(nil)
        let client = AdminClient { request in
            query.withLock { $0 = request.query }
            return HTTP.Response(200, body: (try? JSONCoding.encode(found)) ?? [])
        }

        #expect(try await client.identity(named: spelling.typed)["id"]?.text == Self.id)

        // The server maps the spelling itself.
        let sent = query.withLock(\.self).flatMap { QueryItems($0)["credentials_identifier"] }
        #expect(sent == spelling.typed)
    }

    @Test(arguments: ["", " ", "\t \n"])
    func `A blank identity name is rejected before a request is sent`(name: String) async {
        let requests = Locked(0)
        let body = "[\(Self.identity(Self.id, "{}"))]"
        let client = AdminClient { _ in
            requests.withLock { $0 += 1 }
            return HTTP.Response(200, body: Array(body.utf8))
        }

        let failure = await #expect(throws: CommandFailure.self) { try await client.identity(named: name) }
        let path = await #expect(throws: CommandFailure.self) { try await client.path(of: name) }

        #expect(failure?.code == .usage)
        #expect(path?.code == .usage)
        #expect(requests.withLock { $0 } == 0)
    }

    @Test(arguments: [
        ("USER@example.com", #"{"email": "user@example.com"}"#),
        ("user@example.com", #"{"contacts": {"emails": ["a@example.com", "User@Example.com"]}}"#),
        ("+439999999999", #"{"phone": "+439999999999"}"#),
    ])
    func `An identity can be found wherever its traits contain the login identifier`(
        name: String,
        traits: String
    )
        async throws
    {
        let client = client("[\(Self.identity(Self.id, traits))]")

        #expect(try await client.identity(named: name)["id"]?.text == Self.id)
        #expect(try await client.path(of: name) == "/admin/identities/" + Self.id)
    }

    private static let same = identity(id, #"{"email": "user@example.com"}"#)

    @Test(arguments: [
        ("user@example.com", "[\(same), \(same)]"),
        ("user@example.com", "[\(identity(id, #"{"email": "other@example.com"}"#))]"),
        ("user@example.com", "[\(identity(id, "{}"))]"),
        ("user@example.com", "[\(identity("", #"{"email": "user@example.com"}"#))]"),
        ("user@example.com", same), ("user@example.com", "null"), (id, identity(other, "{}")),
    ])
    func `A response for a different identity is rejected`(name: String, body: String) async {
        let failure = await #expect(throws: CommandFailure.self) {
            try await client(body).identity(named: name)
        }

        #expect(failure?.code == .failed)
        #expect(failure?.message == "the server did not return the requested identity")
    }

    @Test(arguments: [id, "user@example.com"])
    func `A response that is not JSON is reported`(name: String) async {
        let failure = await #expect(throws: CommandFailure.self) {
            try await client("<html></html>").identity(named: name)
        }

        #expect(failure?.code == .failed)
        #expect(failure?.message == "the server's response is not valid JSON")
    }
}
