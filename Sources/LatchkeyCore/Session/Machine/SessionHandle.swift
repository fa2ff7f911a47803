/// An identifier of one form of one login, without any of its data.
///
/// The machine decides about handles only; its driver knows the stored session of each handle. Therefore no
/// secret can reach the machine, its journal or a trace of the explorer.
package struct SessionHandle: Hashable, Sendable {
    /// The number of the login; it stays the same through refreshes, renewals and changes of the profile.
    package var login: UInt32

    /// The number of its credentials; different whenever they differ.
    package var version: UInt32

    /// The number of its remaining data, such as the profile; different whenever that differs.
    package var form: UInt32

    /// Whether its credential is an access token with a refresh token, rather than one opaque token.
    package var isPair: Bool

    /// Whether the login has all its parts: the session, and the certificate if the schema requires one.
    package var isComplete: Bool

    /// Creates a handle; by default, of a complete login with a token pair.
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
