/// How long, and how many, DPoP proofs are remembered in memory.
package enum DPoPReplayWindow {
    /// The longest time that a proof can be accepted for.
    ///
    /// This is the lifespan of a nonce plus the clock skew that is accepted for proofs without a nonce.
    package static let length = DPoPNonces.lifespan + .seconds(60)

    /// The number of proofs after which older ones are forgotten.
    package static let capacity = 250_000
}
