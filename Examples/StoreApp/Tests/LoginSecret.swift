import LatchkeyWire

/// A secret that an app and the server have exchanged during a login.
struct LoginSecret: Sendable {
    let name: String
    let value: String

    /// Returns the secrets in an exchange.
    static func all(in request: HTTP.Request, and response: HTTP.Response?) -> [LoginSecret] {
        let form = QueryItems(encoded: request.body)
        let json = try? JSONCoding.decode(JSONValue.self, from: response?.body ?? [])
        let all =
            ["DPoP", "X-Session-Token"].map { ($0, request.headers[$0]) }
            + ["code", "code_verifier", "state", "nonce", "subject_token", "request_uri"].map {
                ($0, form[$0])
            }
            + ["access_token", "id_token", "refresh_token", "session_token", "request_uri", "redirect_to"].map
        {
            ($0, json?[$0]?.text)
        }
        return all.compactMap { name, value in
            guard let value, value.utf8.count >= 16 else { return nil }
            return LoginSecret(name: name, value: value)
        }
    }
}

extension [LoginSecret] {
    /// Returns the names of the secrets that a text contains.
    func names(in text: String) -> Set<String> {
        Set(filter { text.contains($0.value) }.map(\.name))
    }
}
