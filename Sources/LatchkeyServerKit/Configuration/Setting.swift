package import LatchkeyWire

/// A configuration setting of one part of the server, with its key, its accepted values and its description.
///
/// Each part lists its settings next to its settings struct. The keys in files, the environment variables,
/// the flags and the help are derived from these lists.
package struct Setting<Part: Sendable>: Sendable {
    /// The dotted key, such as `admin.port`, in which each dot stands for one level of nesting in a file.
    package let path: String

    /// A one-sentence description for operators.
    package let summary: String

    /// The accepted values, such as "a whole number from 0 to 65535".
    package let wanted: String

    /// Whether the value is a secret, which a flag cannot set and which is never shown.
    package let isSecret: Bool

    /// Returns whether a value contains a secret, such as a URL with a password; `nil` if values of this
    /// setting never contain one.
    package let holdsSecret: (@Sendable (String) -> Bool)?

    /// Whether the value can be read from a separate file.
    ///
    /// A setting with the same key and the suffix `_file` names the file.
    package var mayBeInFile: Bool { isSecret || holdsSecret != nil }

    /// Parses a value and stores it in the part.
    ///
    /// Throws an error and leaves the part unchanged if the setting's kind does not accept the value.
    package let set: @Sendable (inout Part, SettingInput) throws(SettingMismatch) -> Void

    /// Returns the value in the form used in a file, or a placeholder for a secret.
    package let show: @Sendable (Part) -> JSONValue

    /// Creates a setting.
    ///
    /// - Parameters:
    ///   - path: The dotted key, in which each dot stands for one level of nesting in a file.
    ///   - member: The member that stores the value, and whose initial value is the default.
    ///   - kind: The kind, which parses and formats values.
    ///   - summary: A description in one sentence, for operators.
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

    /// Returns the setting for use in a larger configuration, which stores the part in a member.
    ///
    /// - Parameter member: The member of the larger configuration that stores the part.
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

    /// The environment variable, such as `LATCHKEY_ADMIN_PORT`.
    ///
    /// The name is `LATCHKEY_`, followed by the key in upper case with an underscore in place of each dot.
    package var variable: String {
        "LATCHKEY_" + path.uppercased().replacing(anyOf: ".", with: "_")
    }

    /// The flag, such as `--admin-port`, which names a file that contains the value if the value is secret.
    package var flag: String { isSecret ? fileFlag : plainFlag }

    /// The flag that names a file containing the value.
    package var fileFlag: String { plainFlag + "-file" }

    private var plainFlag: String {
        "--" + path.replacing(anyOf: "._", with: "-")
    }
}

extension String {
    /// Returns the string with one ASCII character in place of some others.
    ///
    /// The standard library's search for substrings is much slower, and each start of a program with settings
    /// computes hundreds of names.
    fileprivate func replacing(anyOf characters: StaticString, with other: Unicode.Scalar) -> String {
        let replacement = UInt8(ascii: other)
        return characters.withUTF8Buffer { characters in
            String(decoding: utf8.map { characters.contains($0) ? replacement : $0 }, as: UTF8.self)
        }
    }
}
