/// A string that must never be printed: a password, a code, a token or a key.
///
/// Its description and interpolation show a placeholder, and its mirror has no children.
public struct Secret: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text itself; the property's name makes each use visible in code review.
    package let exposed: String

    /// Creates a secret from a string.
    ///
    /// - Parameter text: The text to protect.
    public init(_ text: String) {
        exposed = text
    }

    /// Creates a secret from a literal.
    ///
    /// - Parameter value: The text to protect.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder; the text is never printed.
    public var description: String { "‹secret›" }

    /// A placeholder; the text is never printed.
    public var debugDescription: String { description }

    /// A mirror without children, so that dumping a value does not print the text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
