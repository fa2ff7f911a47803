public import LatchkeyWire

/// The user's answers to the form of a flow: a method and values by the names of the form's inputs.
///
/// ```swift
/// FlowAnswers(method: "password", ["identifier": "user@example.org", "password": .string(password)])
/// ```
///
/// Answers may contain passwords and codes, so their descriptions show only the method and the names.
public struct FlowAnswers: Hashable, Sendable {
    /// The method to submit, such as `password`; `nil` if the form has no methods.
    public var method: String?

    /// The values by the names of the inputs, such as `traits.email`.
    ///
    /// Inputs without an answer are submitted with the value that the form shows. Answer with
    /// ``LatchkeyWire/JSONValue/null`` to omit the input, for instance to remove a trait. An answer for an
    /// object, such as `traits`, replaces all its members.
    public var values: [String: JSONValue]

    /// Creates answers.
    ///
    /// - Parameters:
    ///   - method: The method to submit.
    ///   - values: The values by the names of the inputs.
    public init(method: String?, _ values: [String: JSONValue] = [:]) {
        self.method = method
        self.values = values
    }

    /// Creates answers that press a button of the form.
    ///
    /// - Parameters:
    ///   - button: The button, such as the one that requests another code. The method is the button's value
    ///     if the button is named `method`, otherwise the button's group.
    ///   - values: The values of the other inputs.
    public init(pressing button: FlowNode, _ values: [String: JSONValue] = [:]) {
        var values = values
        var method: String? = button.group.rawValue
        if let input = button.input {
            if input.name == "method" {
                method = input.value?.text
            } else if let value = input.value {
                values[input.name] = value
            }
        }
        self.init(method: method, values)
    }

    /// The answer to an input; `nil` if there is none.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

extension FlowAnswers: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the names of the inputs, without the values.
    public var description: String {
        "FlowAnswers(method: \(method ?? "none"), inputs: \(values.keys.sorted().joined(separator: ", ")))"
    }

    /// The method and the names of the inputs, without the values.
    public var debugDescription: String { description }

    /// A mirror without children, so that dumping answers does not print passwords.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FlowAnswers {
    /// The maximum number of nested objects that the dots of a name can result in.
    private static let depthLimit = 8

    /// The answers that must not appear in errors: all values of inputs for passwords and codes.
    func secrets(in flow: Flow) -> [String] {
        values.compactMap { name, value in
            let input = flow.node(named: name)?.input
            let isSecret =
                input?.kind == .password || input?.autocomplete == "one-time-code"
                || name == "password" || name == "code"
            return isSecret ? value.text : nil
        }
    }

    /// Returns whether an answer for an object, such as `traits`, replaces all its members.
    private func replaces(_ name: String) -> Bool {
        values.keys.contains { name.hasPrefix($0 + ".") }
    }

    /// Returns the body of a submission.
    ///
    /// As in HTML, the inputs without an answer contribute the values that the form shows. Only the inputs of
    /// the submitted method and those that all methods share are part of the body.
    ///
    /// - Parameter flow: The flow whose form the answers belong to.
    /// - Returns: A JSON object.
    func body(for flow: Flow) -> JSONValue {
        var flat: [String: JSONValue] = [:]
        for node in flow.nodes {
            guard let input = node.input, !input.isButton, !input.isDisabled,
                node.group == .common || node.group.rawValue == method,
                let value = input.value, value != .string(""), !replaces(input.name)
            else { continue }
            flat[input.name] = value
        }
        for (name, value) in values {
            let input = flow.node(named: name)?.input
            flat[name] = value == .null ? nil : input.map { value.converted(for: $0.kind) } ?? value
        }
        flat["method"] = method.map { .string($0) }
        var body: [String: JSONValue] = [:]
        for (name, value) in flat.sorted(by: { $0.key < $1.key }) {
            let path = name.split(
                separator: ".",
                maxSplits: Self.depthLimit - 1,
                omittingEmptySubsequences: false
            )
            body.set(value, at: path.map { String($0) }[...])
        }
        return .object(body)
    }
}

extension JSONValue {
    /// Returns the text of a number or a checkbox as the value that the input stands for.
    ///
    /// Text that is neither is submitted unchanged, and the server reports the error at the field.
    fileprivate func converted(for kind: FlowInput.Kind) -> JSONValue {
        guard case .string(let text) = self else { return self }
        switch kind {
        case .number:
            if let number = Int64(text) { return .integer(number) }
            guard let number = Double(text), number.isFinite else { return self }
            return .double(number)
        case .checkbox:
            return switch text {
            case "true", "on": .bool(true)
            case "false", "": .bool(false)
            default: self
            }
        default: return self
        }
    }
}

extension [String: JSONValue] {
    /// Sets a member of nested objects, and creates the objects that are missing.
    ///
    /// - Parameters:
    ///   - value: The value of the member.
    ///   - path: The names of the objects and of the member; must not be empty.
    fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            self[name] = value
            return
        }
        var members = self[name]?.object ?? [:]
        members.set(value, at: path.dropFirst())
        self[name] = .object(members)
    }
}
