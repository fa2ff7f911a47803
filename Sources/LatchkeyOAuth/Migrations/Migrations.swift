package import LatchkeyServerKit

extension [Migration] {
    /// The steps of signing keys, token families and seen proofs.
    ///
    /// They are applied in the order of their versions, together with those of the other modules.
    package static var oauth: [Migration] { [.tokens, .seenProofs] }
}
