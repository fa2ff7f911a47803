package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for signing keys, token families and the replay cache of proofs.
    ///
    /// They are applied in the order of their versions, together with the migrations of other modules.
    package static var oauth: [Migration] { [.tokens, .seenProofs] }
}
