/// A place within a JSON value (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    /// The names and numbers on the way, with their escapes undone.
    package let steps: [String]

    /// Reads a pointer; nothing when the text is none.
    package init?(_ text: String) {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else { return nil }
        var steps: [String] = []
        // Not by characters: with a mark behind it, a slash is a part of another one.
        for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let step = Self.unescaped(part) else { return nil }
            steps.append(step)
        }
        self.steps = steps
    }

    private init(_ steps: [String]) {
        self.steps = steps
    }

    /// The place of a member or an element.
    init(first step: String) {
        self.init([step])
    }

    /// The place without the first step.
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
