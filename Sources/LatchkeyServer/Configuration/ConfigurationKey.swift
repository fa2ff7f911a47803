package import LatchkeyWire

/// One setting: its name, what it may be, what it does.
package struct ConfigurationKey: Sendable {
    /// The name with dots, such as `admin.port`: nested objects in a file.
    package let path: String

    /// What it does, in a sentence for operators.
    package let summary: String

    /// What may be written, such as "a whole number from 0 to 65535".
    package let wanted: String

    /// Whether it must stay out of sight: never a flag, never shown.
    package let isSecret: Bool

    /// Tells whether a text holds a secret among other things; nothing when no text for this setting does.
    let holdsSecret: (@Sendable (String) -> Bool)?

    /// Whether a setting of it may stand in a file of its own, which another setting with `_file` names.
    package var mayBeInFile: Bool { isSecret || holdsSecret != nil }

    /// Reads a setting into a configuration.
    let set: @Sendable (inout ServerConfiguration, SettingInput) throws(SettingMismatch) -> Void

    /// Shows the setting of a configuration as a file would have it; a secret as a mark.
    package let show: @Sendable (ServerConfiguration) -> JSONValue

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

    /// The variable that sets it, such as `LATCHKEY_ADMIN_PORT`.
    package var variable: String {
        "LATCHKEY_" + path.uppercased().replacing(".", with: "_")
    }

    /// The flag that sets it, such as `--admin-port`; a secret's flag names a file that holds it.
    package var flag: String { isSecret ? fileFlag : plainFlag }

    /// The flag that names a file which holds it.
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
