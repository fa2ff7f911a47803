/// How to handle a sign-up by code if another account has already verified the address.
///
/// The code proves that the caller controls the address, so neither option reveals the account to anyone
/// else.
public enum ExistingAccountRule: String, Sendable, CaseIterable {
    /// Rejects the sign-up with message 4000007.
    case refuse
    /// Logs the caller in to the existing account, if its schema allows logins with codes.
    case logIn = "log_in"
}
