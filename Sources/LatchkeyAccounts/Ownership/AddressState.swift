/// The stored state of an identity's address; an address without a stored state is only claimed.
package enum AddressState: String, Sendable, CaseIterable {
    /// A user entered a code that was sent to the address, or the operator vouches for it.
    case proven

    /// The address has lost its roles (login, verification and recovery) and is only data in the traits: its
    /// owner proved it on another account, the account was taken over, or the operator released the address.
    ///
    /// A later change of traits with the same value does not restore the roles.
    case released
}
