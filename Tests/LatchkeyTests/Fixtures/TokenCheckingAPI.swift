import Latchkey
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire

/// An app's API, which accepts access tokens until they expire.
final class TokenCheckingAPI: Sendable {
    static let url = "https://api.example.com"

    private struct State {
        var refused: Set<String> = []
        var refusesAll = false
        var tokens: [String] = []
    }

    private let time: VirtualTime
    private let state = Locked(State())

    init(time: VirtualTime) {
        self.time = time
    }

    /// The tokens of all requests, including rejected ones.
    var tokens: [String] { state.withLock { $0.tokens } }

    /// Rejects the given token from now on, or all tokens if `token` is `nil`.
    func refuse(_ token: String?) {
        state.withLock { state in
            if let token { state.refused.insert(token) } else { state.refusesAll = true }
        }
    }

    /// Returns 200, or 401 if the request has no valid token.
    func response(to request: HTTP.Request) -> HTTP.Response {
        let token = request.headers["Authorization"].map { String($0.dropFirst("Bearer ".count)) } ?? ""
        let isRefused = state.withLock { state in
            state.tokens.append(token)
            return state.refusesAll || state.refused.contains(token)
        }
        return HTTP.Response(!isRefused && isValid(token) ? 200 : 401)
    }

    private func isValid(_ token: String) -> Bool {
        let parts = token.split(separator: ".")
        guard
            parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
            let claims = try? JSONCoding.decode(JSONValue.self, from: payload),
            case .integer(let expiry)? = claims["exp"]
        else { return false }
        return time.now < Timestamp(seconds: expiry)
    }
}
