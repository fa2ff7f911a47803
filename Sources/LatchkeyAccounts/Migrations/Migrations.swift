package import LatchkeyServerKit

extension [Migration] {
    /// The migrations for identities, sessions and the audit log; the first one also creates tables of other
    /// modules.
    ///
    /// They are applied in the order of their versions, together with the migrations of other modules.
    package static var accounts: [Migration] { [.initial, .identities, .audit, .ownership, .auditActions] }
}
