import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Merges the settings from several sources and collects all problems.
///
/// Sources that are read later override earlier ones.
struct ConfigurationReader {
    private static let keys = Dictionary(
        uniqueKeysWithValues: ServerConfiguration.settings.map { ($0.path, $0) }
    )
    /// The suffix for keys that specify a file to read the setting's value from.
    private static let fileSuffix = "_file"
    /// The key prefixes that are nested objects in a configuration file, such as `admin`.
    private static let groups = Set(
        keys.keys.flatMap { path in path.indices.filter { path[$0] == "." }.map { String(path[..<$0]) } }
    )
    /// The key for each environment variable.
    ///
    /// Variables ending in `_FILE` map to keys ending in `_file`.
    private static let variables = Dictionary(
        uniqueKeysWithValues: ServerConfiguration.settings.flatMap { key in
            [(key.variable, key.path)]
                + (key.mayBeInFile ? [(key.variable + "_FILE", key.path + fileSuffix)] : [])
        }
    )

    /// Returns the contents of a file, or `nil` if the file cannot be read.
    private let contents: (String) -> [UInt8]?
    /// Returns whether a file can be read or written by users other than its owner and group.
    private let isOpenToOthers: (String) -> Bool
    /// The settings that have been read so far.
    private var configuration: ServerConfiguration
    /// The problems found so far, in order.
    private var problems: [ConfigurationError.Problem] = []

    /// Creates a reader that starts with the default settings and uses the closures to access files.
    init(
        environment: [String: String],
        contents: @escaping (String) -> [UInt8]?,
        isOpenToOthers: @escaping (String) -> Bool
    ) {
        self.contents = contents
        self.isOpenToOthers = isOpenToOthers
        let data = ServerConfiguration.defaultData(environment: environment)
        configuration = ServerConfiguration(data: data ?? "")
    }

    /// Reads the settings from a JSON5 file.
    ///
    /// If the file cannot be read or parsed, a single problem is reported. Otherwise all settings are read,
    /// even after an invalid one, so that all problems are reported together.
    mutating func readFile(_ path: String) {
        let source = ConfigurationSource.file(path)
        guard let bytes = contents(path) else {
            return report("", from: source, message: "the file cannot be read")
        }
        do {
            let value = try JSONCoding.decodeJSON5(JSONValue.self, from: bytes)
            guard case .object(let members) = value else {
                return report("", from: source, message: "the file does not contain a JSON5 object")
            }
            read(members, below: "", from: source)
        } catch let error as InvalidUTF8 {
            report("", from: source, message: "the file is \(error)")
        } catch let error as DuplicateMember {
            report("", from: source, message: "\(error)")
        } catch {
            report("", from: source, message: "the file is not valid JSON5\(Self.place(of: error))")
        }
    }

    /// Reads all environment variables that begin with `LATCHKEY_`, except for those that aren't settings of
    /// the server: `LATCHKEY_CONFIG` and `LATCHKEY_ADMIN_URL`.
    mutating func readEnvironment(_ environment: [String: String]) {
        let reserved: Set = ["LATCHKEY_CONFIG", "LATCHKEY_ADMIN_URL"]
        for (name, text) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("LATCHKEY_") && !reserved.contains(name) {
            if let path = Self.variables[name] {
                set(path, to: .text(text), from: .environment(name))
            } else {
                reportUnknown(name, among: Self.variables.keys, from: .environment(name))
            }
        }
    }

    /// Reads settings from command-line flags.
    ///
    /// The dictionary maps the keys of settings to values. If a flag contains a secret, a problem is
    /// reported, because other users can see the command line. A flag can specify a file that contains the
    /// secret instead, such as `--admin-token-file`.
    mutating func readFlags(_ flags: [String: String]) {
        for (path, text) in flags.sorted(by: { $0.key < $1.key }) {
            let source = ConfigurationSource.flag(Self.keys[path]?.flag ?? path)
            if Self.keys[path]?.isSecret == true || Self.keys[path]?.holdsSecret?(text) == true {
                report(
                    path,
                    from: source,
                    message:
                        "a secret cannot be passed as a flag, because other users can see it; use a file or an environment variable"
                )
            } else {
                set(path, to: .text(text), from: source)
            }
        }
    }

    /// The configuration, in which invalid settings have their default values, and all problems.
    ///
    /// Contradictions between settings are reported only if there are no other problems.
    var result: (configuration: ServerConfiguration, problems: [ConfigurationError.Problem]) {
        (configuration, problems.isEmpty ? configuration.contradictions : problems)
    }

    /// Reads the members of an object and reports unknown keys as problems.
    ///
    /// The names of the members are relative to the key of the object.
    private mutating func read(
        _ members: [String: JSONValue],
        below parent: String,
        from source: ConfigurationSource
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let path = parent + name
            if Self.isKey(path) {
                // `null` selects the default, so that the output of `config show` can be used as a
                // configuration file.
                if value == .null { continue }
                set(path, to: .json(value), from: source)
            } else if case .object(let inner) = value, Self.groups.contains(path) {
                read(inner, below: path + ".", from: source)
            } else {
                reportUnknown(path, among: Self.keys.keys, from: source)
            }
        }
    }

    /// Stores the value of a setting.
    ///
    /// If the key ends with `_file`, the value is read from a file.
    private mutating func set(_ path: String, to input: SettingInput, from source: ConfigurationSource) {
        if let key = Self.keys[path] {
            set(key, to: input, from: source)
        } else if Self.isKey(path), let key = Self.keys[String(path.dropLast(Self.fileSuffix.count))] {
            setFromFile(key, named: input, from: source)
        } else {
            reportUnknown(path, among: Self.keys.keys, from: source)
        }
    }

    /// Stores the value of a setting.
    ///
    /// If the value was read from a separate file, `file` is the path of that file.
    private mutating func set(
        _ key: ConfigurationKey,
        to input: SettingInput,
        from source: ConfigurationSource,
        in file: String? = nil
    ) {
        do {
            try key.set(&configuration, input)
            // None of the settings needs a NUL byte, and C functions would truncate a string at the first
            // one.
            guard !input.holdsNUL, !key.show(configuration).holdsNUL else {
                return report(key.path, from: source, message: "contains a NUL byte")
            }
            configuration.sources[key.path] = source
            if let path = file ?? source.path, key.isSecret || key.holdsSecret?(input.plainText) == true {
                configuration.secretFiles[path] = key.path
            }
        } catch {
            report(key.path, from: source, message: error.message)
        }
    }

    /// Reads the value of a setting from the file at the path `input`.
    ///
    /// Trailing line breaks are removed.
    private mutating func setFromFile(
        _ key: ConfigurationKey,
        named input: SettingInput,
        from source: ConfigurationSource
    ) {
        do {
            let file = try SettingKind<String>.text.read(input)
            guard let bytes = contents(file) else {
                return report(
                    key.path + Self.fileSuffix,
                    from: source,
                    message: "the file \(file) cannot be read"
                )
            }
            if key.path == "admin.token", isOpenToOthers(file) {
                let message = "other users can read or write the file \(file); run: chmod o= \(file)"
                return report(key.path + Self.fileSuffix, from: source, message: message)
            }
            let text: String
            do throws(InvalidUTF8) {
                text = try String(utf8: bytes)
            } catch {
                let message = "the file \(file) is \(error)"
                return report(key.path + Self.fileSuffix, from: source, message: message)
            }
            let value = text.dropLast(text.reversed().prefix(while: \.isNewline).count)
            set(key, to: .text(String(value)), from: source, in: file)
        } catch {
            report(key.path + Self.fileSuffix, from: source, message: error.message)
        }
    }

    /// Reports an unknown setting and suggests the known name that is most similar.
    private mutating func reportUnknown(
        _ name: String,
        among known: some Sequence<String>,
        from source: ConfigurationSource
    ) {
        let hint = Suggestion.closest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
        report(name, from: source, message: "unknown setting\(hint)")
    }

    /// Records a problem.
    ///
    /// The message must not contain a secret.
    private mutating func report(_ key: String, from source: ConfigurationSource, message: String) {
        problems.append(ConfigurationError.Problem(key: key, source: source.description, message: message))
    }

    /// Returns whether a string is the key of a setting.
    ///
    /// For a setting that can be read from a file, the key with the suffix `_file` is also accepted.
    private static func isKey(_ path: String) -> Bool {
        if keys[path] != nil { return true }
        return path.hasSuffix(fileSuffix)
            && keys[String(path.dropLast(fileSuffix.count))]?.mayBeInFile == true
    }

    /// Returns the position of a JSON5 error, if the decoder reports one.
    ///
    /// The contents of the file are not included.
    private static func place(of error: any Error) -> String {
        guard case .dataCorrupted(let context) = error as? DecodingError else { return "" }
        return context.codingPath.isEmpty
            ? "" : " at " + context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}

extension SettingInput {
    fileprivate var holdsNUL: Bool {
        switch self {
        case .text(let text): text.utf8.contains(0)
        case .json(let value): value.holdsNUL
        }
    }
}

extension JSONValue {
    fileprivate var holdsNUL: Bool {
        switch self {
        case .null, .bool, .integer, .double, .number: false
        case .string(let text): text.utf8.contains(0)
        case .array(let values): values.contains(where: \.holdsNUL)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.holdsNUL }
        }
    }
}
