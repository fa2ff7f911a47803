/// A text that must never be printed: a password, a code, a token, a key.
///
/// Its description, its mirror and its interpolation show a mark in place of the text.
public struct Secret: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text itself; the name makes its use visible in review.
    package let exposed: String

    /// Wraps a text.
    ///
    /// - Parameter text: The text to keep out of sight.
    public init(_ text: String) {
        exposed = text
    }

    /// Wraps a literal.
    ///
    /// - Parameter value: The text to keep out of sight.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mark in place of the text.
    public var description: String { "‹secret›" }

    /// A mark in place of the text.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
