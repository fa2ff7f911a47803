/// Identifies one version of a login's data without containing the data itself.
///
/// The machine only works with handles, and its driver maps each handle to a stored session. This guarantees
/// that no secret ends up in the machine, its journal or a trace created by the explorer.
package struct SessionHandle: Hashable, Sendable {
    /// The number of the login, which stays the same when the tokens, the certificate or the profile change.
    package var login: UInt32

    /// The version of the login's credentials.
    ///
    /// The number changes whenever the credentials change.
    package var version: UInt32

    /// The version of the login's other data, such as the profile.
    ///
    /// The number changes whenever this data changes.
    package var form: UInt32

    /// Whether the credential is a pair of access and refresh tokens instead of a single opaque token.
    package var isPair: Bool

    /// Whether the login is complete.
    ///
    /// A complete login has a session, and a certificate if the schema requires one.
    package var isComplete: Bool

    /// Creates a handle.
    ///
    /// By default, the login is complete and has a token pair.
    ///
    /// - Parameters:
    ///   - login: The number of the login.
    ///   - version: The version of the login's credentials.
    ///   - form: The version of the login's other data.
    ///   - isPair: Whether the credential is a token pair.
    ///   - isComplete: Whether the login is complete.
    package init(
        login: UInt32,
        version: UInt32,
        form: UInt32 = 0,
        isPair: Bool = true,
        isComplete: Bool = true
    ) {
        (self.login, self.version, self.form) = (login, version, form)
        (self.isPair, self.isComplete) = (isPair, isComplete)
    }
}
