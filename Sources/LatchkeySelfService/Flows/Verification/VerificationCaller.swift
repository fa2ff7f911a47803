import LatchkeyAccounts

/// Information about a caller who enters a verification code.
struct VerificationCaller: Hashable, Sendable {
    /// Whether the flow was started for the identity that the code belongs to.
    ///
    /// If the flow is bound to a session, that session must still be active.
    let isBound: Bool

    /// Whether the request has an active session of the identity that the code belongs to.
    let isCaller: Bool

    /// How the code was entered, which determines what the verification may change (``AddressOwnership``).
    var proof: AddressOwnership.Proof {
        isBound || isCaller ? .inside : .outside
    }
}
