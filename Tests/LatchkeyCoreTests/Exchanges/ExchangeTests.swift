import LatchkeyCore
import LatchkeyModel
import LatchkeyWire
import Testing

@Suite struct `The tap on the traffic` {
    private func tapped(_ request: HTTPRequest, answer: HTTPResponse = HTTPResponse(200)) async throws
        -> Exchange
    {
        let server = FakeIdentityServer()
        server.plan("\(request.method.rawValue) \(request.path)", .answer(answer))
        let seen = Locked<[Exchange]>([])
        let transport = TappedTransport(server) { exchange in seen.withLock { $0.append(exchange) } }

        let passedOn = try await transport.send(request, to: "https://id.example.com")

        #expect(passedOn.body == answer.body)
        #expect(server.requests.first?.body == request.body)
        return try #require(seen.withLock { $0.count == 1 ? $0.first : nil })
    }

    @Test(arguments: [
        (#"{"a":1,"password":"x","b":[2, 3]}"#, #"{"a":1,"password":"‹secret›","b":[2, 3]}"#),
        (#"{ "otp" : "271501" , "z":true}"#, #"{ "otp" : "‹secret›" , "z":true}"#),
        (
            #"{"session_token":"lk","session":{"id":"s"}}"#,
            #"{"session_token":"‹secret›","session":{"id":"s"}}"#
        ),
        (#"{"password":{"deep":["x","}"]},"b":1}"#, #"{"password":"‹secret›","b":1}"#),
        (#"{"code":271501}"#, #"{"code":"‹secret›"}"#),
        (#"{"error":{"code":400}}"#, #"{"error":{"code":400}}"#),
        (#"{"pass\u0077ord":"x"}"#, #"{"pass\u0077ord":"‹secret›"}"#),
        (#"{"PassWord":"a\"b\\"}"#, #"{"PassWord":"‹secret›"}"#),
        (
            #"{"value":"password","text":"say \"password\": x"}"#,
            #"{"value":"password","text":"say \"password\": x"}"#
        ),
        (#"{"password":null,"token":""}"#, #"{"password":null,"token":""}"#),
        (#"["password",":",{"token":[1]}]"#, #"["password",":",{"token":"‹secret›"}]"#),
        ("password=x", "‹10 bytes›"),
        ("", ""),
    ])
    func `shows bodies without secrets, and the rest byte for byte`(_ body: String, _ shown: String)
        async throws
    {
        let bytes = Array(body.utf8)

        let exchange = try await tapped(
            HTTPRequest(.post, "/x", body: bytes),
            answer: HTTPResponse(200, body: bytes)
        )

        #expect(String(decoding: exchange.request.body, as: UTF8.self) == shown)
        #expect(String(decoding: try exchange.outcome.get().body, as: UTF8.self) == shown)
    }

    @Test func `shows headers and queries without secrets`() async throws {
        let headers: HTTPHeaders = [
            "X-Session-Token": "t", "authorization": "Bearer t", "Accept": "a", "Cookie": "c", "DPoP": "p",
        ]

        let exchange = try await tapped(
            HTTPRequest(.get, "/x", query: "flow=f&token=t&c%6Fde=1", headers: headers),
            answer: HTTPResponse(200, headers: ["Set-Cookie": "c", "ETag": "e"])
        )

        #expect(
            exchange.request.headers.fields.map(\.value)
                == ["‹secret›", "‹secret›", "a", "‹secret›", "‹secret›"]
        )
        #expect(exchange.request.query == "flow=f&token=‹secret›&c%6Fde=‹secret›")
        #expect(try exchange.outcome.get().headers.fields.map(\.value) == ["‹secret›", "e"])
    }

    @Test func `tells of requests without an answer`() async throws {
        let server = FakeIdentityServer()
        server.plan("GET /x", .fail(.timedOut))
        let seen = Locked<[Exchange]>([])
        let transport = TappedTransport(server) { exchange in seen.withLock { $0.append(exchange) } }

        _ = try? await transport.send(HTTPRequest(.get, "/x"), to: "https://id.example.com")

        guard case .failure(let error) = seen.withLock({ $0.first?.outcome }) else {
            Issue.record("Nothing was told.")
            return
        }
        #expect(error.code == .timedOut)
    }
}
