import LatchkeyModel
import LatchkeyWire

/// The text formats of identities, sessions and audit events.
///
/// The values are the JSON of the admin API; missing members are omitted.
enum OperatorText {
    /// Returns an identity on several lines: its members with labels, then one line for each verifiable
    /// address.
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

    /// Returns an identity on one line: ID, state, schema and the traits as JSON.
    static func identityLine(_ identity: JSONValue) -> String {
        line(of: identity, members: ["id", "state", "schema_id"]) + "  "
            + SessionText.compact(identity["traits"] ?? .null)
    }

    /// Returns a session on one line: ID, state, expiry, identity and its first device.
    ///
    /// The identity and the device are included only if the request asked for them with `expand`.
    static func session(_ session: JSONValue) -> String {
        let state = session["active"] == .bool(true) ? "active  " : "inactive"
        let device =
            values(session["devices"]).first.map { line(of: $0, members: ["ip_address", "user_agent"]) } ?? ""
        return "\(session["id"]?.text ?? "")  \(state)  until \(session["expires_at"]?.text ?? "")  "
            + "of \(session["identity"]?["id"]?.text ?? "")  \(device)"
    }

    /// Returns an audit event on one line: time, actor and action, followed by the subject, the address and
    /// the request ID, if the event has them.
    static func event(_ event: JSONValue) -> String {
        line(of: event, members: ["time", "actor", "action", "subject", "address", "request_id"])
    }

    /// Returns a label, padded with spaces to twelve characters.
    private static func label(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 12 - name.count))
    }

    /// Returns the string values of members, separated by two spaces; members that are not strings are
    /// omitted.
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
    ///   - format: Returns the text; not called for JSON.
    func write(_ value: JSONValue, asJSON: Bool, format: (JSONValue) -> String) {
        write(asJSON ? SessionText.compact(value) : format(value))
    }
}
