/// The errors in a catalog file, one per line.
package struct CatalogError: Error, Sendable, CustomStringConvertible {
    /// The errors, such as `line 12: product "coins": prices.AT must be a whole number from 1 to 1000000000`.
    package let problems: [String]

    /// The errors, separated by line breaks.
    package var description: String { problems.joined(separator: "\n") }
}
