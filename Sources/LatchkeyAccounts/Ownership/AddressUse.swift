/// How accounts use an address.
package enum AddressUse: Hashable, Sendable {
    /// No account uses the address.
    case free
    /// An account uses the address, but its user hasn't proven it.
    case claimed
    /// The address is proven on an account.
    case proven
}
