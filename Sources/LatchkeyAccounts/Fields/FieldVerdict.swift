/// The result of applying a client's rule to the value of a field.
package enum FieldVerdict: Hashable, Sendable {
    case fulfilled
    /// There is no value, or only a text without visible characters.
    case missing
    /// The value doesn't have the type of the trait, such as a date that doesn't exist.
    case malformed
    /// The text has fewer characters than the rule requires.
    case tooShort(Int, minimum: Int)
    /// The text has more characters than the rule allows.
    case tooLong(Int, maximum: Int)
    /// The user hasn't reached the minimum age yet.
    case tooYoung(minimum: Int)
    /// The birthday has no year, so the user's age is unknown.
    case withoutYear
}
