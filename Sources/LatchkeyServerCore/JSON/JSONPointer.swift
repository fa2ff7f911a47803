/// A place within a JSON value (RFC 6901).
package struct JSONPointer: Hashable, Sendable {
    /// The names and numbers on the way, with their escapes undone.
    package let steps: [String]

    /// Reads a pointer; nothing when the text is none.
    package init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var steps: [String] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
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

    private static func unescaped(_ part: Substring) -> String? {
        var text = ""
        var rest = part[...]
        while let character = rest.popFirst() {
            guard character == "~" else {
                text.append(character)
                continue
            }
            switch rest.popFirst() {
            case "0": text.append("~")
            case "1": text.append("/")
            default: return nil
            }
        }
        return text
    }
}
