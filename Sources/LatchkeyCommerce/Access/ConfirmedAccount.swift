import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension Identity {
    /// Returns the account of a session, which must be confirmed before it can spend money.
    ///
    /// An account that isn't confirmed belongs to the first user who logs in with one of its addresses. Without
    /// this rule, users could lose what they have bought by confirming their own address.
    ///
    /// The caller must have locked the account.
    ///
    /// - Throws: ``ServerError`` with status 403, the id `duty_required` and the duty `verify_address` if the
    ///   account isn't confirmed, or 401 if the account doesn't exist anymore. Also throws ``DatabaseError``.
    static func confirmed(_ id: Identifier, in transaction: borrowing Transaction) throws -> Identity {
        guard let identity = try IdentityRepository.load(id, in: transaction) else {
            throw ServerError(401, id: .sessionInactive, reason: "The session has ended.")
        }
        guard identity.confirmedAt != nil else {
            throw ServerError(
                403,
                id: .dutyRequired,
                reason: "Verify an address of the account first. Nothing was charged or stored.",
                duty: .verifyAddress
            )
        }
        return identity
    }
}
