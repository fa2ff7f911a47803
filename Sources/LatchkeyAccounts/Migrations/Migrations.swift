package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for identities, sessions and the audit log.
    ///
    /// They are applied in the order of their versions, together with the migrations of other modules.
    package static var accounts: [Migration] {
        [.initial, .identities, .audit, .ownership, .auditActions, .deletion]
    }
}
