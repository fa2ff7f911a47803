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
        case glewlwyd
        case glewlwydWithNonces = "glewlwyd-nonces"
        case glewlwydWithBearerTokens = "glewlwyd-bearer"
    }

    /// The addresses of a provider.
    private struct Paths: Sendable {
        let token: String
        let userInfo: String
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
    private let kind: Kind
    private let folder = TemporaryFolder()
    private let process: ChildProcess
    private let network: any Transport

    /// Starts a provider.
    init(_ kind: Kind) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        self.kind = kind
        network = try CurlTransport()
        process = try await ChildProcess.start([
            root.appending(path: ".venv/bin/python").path(), "-B",
            root.appending(path: "Tests/Interop/openid_provider.py").path(), kind.rawValue,
            folder.path,
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

    /// A request that needs an access token, and is answered with the id of the user (`sub`).
    var userInfo: HTTP.Request { HTTP.Request(.get, paths.userInfo) }

    private var paths: Paths {
        switch kind {
        case .mock, .mockWithoutRefreshTokens: Paths(token: "/oauth2/token", userInfo: "/userinfo")
        case .django: Paths(token: "/o/token/", userInfo: "/o/userinfo/")
        case .glewlwyd, .glewlwydWithNonces, .glewlwydWithBearerTokens:
            Paths(token: "/api/oidc/token", userInfo: "/api/oidc/userinfo")
        }
    }

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
        return FormBrowser(
            over: network,
            redirectURI: Self.redirectURI,
            values: values,
            script: loginScript()
        )
    }

    /// Returns a browser whose user logs in, and grants only some of the scopes besides `openid`.
    func browser(granting scopes: Set<String>) -> FormBrowser {
        FormBrowser(over: network, redirectURI: Self.redirectURI, values: [:], script: loginScript(scopes))
    }

    /// Returns the script of the login page, or `nil` if the page has a form.
    ///
    /// The user grants the given scopes besides `openid`, or all of them.
    private func loginScript(_ scopes: Set<String>? = nil) -> PageScript? {
        switch kind {
        case .mock, .mockWithoutRefreshTokens, .django: nil
        case .glewlwyd, .glewlwydWithNonces, .glewlwydWithBearerTokens:
            GlewlwydPage(name: Self.name, password: Self.password, scopes: scopes).script
        }
    }

    // MARK: Tokens

    /// Returns whether a refresh token that isn't bound to a key is accepted.
    ///
    /// A provider that rotates refresh tokens replaces it.
    func accepts(_ refreshToken: Secret) async throws -> Bool {
        let form = [
            ("grant_type", "refresh_token"), ("refresh_token", refreshToken.exposed),
            ("client_id", Self.clientID),
        ]
        return try await post(form, to: paths.token).status == 200
    }

    /// Ends the login of a refresh token, as if the user had removed the app from the account.
    func endLogin(of refreshToken: Secret) async throws {
        let revocation = [("token", refreshToken.exposed), ("client_id", Self.clientID)]
        let response: HTTP.Response
        switch kind {
        case .mock, .mockWithoutRefreshTokens:
            response = try await post([], to: "/users/\(Self.name)/revoke-tokens")
        case .django:
            response = try await post(revocation, to: "/o/revoke_token/")
        case .glewlwyd, .glewlwydWithNonces, .glewlwydWithBearerTokens:
            // A grant type of Glewlwyd's own, because its endpoint for revocation rejects clients without a secret.
            let form = [
                ("grant_type", "delete_token"), ("refresh_token", refreshToken.exposed),
                ("client_id", Self.clientID),
            ]
            response = try await post(form, to: paths.token)
        }
        guard [200, 204].contains(response.status) else {
            throw Failure(text: String(decoding: response.body, as: UTF8.self))
        }
    }

    private func post(_ form: [(String, String)], to path: String) async throws -> HTTP.Response {
        try await network.send(HTTP.Request(form: form, to: path), to: origin, limits: RequestLimits())
    }
}
