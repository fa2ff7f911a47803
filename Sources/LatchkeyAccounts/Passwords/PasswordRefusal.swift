/// The reason to refuse a new password.
package enum PasswordRefusal: Hashable, Sendable {
    /// The password has fewer Unicode scalars than the schema requires.
    ///
    /// The first value is the actual number.
    case tooShort(Int, minimum: Int)
    /// The password has more bytes of UTF-8 than the server accepts.
    ///
    /// The first value is the actual number.
    case tooLong(Int, maximum: Int)
    /// The password is on the list of common ones.
    case common
    /// The password resembles an identifier of the account.
    case similar
    /// The password is on the operator's list of breached ones.
    case breached
}
