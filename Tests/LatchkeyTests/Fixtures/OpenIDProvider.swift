import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import TestProcesses

/// An OpenID provider of another vendor in a separate process, with a user and a native app.
final class OpenIDProvider: Sendable {
    /// The providers, which `Tests/Interop/openid_provider.py` describes.
    enum Kind: String {
        case mock
        case mockWithoutRefreshTokens = "mock-access"
        case django
    }

    /// Thrown if the provider does not start, or rejects a request.
    ///
    /// The text is the provider's output.
    struct Failure: Error {
        let text: String
    }

    private static let clientID = "shop-app"
    private static let redirectURI = "com.example.shop:/callback"
    private static let name = "person"
    private static let password = "Plenty-of-Salt-1"

    /// The time until an access token expires.
    static let lifespan: Duration = .seconds(3600)

    let issuer: String
    private let isDjango: Bool
    private let process: ChildProcess
    private let network: any Transport

    /// Starts a provider.
    init(_ kind: Kind) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        isDjango = kind == .django
        network = try CurlTransport()
        process = try await ChildProcess.start([
            root.appending(path: ".venv/bin/python").path(), "-B",
            root.appending(path: "Tests/Interop/openid_provider.py").path(), kind.rawValue,
        ])
        let output = await process.output(until: "\n")
        guard let line = output.split(separator: "\n").first, line.hasPrefix("http://") else {
            process.signal(SIGKILL)
            throw Failure(text: await process.outcome().text)
        }
        issuer = String(line)
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// The scheme, host and port.
    var origin: String { WebAddress(issuer)?.origin ?? issuer }

    /// The id of the user (`sub`).
    var subject: String { isDjango ? "1" : Self.name }

    /// A request that needs an access token.
    var userInfo: HTTP.Request { HTTP.Request(.get, isDjango ? "/o/userinfo/" : "/userinfo") }

    // MARK: The app and its user

    /// Returns a client of the app on a new device, which trusts the provider unless another issuer is given.
    func client(
        issuer: String? = nil,
        time: VirtualTime = VirtualTime(now: SystemTime().now)
    ) throws -> LatchkeyClient {
        try LatchkeyClient(  // Nothing listens there, because no request needs an identity server.
            server: "http://127.0.0.1:9",
            app: "com.example.shop",
            apiOrigins: [origin]
        ) {
            $0.store = MemoryStore()
            $0.client = ClientRegistration(
                id: Self.clientID,
                redirectURIs: [Self.redirectURI],
                issuer: issuer ?? self.issuer
            )
            $0.transport = try CurlTransport()
            $0.languages = []
            $0.time = DeviceClock(time)
        }
    }

    /// Returns a browser whose user logs in, and consents to the login or refuses it.
    func browser(consenting consents: Bool = true) -> FormBrowser {
        var values = ["sub": Self.name, "username": Self.name, "password": Self.password]
        values["allow"] = consents ? "Authorize" : nil
        return FormBrowser(over: network, redirectURI: Self.redirectURI, values: values)
    }

    // MARK: Tokens

    /// Returns whether a refresh token is accepted.
    ///
    /// A provider that rotates refresh tokens replaces it.
    func accepts(_ refreshToken: Secret) async throws -> Bool {
        let form = [
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken.exposed),
            ("client_id", Self.clientID),
        ]
        return try await post(form, to: isDjango ? "/o/token/" : "/oauth2/token").status == 200
    }

    /// Ends the login of a refresh token, as if the user had removed the app from the account.
    func endLogin(of refreshToken: Secret) async throws {
        let response = try await post(
            [("token", refreshToken.exposed), ("client_id", Self.clientID)],
            to: isDjango ? "/o/revoke_token/" : "/users/\(Self.name)/revoke-tokens"
        )
        guard [200, 204].contains(response.status) else {
            throw Failure(text: String(decoding: response.body, as: UTF8.self))
        }
    }

    private func post(_ form: [(String, String)], to path: String) async throws -> HTTP.Response {
        try await network.send(HTTP.Request(form: form, to: path), to: origin, limits: RequestLimits())
    }
}
