package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for signing keys, refresh token families and the replay cache of DPoP proofs.
    ///
    /// They are applied together with the migrations of the other modules, in the order of their versions.
    package static var oauth: [Migration] { [.tokens, .seenProofs] }
}
