import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire

/// A network with two servers: the app's own API, which checks access tokens by itself, and the identity server.
final class ShopNetwork: Transport {
    static let url = "https://api.example.com"

    private struct State {
        var refused: Set<String> = []
        var refusesAll = false
        var tokens: [String] = []
    }

    let identity: TestTransport
    private let server: TestServer
    private let state = Locked(State())

    init(_ server: TestServer) {
        self.server = server
        identity = server.transport()
    }

    /// The tokens that requests to the API carried, good or not.
    var tokens: [String] { state.withLock { $0.tokens } }

    /// How often the identity server was asked for tokens.
    var renewals: Int { identity.exchanges.count { $0.request.path == "/oauth2/token" } }

    /// How often it gave some.
    var grants: Int {
        identity.exchanges.count { $0.request.path == "/oauth2/token" && $0.response?.status == 200 }
    }

    /// Makes the API refuse a token before its time, or all from now on.
    func refuse(_ token: String?) {
        state.withLock { state in
            if let token { state.refused.insert(token) } else { state.refusesAll = true }
        }
    }

    func send(_ request: HTTPRequest, to origin: String) async throws(TransportError) -> HTTPResponse {
        _ = try request.url(at: origin)
        guard origin == Self.url else { return try await identity.send(request, to: origin) }
        let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        let isRefused = state.withLock { state in
            state.tokens.append(token)
            return state.refusesAll || state.refused.contains(token)
        }
        return HTTPResponse(!isRefused && isGood(token) ? 200 : 401)
    }

    private func isGood(_ token: String) -> Bool {
        let parts = token.split(separator: ".")
        guard
            parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSONCoding.decode(JSONValue.self, from: payload),
            case .integer(let end)? = claims["exp"]
        else { return false }
        return server.time.now < Timestamp(seconds: end)
    }
}
