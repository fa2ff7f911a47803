import LatchkeyModel
import LatchkeyWire

/// Formats identities, sessions and audit events as text.
///
/// The input is JSON returned by the admin API. Members that are missing from the JSON are omitted from the
/// text.
enum OperatorText {
    /// Formats an identity as several labeled lines.
    ///
    /// The identity's verifiable addresses are listed at the end, one per line.
    static func identity(_ identity: JSONValue) -> [String] {
        var lines = ["id", "schema_id", "state", "external_id", "created_at"].compactMap { name in
            identity[name]?.text.map { label(name) + $0 }
        }
        if let traits = identity["traits"] { lines.append(label("traits") + SessionText.compact(traits)) }
        for address in values(identity["verifiable_addresses"]) {
            lines.append(label("address") + line(of: address, members: ["value", "status"]))
        }
        return lines
    }

    /// Formats an identity as a single line with its ID, its state, its schema and its traits as JSON.
    static func identityLine(_ identity: JSONValue) -> [String] {
        [
            line(of: identity, members: ["id", "state", "schema_id"]) + "  "
                + SessionText.compact(identity["traits"] ?? .null)
        ]
    }

    /// Formats a session as a single line with its ID, its state, its expiry date, its identity and the first
    /// device.
    ///
    /// The identity and the device are only available if the request asked for them with `expand`. If the app
    /// has named a client, the line ends with its name or ID.
    static func session(_ session: JSONValue) -> [String] {
        let state = session["active"] == .bool(true) ? "active  " : "inactive"
        let device =
            values(session["devices"]).first.map { line(of: $0, members: ["ip_address", "user_agent"]) } ?? ""
        let client = (session["client_name"] ?? session["client_id"])?.text.map { "  by \($0)" } ?? ""
        return [
            "\(session["id"]?.text ?? "")  \(state)  until \(session["expires_at"]?.text ?? "")  "
                + "of \(session["identity"]?["id"]?.text ?? "")  \(device)\(client)"
        ]
    }

    /// Formats an audit event as a single line with its time, its actor and its action.
    ///
    /// If the event has a subject, an address or a request ID, the line also contains these values.
    static func event(_ event: JSONValue) -> [String] {
        [line(of: event, members: ["time", "actor", "action", "subject", "address", "request_id"])]
    }

    /// Pads a label with spaces so that it is at least twelve characters long.
    private static func label(_ name: String) -> String {
        name + String(repeating: " ", count: max(1, 12 - name.count))
    }

    /// Returns the values of the given members, separated by two spaces.
    ///
    /// Members that aren't strings are skipped.
    private static func line(of value: JSONValue, members: [String]) -> String {
        members.compactMap { value[$0]?.text }.joined(separator: "  ")
    }

    private static func values(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let values)? = value { values } else { [] }
    }
}

extension Console {
    /// Writes a value to standard output, either as a single line of JSON or as text.
    ///
    /// - Parameters:
    ///   - value: The value to write.
    ///   - asJSON: Whether `--json` was given.
    ///   - format: Formats the value as lines of text. Not called if the value is written as JSON.
    func write(_ value: JSONValue, asJSON: Bool, format: (JSONValue) -> [String]) {
        if asJSON { write(json: value) } else { write(lines: format(value)) }
    }
}
