import LatchkeyWire

/// Compares the members, types, ids and fixed values of a response with those of a recorded response.
///
/// For generated values, such as times, texts and the server's URLs, only the types are compared. Ids and
/// tokens must correspond on both sides. The order of form nodes and of users' addresses is ignored because
/// it varies in Kratos as well.
struct StructuralComparison {
    private(set) var differences: [Difference] = []

    /// The members whose values are specific to a server or a user.
    private static let own: Set<String> = [
        "id", "text", "action", "request_url", "schema_id", "schema_url", "session_token",
        "ory_session_token", "redirect_browser_to", "use_flow_id",
        "issued_at", "expires_at", "created_at", "updated_at", "authenticated_at", "completed_at",
        "verified_at", "state_changed_at", "privilegedSessionExpiresAt", "privileged_session_expires_at",
        "privileged_session_expires_at_unix",
        "ip_address", "user_agent", "reason", "message", "title", "property",
    ]

    /// Compares two responses and adds the ids and tokens in their common parts to the mapping.
    init(ours: JSONValue, recorded: JSONValue, _ names: inout Correspondence) {
        compare(ours, recorded, at: "", name: nil, &names)
    }

    private mutating func compare(
        _ ours: JSONValue,
        _ recorded: JSONValue,
        at path: String,
        name: String?,
        _ names: inout Correspondence
    ) {
        switch (ours, recorded) {
        case (.object(let ours), .object(let recorded)):
            compare(ours, recorded, at: path, separator: "/", &names)
        case (.array(let ours), .array(let recorded)):
            compare(
                Self.labelled(ours, name),
                Self.labelled(recorded, name),
                at: path,
                separator: "",
                &names
            )
            if name == "continue_with" { compareOrder(ours, recorded, at: path) }
        default:
            compareValues(ours, recorded, at: path, name: name, &names)
        }
    }

    private mutating func compare(
        _ ours: [String: JSONValue],
        _ recorded: [String: JSONValue],
        at path: String,
        separator: String,
        _ names: inout Correspondence
    ) {
        for name in Set(ours.keys).union(recorded.keys).sorted() {
            let place = path + separator + name
            switch (ours[name], recorded[name]) {
            case (let own?, let other?):
                compare(own, other, at: place, name: separator.isEmpty ? nil : name, &names)
            case (_?, nil): differences.append(Difference(place: place, kind: .added))
            default: differences.append(Difference(place: place, kind: .missing))
            }
        }
    }

    private mutating func compareValues(
        _ ours: JSONValue,
        _ recorded: JSONValue,
        at path: String,
        name: String?,
        _ names: inout Correspondence
    ) {
        if Self.type(of: ours) != Self.type(of: recorded) {
            let types = "\(Self.type(of: ours)) instead of \(Self.type(of: recorded))"
            differences.append(Difference(place: path, kind: .type(types)))
        } else if isOwn(name, recorded) {
            guard let ours = ours.text, let recorded = recorded.text else { return }
            if !names.learn(ours: ours, recorded: recorded) {
                differences.append(Difference(place: path, kind: .name("\(ours) instead of \(recorded)")))
            }
        } else if ours != recorded {
            differences.append(Difference(place: path, kind: .value("\(ours) instead of \(recorded)")))
        }
    }

    /// Compares the order of the elements that both `continue_with` lists contain.
    private mutating func compareOrder(_ ours: [JSONValue], _ recorded: [JSONValue], at path: String) {
        let (first, second) = (
            ours.compactMap { $0["action"]?.text }, recorded.compactMap { $0["action"]?.text }
        )
        let common = Set(first).intersection(second)
        func order(_ actions: [String]) -> [String] {
            var seen: Set<String> = []
            return actions.filter { common.contains($0) && seen.insert($0).inserted }
        }
        if order(first) != order(second) {
            differences.append(Difference(place: path, kind: .value("\(first) instead of \(second)")))
        }
    }

    /// Returns the elements of a list, keyed by name, or by position if the list is ordered.
    private static func labelled(_ elements: [JSONValue], _ list: String?) -> [String: JSONValue] {
        var labelled: [String: JSONValue] = [:]
        for (index, element) in elements.enumerated() {
            let label =
                switch list {
                case "nodes"?: node(element)
                case "verifiable_addresses"?, "recovery_addresses"?: element["value"]?.text ?? "\(index)"
                case "continue_with"?: element["action"]?.text ?? "\(index)"
                default: "\(index)"
                }
            var place = "[\(label)]"
            var number = 2
            while labelled[place] != nil {
                place = "[\(label) #\(number)]"
                number += 1
            }
            labelled[place] = element
        }
        return labelled
    }

    /// Returns a label for a node that consists of its type, group, name and input type.
    private static func node(_ node: JSONValue) -> String {
        let attributes = node["attributes"]
        return [node["type"], node["group"], attributes?["name"] ?? attributes?["id"], attributes?["type"]]
            .compactMap { $0?.text }.joined(separator: " ")
    }

    /// Returns whether two servers that fulfil the contract can have different values for a member.
    ///
    /// The ids of messages, errors and links must be the same, because they are part of the contract.
    private func isOwn(_ name: String?, _ recorded: JSONValue) -> Bool {
        guard let name, Self.own.contains(name) else { return false }
        guard name == "id" else { return true }
        return recorded.text.map { !Correspondence.names(in: $0).isEmpty } ?? false
    }

    private static func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer, .double, .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

/// A difference between a recorded response and this server's response.
struct Difference: Hashable, CustomStringConvertible {
    /// The kind of difference.
    enum Kind: Hashable {
        /// The member is missing from the recorded response.
        case added
        /// The member is missing from this server's response.
        case missing
        case type(String)
        case value(String)
        /// An id or token corresponds to a different one than before.
        case name(String)
    }

    /// The path to the value that differs.
    ///
    /// Members follow a slash, and elements are in brackets.
    let place: String
    let kind: Kind

    var description: String { "\(place): \(kind)" }
}
