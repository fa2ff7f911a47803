package import LatchkeyWire

/// A setting: its name, its accepted values and its description.
package struct ConfigurationKey: Sendable {
    /// The dotted name, such as `admin.port`; dots are nested objects in a file.
    package let path: String

    /// A one-sentence description for operators.
    package let summary: String

    /// The accepted values, such as "a whole number from 0 to 65535".
    package let wanted: String

    /// Whether the value is a secret, which cannot be set by a flag and is never shown.
    package let isSecret: Bool

    /// Returns whether a value contains a secret, such as a URL with a password; `nil` if no value of this
    /// setting can.
    let holdsSecret: (@Sendable (String) -> Bool)?

    /// Whether the value can be read from a file of its own, which is named by the setting with the suffix
    /// `_file`.
    package var mayBeInFile: Bool { isSecret || holdsSecret != nil }

    /// Parses a value and stores it in a configuration.
    let set: @Sendable (inout ServerConfiguration, SettingInput) throws(SettingMismatch) -> Void

    /// Returns the value of a configuration as it is written in a file; a placeholder for a secret.
    package let show: @Sendable (ServerConfiguration) -> JSONValue

    /// Creates a setting of a member of the configuration, parsed and formatted by its kind.
    init<Value: Sendable>(
        _ path: String,
        _ member: any WritableKeyPath<ServerConfiguration, Value> & Sendable,
        _ kind: SettingKind<Value>,
        _ summary: String
    ) {
        self.path = path
        self.summary = summary
        wanted = kind.wanted
        isSecret = kind.isSecret
        holdsSecret = kind.holdsSecret
        set = { configuration, input throws(SettingMismatch) in
            configuration[keyPath: member] = try kind.read(input)
        }
        show = { kind.show($0[keyPath: member]) }
    }

    /// The environment variable, such as `LATCHKEY_ADMIN_PORT`.
    package var variable: String {
        "LATCHKEY_" + path.uppercased().replacing(".", with: "_")
    }

    /// The flag, such as `--admin-port`; the flag of a secret names a file that contains it.
    package var flag: String { isSecret ? fileFlag : plainFlag }

    /// The flag that names a file which contains the value.
    package var fileFlag: String { plainFlag + "-file" }

    private var plainFlag: String {
        "--" + path.replacing(".", with: "-").replacing("_", with: "-")
    }
}

extension String {
    fileprivate func replacing(_ character: Character, with other: Character) -> String {
        String(map { $0 == character ? other : $0 })
    }
}
