import LatchkeyModel
package import LatchkeyWire

/// The type of a setting's values: how they are parsed, formatted and described to operators.
package struct SettingKind<Value: Sendable>: Sendable {
    /// A description of the accepted values for help texts and error messages, such as "a whole number from 0
    /// to 65535".
    package let wanted: String

    /// Whether values are secrets that must never be shown.
    package let isSecret: Bool

    /// Returns whether a given value contains a secret.
    ///
    /// If values of this kind never contain secrets, this is `nil`.
    package let holdsSecret: (@Sendable (String) -> Bool)?

    /// Parses a value or throws an error.
    package let read: @Sendable (SettingInput) throws(SettingMismatch) -> Value

    /// Returns a value as it would be written in a configuration file, or a placeholder if the value is
    /// secret.
    package let show: @Sendable (Value) -> JSONValue

    /// Creates a kind of setting.
    ///
    /// - Parameters:
    ///   - wanted: A description of the accepted values that completes a sentence such as "VALUE is not …".
    ///   - isSecret: Whether values are secret and must never be shown.
    ///   - holdsSecret: Returns whether a given value contains a secret. Pass `nil` if values never contain
    ///     secrets.
    ///   - read: Parses a value. If a value is invalid, the closure throws an error that explains why.
    ///   - show: Formats a value. Unless the value is secret, `read` must accept the result.
    package init(
        wanted: String,
        isSecret: Bool = false,
        holdsSecret: (@Sendable (String) -> Bool)? = nil,
        read: @escaping @Sendable (SettingInput) throws(SettingMismatch) -> Value,
        show: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.wanted = wanted
        self.isSecret = isSecret
        self.holdsSecret = holdsSecret
        self.read = read
        self.show = show
    }
}

extension SettingKind<String> {
    /// A non-empty string.
    package static let text = SettingKind(wanted: "a string") { input throws(SettingMismatch) in
        switch input {
        case .text(let text) where !text.isEmpty: return text
        case .json(.string(let text)) where !text.isEmpty: return text
        default: throw SettingMismatch(input, wanted: "a string")
        }
    } show: {
        .string($0)
    }

    /// A string that may be empty.
    package static let optionalText = SettingKind(wanted: "a string") { input throws(SettingMismatch) in
        switch input {
        case .text(let text): return text
        case .json(.string(let text)): return text
        default: throw SettingMismatch(input, wanted: "a string")
        }
    } show: {
        .string($0)
    }
}

extension SettingKind<String?> {
    /// The URL of an outgoing request, including its path and query.
    ///
    /// The URL must be a valid ``OutgoingAddress``.
    package static let callable = SettingKind(wanted: "a URL such as https://sms.example.com/send") {
        input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        guard OutgoingAddress(text) != nil else {
            throw SettingMismatch(input, wanted: "a URL such as https://sms.example.com/send")
        }
        return text
    } show: {
        $0.map { .string($0) } ?? .null
    }

    /// The URL of a server, which clients also have to accept (``WebAddress``).
    ///
    /// One trailing slash is removed.
    ///
    /// The URL may include a path, but no query and no fragment. The scheme must be in lower case. An
    /// internationalized host must be in its ASCII form.
    package static let origin = SettingKind(wanted: "a URL such as https://id.example.com") {
        input throws(SettingMismatch) in
        let text = try SettingKind<String>.text.read(input)
        guard text.hasPrefix("https://") || text.hasPrefix("http://"), let address = WebAddress(text),
            address.query == nil
        else {
            throw SettingMismatch(input, wanted: "a URL such as https://id.example.com")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    } show: {
        $0.map { .string($0) } ?? .null
    }
}

extension SettingKind {
    /// Creates a kind for an optional setting, whose value is `nil` if it isn't set.
    package static func optional<Wrapped>(_ kind: SettingKind<Wrapped>) -> SettingKind
    where Value == Wrapped? {
        SettingKind(wanted: kind.wanted, isSecret: kind.isSecret, holdsSecret: kind.holdsSecret) {
            input throws(SettingMismatch) in
            try kind.read(input)
        } show: {
            $0.map(kind.show) ?? .null
        }
    }
}

extension SettingKind<Bool> {
    /// A Boolean, written as `true` or `false`.
    package static let toggle = SettingKind(wanted: "true or false") { input throws(SettingMismatch) in
        switch input {
        case .text("true"), .json(.bool(true)): return true
        case .text("false"), .json(.bool(false)): return false
        default: throw SettingMismatch(input, wanted: "true or false")
        }
    } show: {
        .bool($0)
    }
}

extension SettingKind<Int> {
    /// An integer within the given range.
    ///
    /// JSON numbers with a fraction are rejected.
    package static func number(_ range: ClosedRange<Int>) -> SettingKind {
        let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return SettingKind(wanted: wanted) { input throws(SettingMismatch) in
            let number: Int? =
                switch input {
                case .text(let text): Int(text)
                case .json(.integer(let value)): Int(exactly: value)
                default: nil
                }
            guard let number, range.contains(number) else { throw SettingMismatch(input, wanted: wanted) }
            return number
        } show: {
            .integer(Int64($0))
        }
    }
}

extension SettingKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of the raw values of an enum.
    package static var choice: SettingKind {
        let wanted = "one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")
        return SettingKind(wanted: wanted) { input throws(SettingMismatch) in
            let text: String? =
                switch input {
                case .text(let text): text
                case .json(let value): value.text
                }
            guard let value = text.flatMap(Value.init(rawValue:)) else {
                throw SettingMismatch(input, wanted: wanted)
            }
            return value
        } show: {
            .string($0.rawValue)
        }
    }
}
