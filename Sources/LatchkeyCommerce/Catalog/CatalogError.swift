/// Thrown when a catalog file is invalid.
package struct CatalogError: Error, Sendable, CustomStringConvertible {
    /// All problems in the file, such as `line 12: product "coins": prices.AT must be a whole number from 1
    /// to 1000000000`.
    package let problems: [String]

    /// The problems, separated by line breaks.
    package var description: String { problems.joined(separator: "\n") }
}
