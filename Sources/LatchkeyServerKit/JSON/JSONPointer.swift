/// A JSON pointer: the path to a value within a JSON document (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    /// The reference tokens, unescaped; empty for the whole document.
    package let steps: [String]

    /// Parses a pointer, or returns `nil` if it does not begin with `/` or has an invalid `~` escape.
    ///
    /// - Parameter text: The pointer in its string form (RFC 6901, section 3); an empty string refers to the
    ///   whole document.
    package init?(_ text: String) {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        var steps: [String] = []
        // Splits by scalars, not by characters: a slash followed by a combining mark is a different
        // character.
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let step = Self.unescaped(part) else { return nil }
            steps.append(step)
        }
        self.steps = steps
    }

    private init(_ steps: [String]) {
        self.steps = steps
    }

    /// Creates a pointer to a top-level member or element of the document.
    init(first step: String) {
        self.init([step])
    }

    /// The pointer without its first reference token, relative to the value that this token refers to.
    var rest: JSONPointer { JSONPointer(Array(steps.dropFirst())) }

    private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
        var text = String.UnicodeScalarView()
        var rest = part[...]
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                text.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": text.append("~")
            case "1": text.append("/")
            default: return nil
            }
        }
        return String(text)
    }
}
