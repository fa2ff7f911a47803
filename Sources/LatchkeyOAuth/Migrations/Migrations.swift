package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for signing keys, refresh token families and the replay cache of DPoP proofs.
    ///
    /// The migrations are applied together with those of the other modules, in the order of their versions.
    package static var oauth: [Migration] { [.tokens, .seenProofs] }
}
