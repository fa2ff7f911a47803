/// A string that must never be printed, such as a password, a code, a token or a key.
///
/// The description is a placeholder, which is also used for string interpolation, and the mirror has no
/// children.
public struct Secret: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The secret text.
    ///
    /// The property is called `exposed` so that every use stands out in code review.
    package let exposed: String

    /// Creates a secret from a string.
    ///
    /// - Parameter text: The string to protect.
    public init(_ text: String) {
        exposed = text
    }

    /// Creates a secret from a string literal.
    ///
    /// - Parameter value: The string to protect.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder that hides the text.
    public var description: String { "‹secret›" }

    /// A placeholder that hides the text.
    public var debugDescription: String { description }

    /// A mirror without children, so that `dump` doesn't print the text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
