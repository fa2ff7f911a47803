package import LatchkeyServerKit

extension [Migration] {
    /// The steps of signing keys, token families and seen proofs.
    package static var oauth: [Migration] { [.tokens, .seenProofs] }
}
