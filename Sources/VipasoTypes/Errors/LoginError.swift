extension VipasoError {
    /// The reason a login was rejected.
    public enum LoginError: Hashable, Sendable {
        /// The identifier or the password is wrong.
        case wrongCredentials
        /// The account belongs to the other kind of user. For example, a customer tried to use the business
        /// login.
        ///
        /// The associated value describes the reason.
        case wrongUserKind(String)
        /// The account is disabled.
        case accountDisabled
        /// The user has made too many attempts and must wait for the given time, or `nil` if the server did
        /// not specify one.
        case tooManyAttempts(retryAfter: Duration?)
        /// Some of the input was rejected. The associated messages explain why.
        case rejected([Field])
    }
}
