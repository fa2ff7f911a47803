/// The given name and family name of a user.
public struct PersonName: Hashable, Sendable {
    /// The given name.
    public var first: String

    /// The family name.
    public var last: String

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - first: The given name.
    ///   - last: The family name.
    public init(first: String, last: String) {
        self.first = first
        self.last = last
    }
}
