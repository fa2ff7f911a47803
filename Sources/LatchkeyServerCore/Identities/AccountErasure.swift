import LatchkeyCrypto
import LatchkeyModel
import LatchkeyWire

/// Deletes an account with every copy of its addresses: in messages, flows, codes, limits and known networks.
struct AccountErasure: Sendable {
    private let limiter: Limiter
    private let traceKey: HMACKey

    init(_ context: ServerContext) {
        limiter = Limiter(context)
        traceKey = context.secrets.key(for: .auditTrace)
    }

    /// Deletes an identity and everything that belongs to it or holds one of its addresses.
    ///
    /// - Throws: ``DatabaseError``.
    func erase(_ identity: Identity, in transaction: borrowing Transaction) throws(DatabaseError) {
        _ = try IdentityRepository.delete(identity.id, in: transaction)
        let addresses = identity.addresses.union(identity.addressStates.keys)
        for address in addresses {
            try Self.erase(address, in: transaction)
            try limiter.forget([.code(to: address), .guess(at: address)], in: transaction)
        }
        for value in Set(identity.identifiers).union(addresses.map(\.value)) {
            try Self.eraseForms(with: value, in: transaction)
            try limiter.forget([.failureOfAccount(value)], in: transaction)
        }
        try limiter.forget(
            [.noticeText(identity.id), .deviceNoticeText(identity.id), .refusedEntryNotice(identity.id)],
            in: transaction
        )
    }

    /// A keyed hash of the identifiers, by which the operator can find the deletion of an address that they know.
    func trace(of identity: Identity) -> String {
        let text = identity.identifiers.joined(separator: "\n")
        return "identifiers:" + Base64URL.encode(traceKey.authenticate(Array(text.utf8)))
    }

    private static func erase(
        _ address: Traits.Address,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        try transaction.execute("DELETE FROM messages WHERE recipient = $1", .text(address.value))
        try transaction.execute("DELETE FROM codes WHERE address = $1", .text(address.value))
        try transaction.execute("DELETE FROM flows WHERE address = $1", .text(address.value))
    }

    /// Deletes the flows of clients that were not logged in whose form shows a value again.
    ///
    /// The value is looked for as a whole JSON string. There is no index for this: it reads all flows, for a request that
    /// only operators make.
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
