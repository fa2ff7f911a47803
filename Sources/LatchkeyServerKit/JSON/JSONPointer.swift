/// A JSON pointer, which is the path to a value within a JSON document (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    /// The unescaped reference tokens.
    ///
    /// The array is empty if the pointer refers to the whole document.
    package let steps: [String]

    /// Parses a pointer.
    ///
    /// The result is `nil` if the text doesn't begin with `/` or contains an invalid `~` escape.
    ///
    /// - Parameter text: The pointer as a string (RFC 6901, section 3). An empty string refers to the whole
    ///   document.
    package init?(_ text: String) {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        var steps: [String] = []
        // We split by Unicode scalars because a slash followed by a combining mark is a single character that
        // isn't equal to a slash.
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let step = Self.unescaped(part) else { return nil }
            steps.append(step)
        }
        self.steps = steps
    }

    private init(_ steps: [String]) {
        self.steps = steps
    }

    /// Creates a pointer to a top-level member or element.
    init(first step: String) {
        self.init([step])
    }

    /// The remaining pointer after removing the first reference token.
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
