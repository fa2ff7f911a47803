import LatchkeyAccounts

/// The facts about a caller who enters the code of a verification.
struct VerificationCaller: Hashable, Sendable {
    /// Whether the flow was begun for the identity of the code.
    ///
    /// If the flow is bound to a session, that session must still be active.
    let isBound: Bool

    /// Whether the request has an active session of the code's identity.
    let isCaller: Bool

    /// Whether the request comes from a network from which the code's identity has logged in.
    let isNearby: Bool

    /// The circumstances of the proof, which determine its permitted effects (``AddressOwnership``).
    var proof: AddressOwnership.Proof {
        if isBound || isCaller { return .inside }
        return isNearby ? .nearby : .outside
    }
}
