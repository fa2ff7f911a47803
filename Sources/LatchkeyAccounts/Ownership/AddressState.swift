/// The stored ownership state of an address.
///
/// If no state is stored, the address is claimed but not proven.
package enum AddressState: String, Sendable, CaseIterable {
    /// A user has entered a code that was sent to the address, or an operator has vouched for the address.
    case proven

    /// The address can no longer be used for login, verification or recovery.
    ///
    /// A released address is just data in the traits.
    ///
    /// An address is released when its owner proves it on another account, when the account is taken over, or
    /// when an operator releases it. Later changes to the traits don't affect this, even if the traits still
    /// contain the address.
    case released
}
