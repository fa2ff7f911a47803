extension VipasoError {
    /// Why a login was refused.
    public enum LoginError: Hashable, Sendable {
        /// The identifier and the password do not belong together.
        case wrongCredentials
        /// The account is of the other kind: a customer's at the business login, or the reverse.
        case wrongUserKind(String)
        /// The account is closed.
        case accountDisabled
        /// There were too many attempts; how long to wait, if it is known.
        case tooManyAttempts(retryAfter: Duration?)
        /// The input was refused.
        case rejected([Field])
    }
}
