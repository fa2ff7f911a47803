import LatchkeyServerKit
import LatchkeyWire

/// Generates the reference page for all settings from ``ServerConfiguration/settings``.
package enum ConfigurationReference {
    /// The page in Markdown, with a table for each group of settings.
    package static var page: String {
        var lines = [
            "# Configuration",
            "",
            "All settings of the server. `latchkey config reference` generates this page; `latchkey config show` prints the",
            "effective values and their sources, and `latchkey config check` validates a configuration.",
            "",
            "There are three ways to specify a setting. A flag overrides an environment variable,",
            "and an environment variable overrides the configuration file:",
            "",
            "- in a JSON5 file (`--config FILE` or `LATCHKEY_CONFIG`), where a dot in the name stands for a nested object:",
            "  `admin.port` is `{ admin: { port: 4434 } }`;",
            "- as an environment variable: `LATCHKEY_ADMIN_PORT`;",
            "- as a flag: `--admin-port`.",
            "",
            "A setting marked with * can also be read from a separate file: append `_file` to its name and give the path of that",
            "file (`database_file`, `LATCHKEY_DATABASE_FILE`, `--database-file`). On the command line, this is the only way to",
            "pass a secret.",
        ]
        for group in groups {
            lines += [
                "", "## \(group.title)", "", "| Setting | Description | Values | Default |",
                "|---|---|---|---|",
            ]
            lines += group.keys.map(\.row)
        }
        return lines.joined(separator: "\n")
    }

    /// The settings, grouped by the first component of their names.
    ///
    /// Settings without a group come first.
    private static var groups: [(title: String, keys: [ConfigurationKey])] {
        var groups: [(title: String, keys: [ConfigurationKey])] = []
        for key in ServerConfiguration.settings {
            let parts = key.path.split(separator: ".")
            let title = parts.count == 1 ? "General" : "`\(parts[0])`"
            if let index = groups.firstIndex(where: { $0.title == title }) {
                groups[index].keys.append(key)
            } else {
                groups.append((title, [key]))
            }
        }
        return groups
    }
}

extension ConfigurationKey {
    /// The default value as JSON or a description of it.
    ///
    /// The text is `nil` if there is no default or if the setting is a secret.
    package var defaultText: String? {
        if path == "data" { return "$XDG_DATA_HOME/latchkey/server" }
        guard !isSecret, let json = try? JSONCoding.encode(show(ServerConfiguration(data: ""))) else {
            return nil
        }
        let text = String(decoding: json, as: UTF8.self)
        return text == "null" ? nil : text
    }

    /// The setting as a row of the Markdown table.
    fileprivate var row: String {
        let cells = [
            "`\(path)`\(mayBeInFile ? " *" : "")", summary, wanted, defaultText.map { "`\($0)`" } ?? "",
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }
}
