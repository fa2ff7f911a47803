import LatchkeyWire

extension OrderedJSON {
    private static let nothingThere = JSONPatch.Failure(
        reason: "The JSON patch refers to a member or element that does not exist."
    )

    /// The approximate size of the value: the number of values plus the number of bytes in all names and
    /// strings.
    var size: Int {
        switch self {
        case .null, .bool, .integer, .double: 1
        case .number(let number): 1 + number.description.utf8.count
        case .string(let text): 1 + text.utf8.count
        case .array(let values): values.reduce(1) { $0 + $1.size }
        case .object(let members): members.reduce(1) { $0 + $1.name.utf8.count + $1.value.size }
        }
    }

    /// The nesting depth of objects and arrays.
    ///
    /// A scalar value has a depth of 0.
    var depth: Int {
        switch self {
        case .null, .bool, .integer, .double, .number, .string: 0
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
        }
    }

    /// Returns the value at a path.
    ///
    /// - Parameter place: The path. An empty path refers to this value itself.
    /// - Returns: The value.
    /// - Throws: ``JSONPatch/Failure`` if the path doesn't exist.
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

    /// Returns a copy with a value added at the given path.
    ///
    /// In an array, the value is inserted before the element at the given index, or appended if the index is
    /// `-`.
    ///
    /// - Parameters:
    ///   - value: The value to add.
    ///   - place: The path at which to add the value. An existing member is replaced.
    ///   - createsParents: Whether to create parents that are missing or `null`.
    /// - Returns: The modified copy.
    /// - Throws: ``JSONPatch/Failure`` if the parent doesn't exist or the index is out of bounds.
    func adding(_ value: OrderedJSON, at place: JSONPointer, createsParents: Bool = false)
        throws(JSONPatch.Failure) -> OrderedJSON
    {
        try changing(place, createsParents: createsParents) { parent, step throws(JSONPatch.Failure) in
            guard case .array(var values) = parent else { return try parent.setting(value, at: step) }
            guard let index = step == "-" ? values.count : Self.index(step), index <= values.count else {
                throw Self.nothingThere
            }
            values.insert(value, at: index)
            return .array(values)
        } whole: {
            value
        }
    }

    /// Returns a copy in which the value at the given path is replaced.
    ///
    /// If the value doesn't exist, it is added, along with any missing parents.
    func replacing(_ place: JSONPointer, with value: OrderedJSON) throws(JSONPatch.Failure) -> OrderedJSON {
        try changing(place, createsParents: true) { parent, step throws(JSONPatch.Failure) in
            try parent.setting(value, at: step)
        } whole: {
            value
        }
    }

    /// Returns a copy without the member or element at the given path.
    ///
    /// If the path is empty, the result is `null`.
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

    /// Returns a copy in which the parent of the value at the given path is changed.
    ///
    /// - Parameters:
    ///   - place: The path of the value. Its parent is changed.
    ///   - createsParents: Whether to create parents that are missing or `null`.
    ///   - change: A closure that receives the parent and the last reference token, and returns the changed
    ///     parent.
    ///   - whole: A closure that is called instead of `change` if the path is empty.
    /// - Returns: The modified copy.
    /// - Throws: ``JSONPatch/Failure`` if the parent doesn't exist, or any error that `change` throws.
    private func changing(
        _ place: JSONPointer,
        createsParents: Bool = false,
        change: (OrderedJSON, String) throws(JSONPatch.Failure) -> OrderedJSON,
        whole: () -> OrderedJSON
    ) throws(JSONPatch.Failure) -> OrderedJSON {
        guard let step = place.steps.first else { return whole() }
        guard place.steps.count > 1 else { return try change(self, step) }
        let rest = place.rest
        let parent = createsParents ? parent(at: step, of: rest) : nil
        let inner = if let parent { parent } else { try value(at: JSONPointer(first: step)) }
        let changed = try inner.changing(rest, createsParents: createsParents, change: change, whole: whole)
        if parent != nil, case .array(let values) = self, Self.index(step) == values.count {
            return .array(values + [changed])
        }
        return try setting(changed, at: step)
    }

    /// Returns an empty object or array to insert at a step of a path.
    ///
    /// Returns `nil` if there is already a value, or if the path doesn't allow creating one.
    ///
    /// A parent is considered missing if the object doesn't contain the member, if the index is one past the
    /// last element, or if the value is `null`.
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
        // Kratos pads the array up to the given index, but the index could be arbitrarily large.
        return Self.index(step) == nil ? .object([]) : nil
    }

    /// Returns a copy of an object in which a member is set, or of an array in which an element is replaced.
    private func setting(_ value: OrderedJSON, at step: String) throws(JSONPatch.Failure) -> OrderedJSON {
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

    /// Parses an array index, which must consist of digits without leading zeros.
    private static func index(_ step: String) -> Int? {
        guard step.utf8.allSatisfy({ (0x30...0x39).contains($0) }), step == "0" || !step.hasPrefix("0") else {
            return nil
        }
        return Int(step)
    }
}
