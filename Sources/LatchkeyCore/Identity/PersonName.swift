import LatchkeyModel

/// A user's first and last name.
public struct PersonName: Hashable, Sendable {
    /// The first name.
    public var first: String

    /// The last name.
    public var last: String

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - first: The first name.
    ///   - last: The last name.
    public init(first: String, last: String) {
        self.first = first
        self.last = last
    }
}

extension PersonName: CustomReflectable {
    /// A mirror for printing, in which the names are masked.
    public var customMirror: Mirror {
        Mirror(self, children: ["first": Masked(), "last": Masked()], displayStyle: .struct)
    }
}
