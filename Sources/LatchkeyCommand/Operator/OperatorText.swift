import LatchkeyModel
import LatchkeyWire

/// The text formats of identities, sessions and audit events.
///
/// The values are the JSON of the admin API, and missing members are omitted.
enum OperatorText {
    /// Returns an identity on several lines, with labels for its members and then one line for each
    /// verifiable address.
    static func identity(_ identity: JSONValue) -> String {
        var lines = ["id", "schema_id", "state", "external_id", "created_at"].compactMap { name in
            identity[name]?.text.map { label(name) + $0 }
        }
        if let traits = identity["traits"] { lines.append(label("traits") + SessionText.compact(traits)) }
        for address in values(identity["verifiable_addresses"]) {
            lines.append(label("address") + line(of: address, members: ["value", "status"]))
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the ID, the state, the schema and, as JSON, the traits of an identity on one line.
    static func identityLine(_ identity: JSONValue) -> String {
        line(of: identity, members: ["id", "state", "schema_id"]) + "  "
            + SessionText.compact(identity["traits"] ?? .null)
    }

    /// Returns the ID, the state, the expiry, the identity and the first device of a session on one line.
    ///
    /// The identity and the device are included only if the request asked for them with `expand`.
    static func session(_ session: JSONValue) -> String {
        let state = session["active"] == .bool(true) ? "active  " : "inactive"
        let device =
            values(session["devices"]).first.map { line(of: $0, members: ["ip_address", "user_agent"]) } ?? ""
        return "\(session["id"]?.text ?? "")  \(state)  until \(session["expires_at"]?.text ?? "")  "
            + "of \(session["identity"]?["id"]?.text ?? "")  \(device)"
    }

    /// Returns the time, the actor and the action of an audit event on one line, followed by the subject, the
    /// address and the request ID if the event has them.
    static func event(_ event: JSONValue) -> String {
        line(of: event, members: ["time", "actor", "action", "subject", "address", "request_id"])
    }

    /// Returns a label, padded with spaces to twelve characters.
    private static func label(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 12 - name.count))
    }

    /// Returns the string values of members, separated by two spaces and without members that are not
    /// strings.
    private static func line(of value: JSONValue, members: [String]) -> String {
        members.compactMap { value[$0]?.text }.joined(separator: "  ")
    }

    private static func values(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let values)? = value { values } else { [] }
    }
}

extension Console {
    /// Writes a value to standard output, as JSON on one line or in a text format.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - asJSON: Whether `--json` was given.
    ///   - format: Returns the text, unless the value is written as JSON.
    func write(_ value: JSONValue, asJSON: Bool, format: (JSONValue) -> String) {
        write(asJSON ? SessionText.compact(value) : format(value))
    }
}
