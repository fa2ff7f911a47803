import LatchkeyAccounts
import LatchkeyServerKit
import LatchkeyWire

/// Expands dotted members (`"traits.email": …`) into nested objects.
///
/// Clients that render a form's nodes submit the fields under the names of the nodes. Strings are interpreted
/// as in a form body: an empty string means that the field wasn't filled in, and digits become a number if
/// the schema requires one.
enum DottedFields {
    /// The prefix of dotted members and of all trait node names.
    private static let prefix = "traits."

    /// Expands members that are named after a field in the schema, and drops all other `traits.…` members.
    ///
    /// - Throws: ``Submission/Refusal`` if a field occurs more than once, for example as a dotted member and
    ///   in a nested object.
    ///
    /// Members that aren't dotted come first, in their original order. If there are no dotted members, the
    /// body is returned unchanged.
    static func expand(_ body: OrderedJSON, by schema: IdentitySchema) throws(Submission.Refusal)
        -> OrderedJSON
    {
        guard
            case .object(let members) = body, members.contains(where: { isDotted($0.name) })
        else { return body }
        let fields = Dictionary(schema.fields.map { (Array($0.name.utf8), $0) }) { first, _ in first }
        var expanded = OrderedJSON.object(members.filter { !isDotted($0.name) })
        for member in members where isDotted(member.name) {
            guard let field = fields[Array(member.name.utf8)], let value = value(of: member, as: field) else {
                continue
            }
            guard let next = expanded.inserting(value, at: ["traits"] + field.path[...]) else {
                throw Submission.Refusal(
                    reason: "The body contains the member \"\(field.name)\" more than once."
                )
            }
            expanded = next
        }
        // If all fields were left empty, the result contains an empty `traits` object.
        return expanded["traits"] == nil
            ? expanded.inserting(.object([]), at: ["traits"]) ?? expanded : expanded
    }

    /// Returns whether a member's name has the prefix.
    ///
    /// Names are compared byte by byte, without Unicode normalization.
    private static func isDotted(_ name: String) -> Bool {
        name.utf8.starts(with: prefix.utf8)
    }

    /// Returns the value of a dotted member, or `nil` if it is null or an empty string, because then the
    /// field wasn't filled in.
    private static func value(of member: OrderedJSON.Member, as field: TraitField) -> OrderedJSON? {
        switch member.value {
        case .string(let text): FormEncoding.value(of: text, by: field.schema)
        case .null: nil
        default: member.value
        }
    }
}

extension OrderedJSON {
    /// Returns the object with a value added at a path, or `nil` if there is already a value at that path or
    /// at one of its prefixes.
    ///
    /// JSON null is treated as a missing value. Names are compared byte by byte, and new members are added at
    /// the end.
    fileprivate func inserting(_ value: OrderedJSON, at path: ArraySlice<String>) -> OrderedJSON? {
        guard let name = path.first else { return self == .null ? value : nil }
        let members: [Member]
        switch self {
        case .object(let own): members = own
        case .null: members = []
        default: return nil
        }
        let index = members.firstIndex { $0.name.hasSameBytes(as: name) }
        let old = index.map { members[$0].value } ?? .null
        guard let new = old.inserting(value, at: path.dropFirst()) else { return nil }
        var changed = members
        if let index {
            changed[index] = Member(name: name, value: new)
        } else {
            changed.append(Member(name: name, value: new))
        }
        return .object(changed)
    }
}
