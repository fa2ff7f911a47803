package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A part of the data about accounts: the tables of one module.
///
/// A module that depends on this one and stores rows about accounts or sessions provides an implementation, so
/// that only this module contains SQL for its tables. The default implementations have no effect.
package protocol AccountDataPart: Sendable {
    /// Invalidates the unused codes of an account and ends its open flows.
    ///
    /// - Parameters:
    ///   - identity: The id of the account, whose row the caller has locked.
    ///   - flow: The flow that remains open; `nil` if there is none.
    ///   - now: The time at which the flows end.
    ///   - transaction: The transaction of the change that ends them.
    /// - Throws: ``DatabaseError``.
    func endFlows(
        of identity: Identifier,
        except flow: Identifier?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Ends what the creator of an account must not be able to use after its takeover, such as payment methods.
    ///
    /// - Parameters:
    ///   - identity: The id of the account, whose row the caller has locked.
    ///   - now: The time of the takeover.
    ///   - transaction: The transaction of the takeover.
    /// - Throws: ``DatabaseError``.
    func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Deletes the rows about an account, and all copies of its addresses.
    ///
    /// - Parameters:
    ///   - identity: The id of the account, whose row the caller has locked; its sessions still exist.
    ///   - addresses: All addresses of the account, except those that it has lost.
    ///   - now: The time of the deletion.
    ///   - transaction: The transaction that deletes the account.
    /// - Throws: ``DatabaseError``.
    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Deletes the rows about a session.
    ///
    /// - Parameters:
    ///   - session: The id of the session.
    ///   - transaction: The transaction that deletes the session.
    /// - Throws: ``DatabaseError``.
    func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Returns the rows about an account, without secrets and hashes of secrets, for the export to its owner.
    ///
    /// - Parameters:
    ///   - identity: The id of the account.
    ///   - database: The database to read from.
    /// - Returns: The rows of each table. The names of the lists and of their members are part of the HTTP API.
    /// - Throws: ``DatabaseError``.
    func records(of identity: Identifier, in database: any Database) async throws -> [AccountRecords]
}

/// The rows of one table about an account, as they are exported to its owner.
package struct AccountRecords: Sendable {
    /// The name of the list in the export.
    package let name: String
    /// The rows as JSON objects.
    package let rows: [JSONValue]

    /// Creates a list of rows.
    package init(name: String, rows: [JSONValue]) {
        self.name = name
        self.rows = rows
    }
}

extension AccountDataPart {
    package func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    package func endFlows(
        of identity: Identifier,
        except flow: Identifier?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    package func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    package func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    package func records(of identity: Identifier, in database: any Database) async throws -> [AccountRecords]
    {
        []
    }
}

/// The data about accounts that other modules store, on which this module acts in its own transactions.
package struct AccountData: Sendable {
    private let parts: [any AccountDataPart]

    /// Creates the list of parts; every operation applies to them in this order.
    package init(_ parts: [any AccountDataPart]) {
        self.parts = parts
    }

    /// Invalidates the unused codes of an account and ends its open flows in all parts; see
    /// ``AccountDataPart/endFlows(of:except:at:in:)``.
    package func endFlows(
        of identity: Identifier,
        except flow: Identifier? = nil,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.endFlows(of: identity, except: flow, at: now, in: transaction) }
    }

    /// Ends the parts of an account that do not survive its takeover; see ``AccountDataPart/reclaim(_:at:in:)``.
    func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.reclaim(identity, at: now, in: transaction) }
    }

    /// Deletes the rows about an account in all parts; see ``AccountDataPart/erase(_:addresses:at:in:)``.
    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.erase(identity, addresses: addresses, at: now, in: transaction) }
    }

    /// Deletes the rows about a session in all parts; see ``AccountDataPart/deleteRows(ofSession:in:)``.
    func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.deleteRows(ofSession: session, in: transaction) }
    }

    /// Returns the rows about an account in all parts; see ``AccountDataPart/records(of:in:)``.
    func records(of identity: Identifier, in database: any Database) async throws -> [AccountRecords] {
        var records: [AccountRecords] = []
        for part in parts { records += try await part.records(of: identity, in: database) }
        return records
    }
}
