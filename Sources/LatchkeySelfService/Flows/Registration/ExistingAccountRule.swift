/// How to handle a sign-up by code if the address is already proven on another account.
///
/// By entering the code, the caller has proven control of the address, so neither option reveals the account
/// to anyone else.
public enum ExistingAccountRule: String, Sendable, CaseIterable {
    /// Rejects the sign-up with message 4000007.
    case refuse
    /// Logs the caller in to the existing account, if its schema allows logins with codes.
    case logIn = "log_in"
}
