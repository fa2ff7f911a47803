extension VipasoError {
    /// The reason why a login was rejected.
    public enum LoginError: Hashable, Sendable {
        /// The identifier or the password is wrong.
        case wrongCredentials
        /// The account belongs to the other kind of user, such as a customer who uses the business login.
        ///
        /// The associated value is the reason.
        case wrongUserKind(String)
        /// The account is disabled.
        case accountDisabled
        /// The user has made too many attempts and must wait for the given time; `nil` if the server gave
        /// none.
        case tooManyAttempts(retryAfter: Duration?)
        /// Some of the input was rejected, for the reasons in the messages about its fields.
        case rejected([Field])
    }
}
