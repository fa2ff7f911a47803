import LatchkeyModel
import LatchkeyWire
import TestDatabases
import Testing

@testable import LatchkeyAccounts
@testable import LatchkeySelfService

/// Most of these tests send a request that differs from a valid one in a single respect.
@Suite(.onEachDatabase) struct `Token requests` {
    private static let exchange = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
    private static let type = "urn:ietf:params:oauth:token-type:access_token"

    /// A parameter name of the maximum length.
    ///
    /// `marks` is the longest accepted sequence of combining marks.
    private static let name = String(repeating: "n", count: 128)
    private static let marks = String(repeating: "%CC%81", count: 30)

    /// Bodies that must be rejected.
    ///
    /// In the bodies, `T` stands for the session token and `R` for a refresh token.
    static let refused: [(body: String, code: OAuthErrorBody.Code)] = [
        ("", .invalidRequest),
        ("grant_type=", .invalidRequest),
        ("grant_type=password&username=a&password=b", .unsupportedGrantType),
        ("grant_type=authorization_code&code=x", .unsupportedGrantType),
        ("grant_type=refresh_token", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=x", .invalidGrant),
        ("grant_type=refresh_token&refresh_token=lk_rt_x", .invalidGrant),
        ("grant_type=refresh_token&refresh_token=R&refresh_token=R", .invalidRequest),
        ("grant_type=refresh_token&grant_type=refresh_token&refresh_token=R", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&x=1&x=2", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&scope=all", .invalidScope),
        ("grant_type=refresh_token&refresh_token=R&client_id=another", .invalidClient),
        ("grant_type=refresh_token&refresh_token=R&x=%", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&x=%4", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&x=%G0", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&x=%FF", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&\(name)n=1", .invalidRequest),
        ("grant_type=refresh_token&refresh_token=R&x=a\(marks)%CC%81", .invalidRequest),
        ("grant_type=\(exchange)&subject_token=T", .invalidRequest),
        ("grant_type=\(exchange)&subject_token_type=\(type)", .invalidRequest),
        ("grant_type=\(exchange)&subject_token=T&subject_token_type=urn:x", .invalidRequest),
        (
            "grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)&requested_token_type=urn:x",
            .invalidRequest
        ),
        (
            "grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)&actor_token=T&actor_token_type=\(type)",
            .invalidRequest
        ),
        (
            "grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)&audience=https%3A%2F%2Fother.example",
            .invalidTarget
        ),
        (
            "grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)&resource=https%3A%2F%2Fother.example",
            .invalidTarget
        ),
        ("grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)&scope=read", .invalidScope),
    ]

    static let taken = [
        "grant_type=refresh_token&refresh_token=R",
        "grant_type=refresh%5Ftoken&refresh_token=R&x=&&y=%C3%A4+z",
        "grant_type=refresh_token&refresh_token=R&\(name)=1&x=a\(marks)",
        "refresh_token=R&client_id=latchkey&scope=&grant_type=refresh_token",
        "grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)",
        "grant_type=\(exchange)&subject_token=T&subject_token_type=\(type)&requested_token_type=\(type)"
            + "&audience=https%3A%2F%2Fid.example.com&audience=https://id.example.com&resource=https://id.example.com",
    ]

    private func send(_ body: String, type: String? = "application/x-www-form-urlencoded") async throws -> (
        server: OAuthServer, device: TokenDevice, answer: Answer, pair: TokenBody
    ) {
        try await send(body, types: type.map { [$0] } ?? [])
    }

    private func send(_ body: String, types: [String]) async throws -> (
        server: OAuthServer, device: TokenDevice, answer: Answer, pair: TokenBody
    ) {
        let server = try await OAuthServer()
        let device = try await TokenDevice(server)
        let pair = try await device.exchange()
        let filled =
            body
            .split(separator: "&", omittingEmptySubsequences: false)
            .map {
                $0.replacing(
                    "=T",
                    with: "=" + device.opened.token.secret.exposed,
                    maxReplacements: $0.hasSuffix("=T") ? 1 : 0
                )
            }
            .map {
                $0.replacing(
                    "=R",
                    with: "=" + pair.refreshToken.exposed,
                    maxReplacements: $0.hasSuffix("=R") ? 1 : 0
                )
            }
            .joined(separator: "&")
        var request = HTTP.Request(.post, Route.token, body: Array(filled.utf8))
        request.headers.fields = types.map { HTTP.Headers.Field(name: "Content-Type", value: $0) }
        return (server, device, try await device.send(request), pair)
    }

    @Test(arguments: refused)
    func `An invalid request returns an error code and has no effect`(
        body: String,
        code: OAuthErrorBody.Code
    )
        async throws
    {
        let (server, device, answer, pair) = try await send(body)

        #expect(answer.refusal == code)
        #expect(answer.status == (code == .invalidClient ? 401 : 400))
        #expect(answer["error_description"]?.text?.isEmpty == false)
        #expect(answer.response.headers["Cache-Control"] == "no-store")
        #expect(answer.response.headers["Pragma"] == "no-cache")
        #expect(answer.response.headers["DPoP-Nonce"] != nil)
        let text = String(decoding: answer.response.body, as: UTF8.self)
        #expect(!text.contains(pair.refreshToken.exposed))
        #expect(!text.contains(device.opened.token.secret.exposed))
        #expect(try await server.used(device.session) == 0)
        #expect(try await server.isAlive(device.session))
    }

    @Test(arguments: taken)
    func `Valid variants of the form are accepted`(body: String) async throws {
        _ = try await send(body).answer.pair()
    }

    @Test(arguments: [nil, "", "application/json", "text/plain", "application/x-www-form-urlencodedx"])
    func `The request must have the media type of a form`(type: String?) async throws {
        #expect(try await send(Self.taken[0], type: type).answer.refusal == .invalidRequest)
    }

    @Test(arguments: [
        "application/x-www-form-urlencoded; charset=UTF-8", "Application/X-WWW-Form-Urlencoded",
    ])
    func `Equivalent spellings of the media type are accepted`(type: String) async throws {
        _ = try await send(Self.taken[0], type: type).answer.pair()
    }

    @Test(arguments: [
        ["application/x-www-form-urlencoded", "text/plain"],
        ["text/plain", "application/x-www-form-urlencoded"],
        ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded"],
    ])
    func `A request with two media types is rejected and has no effect`(types: [String]) async throws {
        let (server, device, answer, _) = try await send(Self.taken[0], types: types)

        #expect(answer.status == 400)
        #expect(try await server.used(device.session) == 0)
    }

    @Test func `The size of a request is limited`() async throws {
        let answer = try await send(Self.taken[0] + "&x=" + String(repeating: "y", count: 20_000)).answer
        #expect(answer.status == 413)
        #expect(answer.refusal == .invalidRequest)
    }

    @Test func `The token endpoint only supports POST`() async throws {
        let server = try await OAuthServer()
        let answer = await server.get(Route.token)
        #expect(answer.status == 405)
        #expect(answer.response.headers["Allow"] == "OPTIONS, POST")
    }
}
