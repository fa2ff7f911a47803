package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for identities, sessions and the audit log.
    ///
    /// All migrations, including those of other modules, are applied in the order of their versions.
    package static var accounts: [Migration] {
        [.initial, .identities, .audit, .ownership, .auditActions, .deletion, .regionChanges]
    }
}
