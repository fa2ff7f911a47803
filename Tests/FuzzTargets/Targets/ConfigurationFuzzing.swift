import LatchkeyServer
import LatchkeyServerKit
import LatchkeyWire

extension FuzzTarget {
    /// Fuzzes the parser for an operator's settings.
    static let configuration = FuzzTarget(
        name: "configuration",
        summary: "An operator's settings: a JSON5 file, the environment and flags.",
        words: words
    ) { bytes in
        let input = FuzzInput(bytes)
        let configuration: ServerConfiguration
        do throws(ConfigurationError) {
            configuration = try load(input.bytes(0), environment: input.pairs(1), flags: input.pairs(2))
        } catch {
            try expect(!error.problems.isEmpty, "a rejection has a reason")
            try expect(error.problems.allSatisfy { !$0.message.isEmpty }, "each problem has a message")
            return
        }
        let shown = configuration.text
        guard let again = try? load(Array(shown.utf8), environment: [:], flags: [:]) else {
            // Secrets are left out of the output, and other settings may require them.
            return try expect(hasSecret(configuration), "a configuration that was printed can be read again")
        }
        for key in ServerConfiguration.settings where !key.mayBeInFile {
            try expect(key.show(again) == key.show(configuration), "\(key.path) can be read again")
        }
    }

    private static let words: [String] = {
        var words = [
            "_file", "LATCHKEY_", "5/1h", "10m", "90d", "postgres://", "https://", "//", "/*", "*/", "'",
        ]
        for key in ServerConfiguration.settings {
            words += [key.path, key.variable + "="]
            if let name = key.path.split(separator: ".").last { words.append("\(name):") }
        }
        return words
    }()

    /// Loads a configuration.
    ///
    /// If a setting names a file, the input itself is used as the file's contents, so files are never read
    /// from disk.
    private static func load(
        _ file: [UInt8],
        environment: [String: String],
        flags: [String: String]
    ) throws(ConfigurationError) -> ServerConfiguration {
        try ServerConfiguration.load(
            file: file.isEmpty ? nil : "file",
            environment: environment,
            flags: flags
        ) { $0.utf8.count % 2 == 0 ? file : nil }
    }

    private static func hasSecret(_ configuration: ServerConfiguration) -> Bool {
        ServerConfiguration.settings.contains { key in
            configuration.sources[key.path] != nil && key.mayBeInFile
        }
    }
}
