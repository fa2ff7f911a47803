package import LatchkeyWire

/// A configuration setting for one part of the server, including its key, accepted values and description.
///
/// Each part of the server declares its settings next to its configuration struct. The keys in configuration
/// files, environment variables, command-line flags and the help text are all derived from these
/// declarations.
package struct Setting<Part: Sendable>: Sendable {
    /// The dotted key, such as `admin.port`.
    ///
    /// Each dot stands for one level of nesting in a configuration file.
    package let path: String

    /// A one-sentence description for operators.
    package let summary: String

    /// A description of the accepted values, such as "a whole number from 0 to 65535".
    package let wanted: String

    /// Whether the value is a secret.
    ///
    /// Secrets are never shown and can't be set with a flag.
    package let isSecret: Bool

    /// Returns whether a given value contains a secret, such as a URL with a password.
    ///
    /// If the setting's values never contain secrets, this is `nil`.
    package let holdsSecret: (@Sendable (String) -> Bool)?

    /// Whether the value can be read from a separate file.
    ///
    /// A second setting with the suffix `_file` specifies the path of the file.
    package var mayBeInFile: Bool { isSecret || holdsSecret != nil }

    /// Parses a value and stores it in the configuration struct.
    ///
    /// If the value isn't valid, this throws an error and leaves the struct unchanged.
    package let set: @Sendable (inout Part, SettingInput) throws(SettingMismatch) -> Void

    /// Returns the value as it would be written in a configuration file, or a placeholder if the value is
    /// secret.
    package let show: @Sendable (Part) -> JSONValue

    /// Creates a setting.
    ///
    /// - Parameters:
    ///   - path: The dotted key. Each dot stands for one level of nesting in a configuration file.
    ///   - member: The property that stores the value. The initial value of the property is the default.
    ///   - kind: The kind of setting, which determines how values are parsed and formatted.
    ///   - summary: A one-sentence description for operators.
    package init<Value: Sendable>(
        _ path: String,
        member: any WritableKeyPath<Part, Value> & Sendable,
        kind: SettingKind<Value>,
        summary: String
    ) {
        self.path = path
        self.summary = summary
        wanted = kind.wanted
        isSecret = kind.isSecret
        holdsSecret = kind.holdsSecret
        set = { part, input throws(SettingMismatch) in
            part[keyPath: member] = try kind.read(input)
        }
        show = { kind.show($0[keyPath: member]) }
    }

    /// Returns the same setting for use in a larger configuration struct.
    ///
    /// - Parameter member: The key path from the larger struct to this struct.
    /// - Returns: A setting with the same key, environment variable and flag.
    package func of<Whole: Sendable>(
        _ member: any WritableKeyPath<Whole, Part> & Sendable
    ) -> Setting<Whole> {
        Setting<Whole>(self, in: member)
    }

    private init<Inner: Sendable>(
        _ setting: Setting<Inner>,
        in member: any WritableKeyPath<Part, Inner> & Sendable
    ) {
        path = setting.path
        summary = setting.summary
        wanted = setting.wanted
        isSecret = setting.isSecret
        holdsSecret = setting.holdsSecret
        set = { part, input throws(SettingMismatch) in
            try setting.set(&part[keyPath: member], input)
        }
        show = { setting.show($0[keyPath: member]) }
    }

    /// The name of the environment variable, such as `LATCHKEY_ADMIN_PORT`.
    ///
    /// The name is `LATCHKEY_` followed by the key in upper case, with each dot replaced by an underscore.
    package var variable: String {
        "LATCHKEY_" + path.uppercased().replacing(anyOf: ".", with: "_")
    }

    /// The command-line flag, such as `--admin-port`.
    ///
    /// If the value is secret, the flag takes the path of a file that contains it.
    package var flag: String { isSecret ? fileFlag : plainFlag }

    /// The flag that takes the path of a file containing the value.
    package var fileFlag: String { plainFlag + "-file" }

    private var plainFlag: String {
        "--" + path.replacing(anyOf: "._", with: "-")
    }
}

extension String {
    /// Returns a copy of the string in which some ASCII characters are replaced with another one.
    ///
    /// The standard library's substring search is much slower, and a program computes hundreds of names each
    /// time it starts.
    fileprivate func replacing(anyOf characters: StaticString, with other: Unicode.Scalar) -> String {
        let replacement = UInt8(ascii: other)
        return characters.withUTF8Buffer { characters in
            String(decoding: utf8.map { characters.contains($0) ? replacement : $0 }, as: UTF8.self)
        }
    }
}
