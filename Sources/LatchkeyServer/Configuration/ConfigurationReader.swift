import LatchkeyModel
import LatchkeyWire

/// Reads settings from one source after another, later ones over earlier ones, and collects what is wrong.
struct ConfigurationReader {
    private static let keys = Dictionary(uniqueKeysWithValues: ConfigurationKey.all.map { ($0.path, $0) })
    private static let fileSuffix = "_file"
    /// The beginnings of keys that are objects in a file.
    private static let groups = Set(
        keys.keys.flatMap { path in path.indices.filter { path[$0] == "." }.map { String(path[..<$0]) } }
    )
    /// The settings by the variables that set them, or that name the file that does.
    private static let variables = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.all.flatMap { key in
            [(key.variable, key.path)]
                + (key.mayBeInFile ? [(key.variable + "_FILE", key.path + fileSuffix)] : [])
        }
    )

    /// The contents of a file; nothing for one that cannot be read.
    private let contents: (String) -> [UInt8]?
    /// Whether users other than its owner and its group may read a file.
    private let isOpenToOthers: (String) -> Bool
    private var configuration: ServerConfiguration
    private var problems: [ConfigurationError.Problem] = []

    init(
        environment: [String: String],
        contents: @escaping (String) -> [UInt8]?,
        isOpenToOthers: @escaping (String) -> Bool
    ) {
        self.contents = contents
        self.isOpenToOthers = isOpenToOthers
        configuration = ServerConfiguration(data: ServerConfiguration.defaultData(environment: environment))
    }

    mutating func readFile(_ path: String) {
        let source = ConfigurationSource.file(path)
        guard let bytes = contents(path) else {
            return report("", source, "the file cannot be read")
        }
        do {
            let value = try JSONCoding.decodeJSON5(JSONValue.self, from: bytes)
            guard case .object(let members) = value else {
                return report("", source, "the file does not hold a JSON5 object")
            }
            read(members, below: "", from: source)
        } catch {
            report("", source, "the file is not JSON5\(Self.place(of: error))")
        }
    }

    mutating func readEnvironment(_ environment: [String: String]) {
        let reserved: Set = ["LATCHKEY_CONFIG"]
        for (name, text) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("LATCHKEY_") && !reserved.contains(name) {
            if let path = Self.variables[name] {
                set(path, .text(text), from: .environment(name))
            } else {
                reportUnknown(name, among: Self.variables.keys, from: .environment(name))
            }
        }
    }

    mutating func readFlags(_ flags: [String: String]) {
        for (path, text) in flags.sorted(by: { $0.key < $1.key }) {
            let source = ConfigurationSource.flag(Self.keys[path]?.flag ?? path)
            if Self.keys[path]?.isSecret == true || Self.keys[path]?.holdsSecret?(text) == true {
                report(
                    path,
                    source,
                    "a secret cannot be a flag, where other users see it; use a file or a variable"
                )
            } else {
                set(path, .text(text), from: source)
            }
        }
    }

    func finish() throws(ConfigurationError) -> ServerConfiguration {
        let problems = problems.isEmpty ? configuration.contradictions : problems
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return configuration
    }

    private mutating func read(
        _ members: [String: JSONValue],
        below parent: String,
        from source: ConfigurationSource
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let path = parent + name
            if Self.isKey(path) {
                // Null stands for the default, so that a shown configuration can be read again.
                if value == .null { continue }
                set(path, .json(value), from: source)
            } else if case .object(let inner) = value, Self.groups.contains(path) {
                read(inner, below: path + ".", from: source)
            } else {
                reportUnknown(path, among: Self.keys.keys, from: source)
            }
        }
    }

    private mutating func set(_ path: String, _ input: SettingInput, from source: ConfigurationSource) {
        if let key = Self.keys[path] {
            set(key, input, from: source)
        } else if Self.isKey(path), let key = Self.keys[String(path.dropLast(Self.fileSuffix.count))] {
            setFromFile(key, input, from: source)
        } else {
            reportUnknown(path, among: Self.keys.keys, from: source)
        }
    }

    /// Sets a setting that a source holds itself, or in another file.
    private mutating func set(
        _ key: ConfigurationKey,
        _ input: SettingInput,
        from source: ConfigurationSource,
        in file: String? = nil
    ) {
        do {
            try key.set(&configuration, input)
            // A file may hold none, and where a text goes to C, it would end there.
            guard !input.holdsNUL, !key.show(configuration).holdsNUL else {
                return report(key.path, source, "holds a NUL")
            }
            configuration.sources[key.path] = source
            if let path = file ?? source.path, key.isSecret || key.holdsSecret?(input.plainText) == true {
                configuration.secretFiles[path] = key.path
            }
        } catch {
            report(key.path, source, error.message)
        }
    }

    /// Takes a secret from the file that the setting names; a line end after it does not belong to it.
    private mutating func setFromFile(
        _ key: ConfigurationKey,
        _ input: SettingInput,
        from source: ConfigurationSource
    ) {
        do {
            let file = try SettingKind<String>.text.read(input)
            guard let bytes = contents(file) else {
                return report(key.path + Self.fileSuffix, source, "the file \(file) cannot be read")
            }
            if key.path == "admin.token", isOpenToOthers(file) {
                let message = "others may read or write the file \(file); run: chmod o= \(file)"
                return report(key.path + Self.fileSuffix, source, message)
            }
            var text = String(decoding: bytes, as: UTF8.self)[...]
            while text.last?.isNewline == true { text.removeLast() }
            set(key, .text(String(text)), from: source, in: file)
        } catch {
            report(key.path + Self.fileSuffix, source, error.message)
        }
    }

    private mutating func reportUnknown(
        _ name: String,
        among known: some Sequence<String>,
        from source: ConfigurationSource
    ) {
        let hint = Suggestion.closest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
        report(name, source, "there is no such setting\(hint)")
    }

    private mutating func report(_ key: String, _ source: ConfigurationSource, _ message: String) {
        problems.append(ConfigurationError.Problem(key: key, source: source.description, message: message))
    }

    private static func isKey(_ path: String) -> Bool {
        if keys[path] != nil { return true }
        return path.hasSuffix(fileSuffix)
            && keys[String(path.dropLast(fileSuffix.count))]?.mayBeInFile == true
    }

    /// Where a file stops being JSON5, as far as the decoder tells; it quotes nothing of it.
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
        case .null, .bool, .integer, .double: false
        case .string(let text): text.utf8.contains(0)
        case .array(let values): values.contains(where: \.holdsNUL)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.holdsNUL }
        }
    }
}
