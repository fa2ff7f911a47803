import LatchkeyWire

/// A path pattern with a parameter before the last segment.
///
/// Paths whose only parameter is the last segment are looked up in a dictionary instead.
package struct PathPattern: Sendable {
    /// The handlers of the path, keyed by HTTP method.
    var methods: [HTTP.Method: RouterPlace] = [:]

    /// The segments between slashes; `nil` for a parameter.
    private let parts: [String?]

    /// Parses a path such as `/identities/{}/sessions`, in which `{}` is a parameter.
    package init(_ path: String) {
        parts = Self.parts(of: path).map { $0 == "{}" ? nil : String($0) }
    }

    /// Returns whether a path has a parameter before its last segment and therefore needs a pattern.
    static func isNeeded(for path: String) -> Bool {
        parts(of: path).dropLast().contains("{}")
    }

    /// Returns the values of the path parameters; `nil` if the path does not match.
    ///
    /// A parameter does not match an empty segment.
    ///
    /// The other segments are compared byte by byte, so a percent-encoded character does not match its plain
    /// form.
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
