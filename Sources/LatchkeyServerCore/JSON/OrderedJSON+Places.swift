extension OrderedJSON {
    private static let nothingThere = JSONPatch.Failure(
        reason: "The JSON patch names a member or an element that does not exist."
    )

    /// How many values it consists of, and how many names and letters they have, roughly.
    var size: Int {
        switch self {
        case .null, .bool, .integer, .double: 1
        case .string(let text): 1 + text.utf8.count
        case .array(let values): values.reduce(1) { $0 + $1.size }
        case .object(let members): members.reduce(1) { $0 + $1.name.utf8.count + $1.value.size }
        }
    }

    /// How many objects and arrays are within each other.
    var depth: Int {
        switch self {
        case .null, .bool, .integer, .double, .string: 0
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
        }
    }

    /// The value at a place.
    func value(at place: JSONPointer) throws(JSONPatch.Failure) -> OrderedJSON {
        guard let step = place.steps.first else { return self }
        switch self {
        case .object:
            guard let value = self[step] else { throw Self.nothingThere }
            return try value.value(at: place.rest)
        case .array(let values):
            guard let index = Self.index(step), values.indices.contains(index) else {
                throw Self.nothingThere
            }
            return try values[index].value(at: place.rest)
        default: throw Self.nothingThere
        }
    }

    /// The value with another one put in at a place, before what stands there in an array.
    func adding(_ value: OrderedJSON, at place: JSONPointer, createsParents: Bool = false)
        throws(JSONPatch.Failure) -> OrderedJSON
    {
        try changing(place, createsParents: createsParents) { parent, step throws(JSONPatch.Failure) in
            guard case .array(var values) = parent else { return try parent.setting(value, step) }
            guard let index = step == "-" ? values.count : Self.index(step), index <= values.count else {
                throw Self.nothingThere
            }
            values.insert(value, at: index)
            return .array(values)
        } whole: {
            value
        }
    }

    /// The value with another one in place of what stands somewhere, or as a new member.
    func replacing(_ place: JSONPointer, with value: OrderedJSON) throws(JSONPatch.Failure) -> OrderedJSON {
        try changing(place, createsParents: true) { parent, step throws(JSONPatch.Failure) in
            try parent.setting(value, step)
        } whole: {
            value
        }
    }

    /// The value without what stands at a place.
    func removing(_ place: JSONPointer) throws(JSONPatch.Failure) -> OrderedJSON {
        _ = try value(at: place)
        return try changing(place) { parent, step throws(JSONPatch.Failure) in
            switch parent {
            case .object(let members): return .object(members.filter { $0.name != step })
            case .array(var values):
                if let index = Self.index(step) { values.remove(at: index) }
                return .array(values)
            default: throw Self.nothingThere
            }
        } whole: {
            .null
        }
    }

    /// Changes the object or array in which a place is.
    private func changing(
        _ place: JSONPointer,
        createsParents: Bool = false,
        _ change: (OrderedJSON, String) throws(JSONPatch.Failure) -> OrderedJSON,
        whole: () -> OrderedJSON
    ) throws(JSONPatch.Failure) -> OrderedJSON {
        guard let step = place.steps.first else { return whole() }
        guard place.steps.count > 1 else { return try change(self, step) }
        let rest = place.rest
        let parent = createsParents ? parent(at: step, of: rest) : nil
        let inner = if let parent { parent } else { try value(at: JSONPointer(first: step)) }
        let changed = try inner.changing(rest, createsParents: createsParents, change, whole: whole)
        if parent != nil, case .array(let values) = self, Self.index(step) == values.count {
            return .array(values + [changed])
        }
        return try setting(changed, step)
    }

    /// A new parent for a place, if there is none: no member, no element directly after the last one, or null.
    private func parent(at step: String, of place: JSONPointer) -> OrderedJSON? {
        switch self {
        case .object: guard self[step] ?? .null == .null else { return nil }
        case .array(let values):
            guard let index = Self.index(step), index <= values.count,
                index == values.count || values[index] == .null
            else { return nil }
        default: return nil
        }
        let step = place.steps.first ?? ""
        if step == "0" || step == "-" { return .array([]) }
        // Kratos fills an array up to the number, which could be any.
        return Self.index(step) == nil ? .object([]) : nil
    }

    /// The object with a member, or the array with an element in place of the one of a number.
    private func setting(_ value: OrderedJSON, _ step: String) throws(JSONPatch.Failure) -> OrderedJSON {
        switch self {
        case .object(var members):
            if let index = members.firstIndex(where: { $0.name == step }) {
                members[index] = Member(name: step, value: value)
            } else {
                members.append(Member(name: step, value: value))
            }
            return .object(members)
        case .array(var values):
            guard let index = Self.index(step), values.indices.contains(index) else {
                throw Self.nothingThere
            }
            values[index] = value
            return .array(values)
        default: throw Self.nothingThere
        }
    }

    /// The number of an element: digits alone, and no leading zero.
    private static func index(_ step: String) -> Int? {
        guard step.utf8.allSatisfy({ (0x30...0x39).contains($0) }), step == "0" || !step.hasPrefix("0") else {
            return nil
        }
        return Int(step)
    }
}
