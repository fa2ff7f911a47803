extension VipasoError {
    /// The reason why a login was rejected.
    public enum LoginError: Hashable, Sendable {
        /// The identifier or the password is wrong.
        case wrongCredentials
        /// The account belongs to the other kind of user, such as a customer who uses the business login; the
        /// associated value is the reason.
        case wrongUserKind(String)
        /// The account is disabled.
        case accountDisabled
        /// Too many attempts; the time to wait, or `nil` if the server gave none.
        case tooManyAttempts(retryAfter: Duration?)
        /// Some input was rejected; the messages name the fields.
        case rejected([Field])
    }
}
