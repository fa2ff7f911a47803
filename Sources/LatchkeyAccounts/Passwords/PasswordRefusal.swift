/// The reason to reject a new password.
package enum PasswordRefusal: Hashable, Sendable {
    /// The password has fewer Unicode scalars than the schema requires.
    ///
    /// The first value is the actual length of the password.
    case tooShort(Int, minimum: Int)
    /// The password has more UTF-8 bytes than the server accepts.
    ///
    /// The first value is the actual length of the password.
    case tooLong(Int, maximum: Int)
    /// The password is on the list of common passwords.
    case common
    /// The password resembles an identifier of the account.
    case similar
    /// The password is on the operator's list of breached passwords.
    case breached
}
