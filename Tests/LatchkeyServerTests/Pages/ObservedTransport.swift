import LatchkeyCurl
import LatchkeyModel
import LatchkeyWire

/// A connection to the network that remembers the secrets of an app's requests, and of the responses.
final class ObservedTransport: Transport {
    private let transport: CurlTransport
    private let found = Locked<[String: Set<String>]>([:])

    init() throws {
        transport = try CurlTransport()
    }

    /// The secrets so far, by the names of their fields and parameters.
    var secrets: [String: Set<String>] { found.withLock { $0 } }

    func send(
        _ request: HTTP.Request,
        to origin: String,
        limits: RequestLimits
    ) async throws(TransportError) -> HTTP.Response {
        let response = try await transport.send(request, to: origin, limits: limits)
        for name in ["DPoP", "X-Session-Token"] { add(request.headers[name], as: name) }
        let credential = request.headers["Authorization"]?.split(separator: " ").last
        add(credential.map { String($0) }, as: "Authorization")
        let form = QueryItems(encoded: request.body)
        for name in ["code", "code_verifier", "nonce", "refresh_token", "state", "subject_token", "token"] {
            add(form[name], as: name)
        }
        let json = try? JSONCoding.decode(JSONValue.self, from: response.body)
        for name in ["access_token", "id_token", "refresh_token", "request_uri"] {
            add(json?[name]?.text, as: name)
        }
        return response
    }

    private func add(_ secret: String?, as name: String) {
        guard let secret, !secret.isEmpty else { return }
        found.withLock { _ = $0[name, default: []].insert(secret) }
    }
}
