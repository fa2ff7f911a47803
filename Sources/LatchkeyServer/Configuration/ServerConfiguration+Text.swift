import LatchkeyServerKit
package import LatchkeyWire

extension ServerConfiguration {
    /// The effective settings as a JSON5 file, with descriptions and sources in comments.
    ///
    /// Secrets are replaced with placeholders. The text can be used as a configuration file after the secrets
    /// have been added.
    package var text: String {
        var lines = ["{"]
        var group: [Substring] = []
        for (index, entry) in Entry.all.enumerated() {
            let (key, parents) = (entry.key, entry.parents)
            if parents != group {
                // Names must be unique within an object, so keep a nested group inside its parent's braces.
                let shared = zip(parents, group).prefix { $0 == $1 }.count
                lines += group.indices.dropFirst(shared).reversed().map { indent($0 + 1) + "}," }
                if index > 0 { lines.append("") }
                lines += parents.indices.dropFirst(shared).map { indent($0 + 1) + "\(parents[$0]): {" }
                group = parents
            }
            var value = JSONWriter(reserving: 64)
            value.value(key.show(self))
            let origin = sources[key.path].map { "  // from \($0)" } ?? ""
            let margin = indent(parents.count + 1)
            lines.append("\(margin)// \(key.summary)")
            // A placeholder isn't a valid value, so we comment it out. That way, the output can be used as a
            // configuration file.
            let hidden = key.isSecret ? "// " : ""
            let shown = String(decoding: value.bytes, as: UTF8.self)
            lines.append("\(margin)\(hidden)\(entry.name): \(shown),\(origin)")
        }
        lines += group.indices.reversed().map { indent($0 + 1) + "}," }
        lines.append("}")
        return lines.joined(separator: "\n") + "\n"
    }

    /// The effective settings as nested objects, with placeholders for secrets.
    ///
    /// Settings without a value are `null`.
    package var json: JSONValue {
        ServerConfiguration.settings.reduce(.object([:])) { whole, key in
            whole.setting(key.path.split(separator: ".").map(String.init)[...], to: key.show(self))
        }
    }

    private func indent(_ depth: Int) -> String {
        String(repeating: "  ", count: depth)
    }
}

/// A setting's key, split into its groups and its name.
private struct Entry {
    let key: ConfigurationKey
    let parents: [Substring]
    let name: Substring

    static let all = ServerConfiguration.settings.sortedByGroup.map { Entry($0) }

    init(_ key: ConfigurationKey) {
        self.key = key
        let parts = key.path.split(separator: ".")
        parents = Array(parts.dropLast())
        name = parts.last ?? ""
    }
}

extension [ConfigurationKey] {
    /// The settings, sorted by group.
    ///
    /// Settings without a group come first, followed by the groups in the order of the table. Nested groups
    /// immediately follow their parent groups.
    fileprivate var sortedByGroup: [ConfigurationKey] {
        let roots = grouped { $0.split(separator: ".").dropLast().prefix(1) }
        return roots.flatMap { $0.grouped { $0.split(separator: ".").dropLast() }.flatMap { $0 } }
    }

    private func grouped(by group: (String) -> ArraySlice<Substring>) -> [[ConfigurationKey]] {
        var groups: [(name: [Substring], keys: [ConfigurationKey])] = [([], [])]
        for key in self {
            let name = [Substring](group(key.path))
            if let place = groups.firstIndex(where: { $0.name == name }) {
                groups[place].keys.append(key)
            } else {
                groups.append((name, [key]))
            }
        }
        return groups.map(\.keys)
    }
}

extension JSONValue {
    /// Returns a copy of the object in which the member at a path is replaced.
    ///
    /// Missing intermediate objects are created.
    fileprivate func setting(_ path: ArraySlice<String>, to value: JSONValue) -> JSONValue {
        guard let name = path.first, case .object(var members) = self else { return value }
        members[name] = (members[name] ?? .object([:])).setting(path.dropFirst(), to: value)
        return .object(members)
    }
}
