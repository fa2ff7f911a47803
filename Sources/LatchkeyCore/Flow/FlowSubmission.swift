import LatchkeyModel
public import LatchkeyWire

/// The user's answers to a form: the chosen method, and a value for each input.
///
/// ```swift
/// FlowSubmission(method: "password", ["identifier": "user@example.org", "password": .string(password)])
/// ```
///
/// Answers may contain passwords and codes, so their descriptions only show the method and the names of the
/// inputs.
public struct FlowSubmission: Hashable, Sendable {
    /// The method to submit, such as `password`, or `nil` if the form has no methods.
    public var method: String?

    /// The values to submit, keyed by the name of the input, such as `traits.email`.
    ///
    /// If there is no answer for an input, the value shown in the form is submitted. To omit an input, for
    /// example to remove a trait, use ``LatchkeyWire/JSONValue/null``. An answer for an object, such as
    /// `traits`, replaces all of its members.
    public var values: [String: JSONValue]

    /// Creates answers from a method and values.
    ///
    /// - Parameters:
    ///   - method: The method to submit, or `nil` if the form has no methods.
    ///   - values: The values to submit, keyed by the name of the input.
    public init(method: String?, _ values: [String: JSONValue] = [:]) {
        self.method = method
        self.values = values
    }

    /// Creates answers for pressing a button in the form.
    ///
    /// - Parameters:
    ///   - button: The button that the user pressed, such as the one for requesting a new code. The method is
    ///     the button's value if the button is named `method`, or else the button's group.
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

    /// The answer for an input, or `nil` if there is none.
    public subscript(name: String) -> JSONValue? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

extension FlowSubmission: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the names of the inputs.
    ///
    /// Values aren't included.
    public var description: String {
        "FlowSubmission(method: \(method ?? "none"), inputs: \(values.keys.sorted().joined(separator: ", ")))"
    }

    /// The method and the names of the inputs.
    ///
    /// Values aren't included.
    public var debugDescription: String { description }

    /// An empty mirror, so that `dump` doesn't print passwords.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension FlowSubmission {
    /// The maximum depth of nested objects that a name with dots can create.
    private static let depthLimit = 8

    /// Returns the passwords and codes among the answers, which must not appear in errors.
    ///
    /// Codes are included as they were typed and as they are submitted.
    func secrets(in flow: Flow) -> [String] {
        values.flatMap { name, value -> [String] in
            let input = flow.node(named: name)?.input
            if name == "password" || input?.kind == .password { return value.text.map { [$0] } ?? [] }
            guard name == "code" || input?.isCode == true else { return [] }
            return [value, input.map { value.converted(for: $0) }].compactMap { $0?.text }
        }
    }

    /// Returns whether there is an answer for an enclosing object, such as `traits`, that replaces this
    /// input.
    private func replaces(_ name: String) -> Bool {
        values.keys.contains { name.hasPrefix($0 + ".") }
    }

    /// Returns the request body for submitting the answers.
    ///
    /// As in HTML, inputs without an answer are submitted with the value shown in the form. The body only
    /// includes inputs that belong to the submitted method or to all methods.
    ///
    /// - Parameter flow: The flow that contains the form.
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
            flat[name] = value == .null ? nil : input.map { value.converted(for: $0) } ?? value
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

extension FlowInput {
    /// Whether the input expects a one-time code.
    fileprivate var isCode: Bool { name == "code" || autocomplete == "one-time-code" }
}

extension JSONValue {
    /// Converts text to the number, Boolean, phone number or code that the input expects.
    ///
    /// Text that can't be converted is submitted unchanged, so that the server reports an error for the
    /// field.
    fileprivate func converted(for input: FlowInput) -> JSONValue {
        guard case .string(let text) = self else { return self }
        if input.isCode { return .string(OneTimeCode(text)?.exposed ?? text) }
        switch input.kind {
        case .phone: return .string(PhoneNumber(text)?.e164 ?? text)
        case .number:
            let text = TypedText.withASCIIDigits(text)
            if let number = Int64(text) { return .integer(number) }
            if JSONNumber(text) != nil { return JSONValue(numberText: text.utf8) }
            // Swift would also read hexadecimal numbers.
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text),
                number.isFinite
            else { return self }
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
    /// Sets a member of a nested object, and creates any objects that are missing.
    ///
    /// - Parameters:
    ///   - value: The value of the member.
    ///   - path: The names of the enclosing objects, followed by the name of the member. Must not be empty.
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
