/// The rule for a sign-up by code with an address that another account has already proven.
///
/// The code has proved that the caller controls the address, so neither option reveals the account to another
/// user.
public enum ExistingAccountRule: String, Sendable, CaseIterable {
    /// Rejects the sign-up with message 4000007.
    case refuse
    /// Logs the caller in to the existing account, if its schema allows logins by code.
    case logIn = "log_in"
}
