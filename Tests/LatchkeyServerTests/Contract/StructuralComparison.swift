import LatchkeyWire

/// Compares an answer with a recorded one: the same members, types, ids and fixed values.
///
/// What a server makes up (times, texts, addresses of itself) is compared by type alone; the ids and tokens in it
/// must stand for the same things on both sides. Nodes of forms and addresses of people have no order: Kratos
/// itself has them in two.
struct StructuralComparison {
    private(set) var differences: [Difference] = []

    /// Members whose values are each server's or each person's own.
    private static let own: Set<String> = [
        "id", "text", "action", "request_url", "schema_id", "schema_url", "session_token",
        "ory_session_token", "redirect_browser_to", "use_flow_id",
        "issued_at", "expires_at", "created_at", "updated_at", "authenticated_at", "completed_at",
        "verified_at", "state_changed_at", "privilegedSessionExpiresAt", "privileged_session_expires_at",
        "privileged_session_expires_at_unix",
        "ip_address", "user_agent", "reason", "message", "title", "property",
    ]

    /// Compares two answers, and learns from what they have in common which of our names stand for which recorded ones.
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

    /// What is to be done next has an order, whatever there is more or less of it.
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

    /// The elements of a list by what names them; by their place in lists that have an order.
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

    /// A node by type, group, name and the type of its input.
    private static func node(_ node: JSONValue) -> String {
        let attributes = node["attributes"]
        return [node["type"], node["group"], attributes?["name"] ?? attributes?["id"], attributes?["type"]]
            .compactMap { $0?.text }.joined(separator: " ")
    }

    /// Ids of messages are numbers, those of errors and links are words, and both are the contract; others are not.
    private func isOwn(_ name: String?, _ recorded: JSONValue) -> Bool {
        guard let name, Self.own.contains(name) else { return false }
        guard name == "id" else { return true }
        return recorded.text.map { !Correspondence.names(in: $0).isEmpty } ?? false
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
}

/// One thing in which our answer is not the recorded one.
struct Difference: Hashable, CustomStringConvertible {
    /// What is different.
    enum Kind: Hashable {
        /// It is in our answer alone.
        case added
        /// It is in the recorded answer alone.
        case missing
        case type(String)
        case value(String)
        /// An id or a token stands for something else than it did before.
        case name(String)
    }

    /// Where it is: members after slashes, elements in brackets.
    let place: String
    let kind: Kind

    var description: String { "\(place): \(kind)" }
}
