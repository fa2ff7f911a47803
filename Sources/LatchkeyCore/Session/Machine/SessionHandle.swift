/// Names one form of one login, without holding anything of it.
///
/// The machine decides about handles alone; whoever drives it knows which stored session each one stands for. So no
/// secret can reach the machine, its journal or a trace of the explorer.
package struct SessionHandle: Hashable, Sendable {
    /// Which login; the same for all that became of it by refreshing, renewing and changes of the profile.
    package var login: UInt32

    /// Which credentials of it; another number whenever they differ.
    package var version: UInt32

    /// What else is remembered of it, such as the profile; another number whenever that differs.
    package var form: UInt32

    /// Whether it holds an access token that a refresh token renews, rather than one opaque token.
    package var isPair: Bool

    /// Whether all that a login needs is in place: the session, and the certificate where the schema asks for one.
    package var isComplete: Bool

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
