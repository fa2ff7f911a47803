import LatchkeyAccounts

/// The facts about the caller who enters the code of a verification.
struct VerificationCaller: Hashable, Sendable {
    /// Whether the flow was begun for the identity of the code, in a session that is still active.
    let isBound: Bool

    /// Whether the request has an active session of that identity.
    let isCaller: Bool

    /// Whether the request comes from a network from which the identity has logged in.
    let isNearby: Bool

    /// The circumstances of the proof, which decide what it may change (``AddressOwnership``).
    var proof: AddressOwnership.Proof {
        if isBound || isCaller { return .inside }
        return isNearby ? .nearby : .outside
    }
}
