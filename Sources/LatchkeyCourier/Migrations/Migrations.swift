package import LatchkeyServerKit

extension [Migration] {
    /// The migrations of the outbox, for both SQL dialects.
    ///
    /// The table itself is older than this module and is created by another migration.
    package static var courier: [Migration] { [.outbox, .recipients] }
}
