/// A value that a newer server may extend, so that clients accept values that they don't know.
package struct OpenEnum<Known: RawRepresentable<String> & Sendable>: RawRepresentable, Hashable, Sendable,
    Codable
{
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(_ known: Known) {
        rawValue = known.rawValue
    }
}
