/// A rule that an input has broken.
package struct BrokenRule: Error, CustomStringConvertible {
    /// The rule that the input should have satisfied.
    package let description: String

    init(_ rule: String) {
        description = rule
    }
}

/// Checks that a rule holds for an input.
func expect(_ holds: @autoclosure () throws -> Bool, _ rule: @autoclosure () -> String) throws {
    if try !holds() { throw BrokenRule(rule()) }
}
