extension VipasoError {
    /// The reason why a login was refused.
    public enum LoginError: Hashable, Sendable {
        /// The identifier or the password is wrong.
        case wrongCredentials
        /// The account is of the other kind, such as a customer's at the business login; the text is the
        /// reason.
        case wrongUserKind(String)
        /// The account is disabled.
        case accountDisabled
        /// Too many attempts; the time to wait, or `nil` if the server gave none.
        case tooManyAttempts(retryAfter: Duration?)
        /// Input was rejected; the messages say which.
        case rejected([Field])
    }
}
