/// An identifier for one version of a login's data, which does not contain the data itself.
///
/// The machine only deals with handles; its driver maps each handle to a stored session. Therefore, no secret
/// can reach the machine, its journal or an explorer trace.
package struct SessionHandle: Hashable, Sendable {
    /// The number of the login; refreshes, renewals and profile changes do not change it.
    package var login: UInt32

    /// The number of the login's credentials; different credentials have different numbers.
    package var version: UInt32

    /// The number of the login's remaining data, such as the profile; different data has a different number.
    package var form: UInt32

    /// Whether the credential is an access token with a refresh token, rather than a single opaque token.
    package var isPair: Bool

    /// Whether the login is complete: it has a session, and a certificate if the schema requires one.
    package var isComplete: Bool

    /// Creates a handle; by default, for a complete login with a token pair.
    ///
    /// - Parameters:
    ///   - login: The number of the login.
    ///   - version: The number of its credentials.
    ///   - form: The number of its remaining data.
    ///   - isPair: Whether its credential is a token pair.
    ///   - isComplete: Whether the login has all its parts.
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
