import LatchkeyWire

/// Expands members that are named like form fields (`"traits.email": …`) into the objects that they are members of.
///
/// Clients that render the nodes of a form post its fields under the names of the nodes. A text is read as in a form body:
/// an empty one was not filled in, and digits are a number where the schema wants one.
enum DottedFields {
    private static let prefix = "traits."

    /// Expands the fields of a schema; other members stay.
    ///
    /// - Throws: ``Submission/Refusal`` if a field is there in both forms.
    static func expand(_ body: OrderedJSON, by schema: IdentitySchema) throws(Submission.Refusal)
        -> OrderedJSON
    {
        guard
            case .object(let members) = body, members.contains(where: { isDotted($0.name) })
        else { return body }
        let fields = Dictionary(schema.fields.map { (Array($0.name.utf8), $0) }) { first, _ in first }
        var expanded = OrderedJSON.object(members.filter { !isDotted($0.name) })
        for member in members where isDotted(member.name) {
            guard let field = fields[Array(member.name.utf8)], let value = value(of: member, field) else {
                continue
            }
            guard let next = expanded.inserting(value, at: ["traits"] + field.path[...]) else {
                throw Submission.Refusal(reason: "The body names the member \"\(field.name)\" twice.")
            }
            expanded = next
        }
        // Fields that were all left empty are an object without members, and not a body without traits.
        return expanded["traits"] == nil
            ? expanded.inserting(.object([]), at: ["traits"]) ?? expanded : expanded
    }

    private static func isDotted(_ name: String) -> Bool {
        name.utf8.starts(with: prefix.utf8)
    }

    private static func value(of member: OrderedJSON.Member, _ field: TraitField) -> OrderedJSON? {
        switch member.value {
        case .string(let text): FormEncoding.value(of: text, by: field.schema)
        case .null: nil
        default: member.value
        }
    }
}

extension OrderedJSON {
    /// The object with a value at a path, or `nil` if there is a value already.
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
