import LatchkeyWire

/// A path pattern that has a parameter before the last segment.
///
/// Paths whose only parameter is the last segment don't need a pattern, because they can be looked up in a
/// dictionary.
package struct PathPattern: Sendable {
    /// The handlers for this path, keyed by HTTP method.
    var methods: [HTTP.Method: RouterPlace] = [:]

    /// The segments between the slashes.
    ///
    /// `nil` stands for a parameter.
    private let parts: [String?]

    /// Parses a path such as `/identities/{}/sessions`, where `{}` is a parameter.
    package init(_ path: String) {
        parts = Self.parts(of: path).map { $0 == "{}" ? nil : String($0) }
    }

    /// Returns whether a path has a parameter before its last segment and must therefore be matched with a
    /// pattern.
    static func isNeeded(for path: String) -> Bool {
        parts(of: path).dropLast().contains("{}")
    }

    /// Returns the values of the path parameters, or `nil` if the path doesn't match.
    ///
    /// A parameter does not match an empty segment.
    ///
    /// All other segments are compared byte by byte, so a percent-encoded character doesn't match the
    /// character itself.
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
