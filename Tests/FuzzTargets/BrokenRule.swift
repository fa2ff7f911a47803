/// The error thrown when an input breaks a rule.
package struct BrokenRule: Error, CustomStringConvertible {
    /// A description of the rule that the input broke.
    package let description: String

    init(_ rule: String) {
        description = rule
    }
}

/// Checks that a rule holds for an input.
func expect(_ holds: @autoclosure () throws -> Bool, _ rule: @autoclosure () -> String) throws {
    if try !holds() { throw BrokenRule(rule()) }
}
