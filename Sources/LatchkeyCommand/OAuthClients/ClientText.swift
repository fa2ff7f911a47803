import LatchkeyWire

/// Formats OAuth clients as text.
enum ClientText {
    /// The members of a client that are shown, and those of the object `latchkey`.
    private static let members = [
        "client_id", "client_name", "client_secret", "owner", "redirect_uris", "grant_types", "scope",
        "audience", "token_endpoint_auth_method", "application_type", "id_token_signed_response_alg",
        "skip_consent", "created_at",
    ]
    private static let own = ["first_party", "disabled", "previous_secret_expires_at"]

    /// Formats a client as several labeled lines.
    ///
    /// Members without a value are left out.
    static func client(_ client: JSONValue) -> [String] {
        lines(of: client, members) + (client["latchkey"].map { lines(of: $0, own) } ?? [])
    }

    /// Formats a client as a single line with its id, its authentication method and its name.
    static func clientLine(_ client: JSONValue) -> [String] {
        let state = client["latchkey"]?["disabled"] == .bool(true) ? "disabled" : nil
        let texts = [
            client["client_id"]?.text, client["token_endpoint_auth_method"]?.text, state,
            client["client_name"]?.text,
        ]
        return [texts.compactMap(\.self).joined(separator: "  ")]
    }

    private static func lines(of value: JSONValue, _ names: [String]) -> [String] {
        names.flatMap { name -> [String] in
            let label = name + String(repeating: " ", count: max(1, 30 - name.count))
            return switch value[name] {
            case .string(let text)? where !text.isEmpty: [label + text]
            case .bool(true)?: [label + "yes"]
            case .array(let elements)?: elements.compactMap { $0.text.map { label + $0 } }
            default: []
            }
        }
    }
}
