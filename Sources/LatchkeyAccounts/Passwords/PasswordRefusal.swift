/// The reason why a new password was rejected.
package enum PasswordRefusal: Hashable, Sendable {
    /// The password has fewer Unicode scalars than the schema requires.
    ///
    /// The first value is the password's length.
    case tooShort(Int, minimum: Int)
    /// The password has more UTF-8 bytes than the server accepts.
    ///
    /// The first value is the password's length.
    case tooLong(Int, maximum: Int)
    /// The password is on the list of common passwords.
    case common
    /// The password is too similar to one of the account's identifiers.
    case similar
    /// The password is on the operator's list of breached passwords.
    case breached
}
