/// A rule that an input has broken.
package struct BrokenRule: Error, CustomStringConvertible {
    /// The rule, as it should have held.
    package let description: String

    init(_ rule: String) {
        description = rule
    }
}

/// Holds an input against a rule.
func expect(_ holds: @autoclosure () throws -> Bool, _ rule: @autoclosure () -> String) throws {
    if try !holds() { throw BrokenRule(rule()) }
}
