import Foundation
import LatchkeyAccounts
import LatchkeyCrypto
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyTestKit
import LatchkeyWire
import Testing

@testable import LatchkeyServer

/// Runs a server that logs at every level, with a user who signs up, makes mistakes, and logs in and out.
///
/// The random source is seeded and the clock is stopped, so every run produces the same digits.
final class SecretRun: Sendable {
    static let phone = "+439999999999"
    static let password = "Gr\"ünes/Gläs+ \\42%Ω"
    static let wrongPassword = "Bla\"ues/Wasser+ \\17%Ψ"

    private let folder: String
    private let server: IdentityServer
    private let log = Locked<[UInt8]>([])
    private let terminal = Locked<[String]>([])
    private let time = VirtualTime()
    private let secrets = Locked<[SecretTraces]>([
        SecretTraces("password", text: SecretRun.password),
        SecretTraces("wrong password", text: SecretRun.wrongPassword),
    ])

    init(in folder: String) {
        self.folder = folder
        var configuration = ServerConfiguration(data: folder)
        configuration.port = 0
        configuration.admin.port = 0
        configuration.passwords.threads = 1
        configuration.passwords.memory = 8
        configuration.passwords.passes = 1
        configuration.logLevel = .trace
        server = IdentityServer(
            configuration: configuration,
            parts: ServerParts(
                time: time.background,
                random: SeededRandom(seed: 42),
                log: Log(.trace, time: time) { [log] line in log.withLock { $0 += line } },
                terminal: { [terminal] line in terminal.withLock { $0.append(line) } }
            )
        )
    }

    /// The byte sequences that would reveal a secret if they appeared in the database or the log.
    var traces: [SecretTraces] { secrets.withLock { $0 } }

    /// All log output.
    var logged: Data { Data(log.withLock { $0 }) }

    /// Returns the database files as they are stored on disk.
    func database() throws -> Data {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.contains(".db")
        }
        try #require(!names.isEmpty)
        return try names.sorted().reduce(into: Data()) { dump, name in
            dump += try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
    }

    func start() async throws {
        try await server.start()
        let key = try String(contentsOfFile: folder + "/ca.key", encoding: .utf8)
        try addKey("authority's key", SigningKey(pkcs8PEM: Secret(key)))
        for line in try String(contentsOfFile: folder + "/secrets", encoding: .utf8).split(separator: "\n") {
            add(SecretTraces("server's secret", bytes: try #require(Base64URL.decode(line))))
        }
    }

    func stop() async {
        await server.stop()
    }

    /// Performs each action once successfully, usually after some failed attempts.
    func perform() async throws {
        let flow = try await id(of: send(.get, "/a" + Route.registrationInit))
        let code = try await verify(flow)
        for phone in ["+4311111111", Self.phone] {
            _ = try await finish(flow, phone: phone, password: Self.password)
        }
        // Only the last registration succeeds, so the user can log in with its password.
        let token = try await logIn(Self.password)
        #expect(try await logIn(Self.wrongPassword) == nil)
        let pair = try await pair(enrol(#require(token)), token: #require(token))
        #expect(await send(.get, "/a" + Route.whoami, token: token).status == 200)
        await spill([Self.password, code, token ?? ""] + pair, token: token ?? "")
        let logout = ["session_token": JSONValue.string(token ?? "")]
        #expect(try await send(.delete, "/a" + Route.logout, json: logout).status == 204)
    }

    private func verify(_ flow: String) async throws -> String {
        let start = PhoneVerificationBody.Start(phoneNumber: Self.phone, flowId: flow)
        let sent = await send(.post, Route.phoneVerification, body: try JSONCoding.encode(start))
        try #require(sent.status == 201)
        let line = try #require(terminal.withLock { $0.last })
        let code = try #require(line.firstMatch(of: /\b[0-9]{6}\b/).map { String($0.output) })
        add(SecretTraces("code", text: code))
        for guess in ["000001", code] {
            let check = PhoneVerificationBody.Check(flowId: flow, otp: guess)
            let judged = await send(.patch, Route.phoneVerification, body: try JSONCoding.encode(check))
            #expect(judged.status == (guess == code ? 200 : 400))
        }
        return code
    }

    private func finish(_ flow: String, phone: String, password: String) async throws -> HTTP.Response {
        let response = try await send(
            .post,
            "/a" + Route.registration,
            query: "flow=\(flow)",
            json: [
                "method": .string("password"), "password": .string(password),
                "traits": .object([
                    "phone": .string(phone),
                    "name": .object(["first": .string("User"), "last": .string("Test")]),
                ]),
            ]
        )
        #expect(response.status == (phone == Self.phone ? 200 : 400))
        try addToken(of: response)
        return response
    }

    private func logIn(_ password: String) async throws -> String? {
        let flow = try await id(of: send(.get, "/a" + Route.loginInit))
        let response = try await send(
            .post,
            "/a" + Route.login,
            query: "flow=\(flow)",
            json: [
                "method": .string("password"), "identifier": .string(Self.phone),
                "password": .string(password),
            ]
        )
        return try addToken(of: response)
    }

    private func enrol(_ token: String) async throws -> SigningKey {
        let key = try SigningKey.generate()
        try addKey("device's key", key)
        let csr = try CertificateSigningRequest.pem(commonName: "device", key: key)
        let response = try await send(.put, Route.certificates, token: token, json: ["csr": .string(csr)])
        #expect(response.status == 200)
        return key
    }

    /// Exchanges the session and refreshes the tokens twice.
    ///
    /// Also sends a modified refresh token, which the server rejects.
    private func pair(_ key: SigningKey, token: String) async throws -> [String] {
        var tokens: [String] = []
        var request = TokenRequest.exchange(sessionToken: Secret(token))
        for number in 0..<3 {
            let answer = try await send(request, key)
            let pair = try JSONCoding.decode(TokenBody.self, from: answer.body)
            add(SecretTraces("access token", text: pair.accessToken.exposed))
            add(SecretTraces("refresh token", text: pair.refreshToken.exposed))
            // The database may contain the session and the number of a token, but not its secret code.
            let bytes = try #require(Base64URL.decode(pair.refreshToken.exposed.dropFirst("lk_rt_".count)))
            add(SecretTraces("refresh token's code", bytes: Array(bytes.suffix(32))))
            tokens = [pair.accessToken.exposed, pair.refreshToken.exposed]
            if number == 1 {
                let wrong = Secret(pair.refreshToken.exposed + "A")
                #expect(try await send(.refresh(wrong), key).status == 400)
            }
            request = .refresh(pair.refreshToken)
        }
        return tokens
    }

    private func send(_ request: TokenRequest, _ key: SigningKey) async throws -> HTTP.Response {
        var request = request.httpRequest
        let proof = DPoPProof(
            method: .post,
            url: try #require(server.url) + Route.token,
            id: Identifier().description,
            issuedAt: time.now
        )
        request.headers[DPoPProof.header] = try proof.signed(jwk: key.publicKey.jwk) {
            try key.rawSignature(for: $0)
        }
        return await server.handler.respond(to: request, from: .inProcess)
    }

    /// Sends the secrets in parts of requests that shouldn't contain them.
    private func spill(_ secrets: [String], token: String) async {
        for secret in secrets {
            let query = QueryItems.encode(secret)
            _ = await send(.get, "/a" + Route.loginInit, query: "return_to=\(query)&refresh=\(query)")
            _ = await send(.post, "/a" + Route.login, query: "flow=\(query)", body: Array(secret.utf8))
            _ = await send(.patch, Route.phoneVerification, body: Array("{\"otp\":\"\(secret)".utf8))
            _ = await send(
                .put,
                Route.certificates,
                token: token,
                body: Array("{\"csr\":\"\(secret)\"}".utf8)
            )
            _ = await send(HTTP.Method(rawValue: "POST" + query), "/a" + Route.whoami)
            _ = await send(.post, Route.token, query: query, body: Array(secret.utf8))
            _ = await send(.post, Route.revocation, query: "token=\(query)", body: Array(secret.utf8))
            var request = HTTP.Request(.get, "/a" + Route.whoami)
            request.headers["X-Request-ID"] = secret
            request.headers["Authorization"] = "Bearer " + secret
            request.headers["User-Agent"] = "test"
            _ = await server.handler.respond(to: request, from: .inProcess)
        }
    }

    private func send(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        token: String? = nil,
        json: [String: JSONValue]
    ) async throws -> HTTP.Response {
        await send(
            method,
            path,
            query: query,
            token: token,
            body: try JSONCoding.encode(JSONValue.object(json))
        )
    }

    private func send(
        _ method: HTTP.Method,
        _ path: String,
        query: String? = nil,
        token: String? = nil,
        body: [UInt8] = []
    ) async -> HTTP.Response {
        var request = HTTP.Request(method, path, query: query, body: body)
        request.headers["Content-Type"] = "application/json"
        request.headers["X-Session-Token"] = token
        return await server.handler.respond(to: request, from: .inProcess)
    }

    private func id(of response: HTTP.Response) throws -> String {
        try JSONCoding.decode(FlowBody.self, from: response.body).id
    }

    @discardableResult
    private func addToken(of response: HTTP.Response) throws -> String? {
        guard response.status == 200 else { return nil }
        let token = try #require(
            try JSONCoding.decode(AuthenticationBody.self, from: response.body).sessionToken
        )
        add(SecretTraces("token", text: token))
        add(SecretTraces("token without its prefix", text: String(token.dropFirst("lk_st_".count))))
        return token
    }

    /// Adds the private key in two parts because PEM may split it across lines.
    private func addKey(_ name: String, _ key: SigningKey) throws {
        let der = try key.pkcs8()
        let mark = try #require(der.firstRange(of: [0x02, 0x01, 0x01, 0x04, 0x20]))
        let number = der[mark.upperBound...].prefix(32)
        add(SecretTraces(name + ", first part", bytes: Array(number.prefix(12))))
        add(SecretTraces(name + ", last part", bytes: Array(number.suffix(20))))
    }

    private func add(_ traces: SecretTraces) {
        secrets.withLock { $0.append(traces) }
    }
}
