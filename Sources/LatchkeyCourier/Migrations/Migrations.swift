package import LatchkeyServerKit

extension [Migration] {
    /// The steps of the outbox.
    package static var courier: [Migration] { [.outbox, .recipients] }
}
