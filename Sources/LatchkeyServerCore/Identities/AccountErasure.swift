import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Deletes an account with every copy of its addresses: in messages, flows, codes and known networks.
///
/// Counts of limits hold keyed hashes, and expire within a day. They stay: otherwise, deleting and registering an account
/// again would start the counts anew.
struct AccountErasure: Sendable {
    private let traceKey: HMACKey

    init(_ context: ServerContext) {
        traceKey = context.secrets.key(for: .auditTrace)
    }

    /// Deletes an identity and everything that belongs to it or holds one of its addresses.
    ///
    /// - Throws: ``DatabaseError``.
    func erase(_ identity: Identity, in transaction: borrowing Transaction) throws(DatabaseError) {
        _ = try IdentityRepository.delete(identity.id, in: transaction)
        // Not the released addresses: they belong to other accounts by now, or to none.
        for address in identity.addresses {
            let value = SQLValue.text(address.value)
            try transaction.execute("DELETE FROM messages WHERE recipient = $1", value)
            try transaction.execute("DELETE FROM codes WHERE address = $1", value)
            try transaction.execute("DELETE FROM flows WHERE address = $1", value)
            try Self.eraseForms(with: address.value, in: transaction)
        }
    }

    /// Keyed hashes of the identifiers, by which the operator can find the deletion of one that they know.
    func trace(of identity: Identity) -> String {
        let hashes = identity.identifiers.map { Base64URL.encode(traceKey.authenticate(Array($0.utf8))) }
        return "identifiers:" + hashes.joined(separator: ",")
    }

    /// Deletes the flows of clients that were not logged in whose form shows an address again.
    ///
    /// The address is looked for as a whole JSON string. There is no index for this: it reads all flows, for a request
    /// that only operators make.
    private static func eraseForms(
        with value: String,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        var shown = JSONWriter(reserving: value.utf8.count + 2)
        shown.string(value)
        switch transaction.dialect {
        case .sqlite:
            try transaction.execute(
                "DELETE FROM flows WHERE verified_phone = $1 OR instr(ui, $2) > 0 OR instr(traits, $2) > 0",
                .text(value),
                .blob(shown.bytes)
            )
        case .postgreSQL:
            try transaction.execute(
                """
                DELETE FROM flows WHERE verified_phone = $1 \
                OR position($2::bytea IN ui) > 0 OR position($2::bytea IN traits) > 0
                """,
                .text(value),
                .blob(shown.bytes)
            )
        }
    }
}
