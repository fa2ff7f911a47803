import LatchkeyWire

/// Compares an answer with a recorded one: the same members, types, ids and fixed values.
///
/// What a server makes up (ids, times, tokens, texts, addresses of itself) is compared by type alone.
struct StructuralComparison {
    private(set) var differences: [String] = []

    /// Members whose values are each server's or each person's own.
    private static let own: Set<String> = [
        "id", "text", "action", "request_url", "schema_id", "schema_url", "session_token",
        "ory_session_token",
        "issued_at", "expires_at", "created_at", "updated_at", "authenticated_at", "completed_at",
        "state_changed_at", "ip_address", "user_agent", "reason", "message", "title", "property",
    ]

    init(ours: JSONValue, recorded: JSONValue) {
        compare(Self.inOrder(Self.settled(ours)), Self.inOrder(Self.settled(recorded)), at: "", name: nil)
    }

    private mutating func compare(_ ours: JSONValue, _ recorded: JSONValue, at path: String, name: String?) {
        switch (ours, recorded) {
        case (.object(let ours), .object(let recorded)):
            compareMembers(ours, recorded, at: path)
        case (.array(let ours), .array(let recorded)):
            guard ours.count == recorded.count else {
                differences.append("\(path): \(ours.count) elements instead of \(recorded.count)")
                return
            }
            for (index, pair) in zip(ours, recorded).enumerated() {
                compare(pair.0, pair.1, at: "\(path)[\(index)]", name: name)
            }
        default:
            if Self.type(of: ours) != Self.type(of: recorded) {
                differences.append("\(path): \(Self.type(of: ours)) instead of \(Self.type(of: recorded))")
            } else if ours != recorded, !isOwn(name, recorded) {
                differences.append("\(path): \(ours) instead of \(recorded)")
            }
        }
    }

    private mutating func compareMembers(
        _ ours: [String: JSONValue],
        _ recorded: [String: JSONValue],
        at path: String
    ) {
        for name in Set(ours.keys).subtracting(recorded.keys).sorted() {
            differences.append("\(path)/\(name): not in the recording")
        }
        for (name, value) in recorded.sorted(by: { $0.key < $1.key }) {
            if let own = ours[name] {
                compare(own, value, at: "\(path)/\(name)", name: name)
            } else {
                differences.append("\(path)/\(name): missing")
            }
        }
    }

    /// Message ids are numbers and are the contract; all other ids are texts and are not.
    private func isOwn(_ name: String?, _ recorded: JSONValue) -> Bool {
        guard let name, Self.own.contains(name) else { return false }
        if name == "id", case .integer = recorded { return false }
        if name == "id", let text = recorded.text, !text.contains("-") { return false }
        return true
    }

    private static func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// Without what Kratos draws lots for: it sends a code to one of several addresses, where ours sends to each.
    private static func settled(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements):
            var hasVerification = false
            return .array(
                elements.filter { element in
                    guard element["action"] == .string("show_verification_ui") else { return true }
                    defer { hasVerification = true }
                    return !hasVerification
                }
                .map(settled)
            )
        case .object(var members):
            for (name, member) in members { members[name] = settled(member) }
            if members["via"] != nil, members["status"] == .string("sent") {
                members["status"] = .string("pending")
            }
            if members["verifiable_address"] != nil { members["verifiable_address"] = .string("…") }
            return .object(members)
        default:
            return value
        }
    }

    /// With addresses sorted: their order is nowhere promised, and the recordings have it both ways.
    private static func inOrder(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements):
            return .array(elements.map(inOrder))
        case .object(var members):
            for (name, member) in members { members[name] = inOrder(member) }
            if case .array(let addresses)? = members["verifiable_addresses"] {
                members["verifiable_addresses"] = .array(
                    addresses.sorted { ($0["via"]?.text ?? "") < ($1["via"]?.text ?? "") }
                )
            }
            return .object(members)
        default:
            return value
        }
    }
}
