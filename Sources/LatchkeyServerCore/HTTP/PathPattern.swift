import LatchkeyWire

/// A path with parameters that are not its last part, or not that alone.
package struct PathPattern: Sendable {
    var methods: [HTTPMethod: RouterPlace] = [:]

    /// The parts between slashes; nothing for a parameter.
    private let parts: [String?]

    package init(_ path: String) {
        parts = Self.parts(of: path).map { $0 == "{}" ? nil : String($0) }
    }

    static func isNeeded(for path: String) -> Bool {
        parts(of: path).dropLast().contains("{}")
    }

    /// The parts of a path that stand for parameters; nothing when it is another path.
    package func parameters(of path: String) -> [String]? {
        let asked = Self.parts(of: path)
        guard asked.count == parts.count else { return nil }
        var parameters: [String] = []
        for (part, text) in zip(parts, asked) {
            if let part {
                guard part == text else { return nil }
            } else {
                guard !text.isEmpty else { return nil }
                parameters.append(String(text))
            }
        }
        return parameters
    }

    private static func parts(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}
