import LatchkeyWire

/// A JSON patch (RFC 6902) that limits the number of operations and the size of the result.
///
/// As in Kratos, `add` and `replace` create any parents that are missing or `null`. A new parent is an array
/// if the next reference token is `0` or `-`, and an object otherwise. Unlike in the RFC, `replace` adds a
/// member that doesn't exist yet. Array elements are handled exactly as described in the RFC.
package struct JSONPatch: Sendable {
    /// The error thrown when a patch can't be parsed or applied.
    ///
    /// The reason never quotes values.
    package struct Failure: Error, Hashable, Sendable {
        /// The reason, as a sentence for the 400 error.
        package let reason: String
    }

    private enum Change: Sendable {
        case add(OrderedJSON), remove, replace(OrderedJSON), test(OrderedJSON)
        case move(from: JSONPointer), copy(from: JSONPointer)
    }

    private struct Operation: Sendable {
        let change: Change
        let path: JSONPointer
    }

    /// The maximum number of operations in a patch.
    private static let mostOperations = 100
    /// The maximum total size of all copied values (``OrderedJSON/size``).
    ///
    /// There is a limit because copying a value into itself repeatedly doubles its size each time.
    private static let mostCopied = 4096
    /// The maximum depth of the patched document, which is also the maximum depth that the parser can read.
    private static let mostDepth = JSONParser.depthLimit

    private let operations: [Operation]

    /// Parses a patch document.
    ///
    /// A patch may contain at most 100 operations.
    ///
    /// - Parameter value: An array of operations.
    /// - Throws: ``Failure`` if the value isn't a valid patch or exceeds a limit.
    package init(_ value: OrderedJSON) throws(Failure) {
        guard case .array(let values) = value else { throw Failure(reason: "A JSON patch must be an array.") }
        guard values.count <= Self.mostOperations else {
            throw Failure(reason: "A JSON patch can have at most \(Self.mostOperations) operations.")
        }
        operations = try values.map { value throws(Failure) in try Self.operation(value) }
    }

    /// All paths that the patch reads or writes.
    ///
    /// Callers use these paths to check whether the patch is allowed.
    package var places: [JSONPointer] {
        operations.flatMap { operation in
            switch operation.change {
            case .move(let source), .copy(let source): [operation.path, source]
            default: [operation.path]
            }
        }
    }

    /// The paths that the patch writes, including the source of a `move`.
    package var writtenPlaces: [JSONPointer] {
        operations.flatMap { operation -> [JSONPointer] in
            switch operation.change {
            case .test: []
            case .move(let source): [operation.path, source]
            case .add, .remove, .replace, .copy: [operation.path]
            }
        }
    }

    /// Applies all operations in order and returns the resulting document.
    ///
    /// - Parameter document: The original document, which isn't modified.
    /// - Returns: The document after the last operation.
    /// - Throws: ``Failure`` if an operation can't be applied, a test fails or a limit is exceeded.
    package func applied(to document: OrderedJSON) throws(Failure) -> OrderedJSON {
        var document = document
        var copied = 0
        for operation in operations {
            let path = operation.path
            switch operation.change {
            case .add(let value): document = try document.adding(value, at: path, createsParents: true)
            case .remove: document = try document.removing(path)
            case .replace(let value):
                document = try document.replacing(path, with: value)
            case .test(let value):
                guard try document.value(at: path).unordered.isEqual(to: value.unordered) else {
                    throw Failure(reason: "A test operation in the JSON patch failed.")
                }
            case .move(let source):
                guard !path.steps.starts(with: source.steps) || path == source else {
                    throw Failure(reason: "The JSON patch moves a value into itself.")
                }
                let value = try document.value(at: source)
                document = try document.removing(source).adding(value, at: path)
            case .copy(let source):
                let value = try document.value(at: source)
                copied += value.size
                guard copied <= Self.mostCopied else {
                    throw Failure(reason: "The JSON patch copies too much data.")
                }
                document = try document.adding(value, at: path)
            }
        }
        guard document.depth <= Self.mostDepth else {
            throw Failure(reason: "The result of the JSON patch is nested too deeply.")
        }
        return document
    }

    private static func operation(_ value: OrderedJSON) throws(Failure) -> Operation {
        guard case .string(let name)? = value["op"] else {
            throw Failure(reason: "An operation in the JSON patch is missing the member op.")
        }
        let path = try pointer("path", of: value)
        switch name {
        case "remove": return Operation(change: .remove, path: path)
        case "move": return Operation(change: .move(from: try pointer("from", of: value)), path: path)
        case "copy": return Operation(change: .copy(from: try pointer("from", of: value)), path: path)
        case "add", "replace", "test":
            guard let operand = value["value"] else {
                throw Failure(reason: "An operation in the JSON patch is missing the member value.")
            }
            let change: Change =
                name == "add" ? .add(operand) : name == "replace" ? .replace(operand) : .test(operand)
            return Operation(change: change, path: path)
        default: throw Failure(reason: "The JSON patch contains an operation that RFC 6902 does not define.")
        }
    }

    private static func pointer(_ name: String, of value: OrderedJSON) throws(Failure) -> JSONPointer {
        guard case .string(let text)? = value[name], let pointer = JSONPointer(text) else {
            throw Failure(reason: "The member \(name) of a JSON patch operation must be a JSON pointer.")
        }
        guard pointer.steps.count <= mostDepth else {
            throw Failure(reason: "The JSON pointer in \(name) has more than \(mostDepth) reference tokens.")
        }
        return pointer
    }
}
