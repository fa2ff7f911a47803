package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for the outbox, for all SQL dialects.
    ///
    /// The table was introduced before this module existed, so another migration creates it.
    package static var courier: [Migration] { [.outbox, .recipients] }
}
