package import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// A protocol for modules that store their own data about accounts.
///
/// If a module depends on this one and stores rows for accounts or sessions in its own tables, the module
/// provides a type that conforms to this protocol. We call the type's methods whenever the module's rows need
/// to change, so this module doesn't contain SQL for other modules' tables. The default implementations of
/// all methods are empty.
package protocol AccountDataPart: Sendable {
    /// Invalidates the account's unused codes and completes its open flows.
    ///
    /// - Parameters:
    ///   - identity: The account's id. The caller has locked the account's row.
    ///   - flow: The flow that stays open, or `nil` to complete all flows.
    ///   - now: The current time, which is stored as the time when the flows completed.
    ///   - transaction: The database transaction that the changes are written in.
    /// - Throws: ``DatabaseError``.
    func endFlows(
        of identity: Identifier,
        except flow: Identifier?,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Removes anything that an account's creator must not be able to use after another user has taken the
    /// account over, such as payment methods.
    ///
    /// - Parameters:
    ///   - identity: The account's id. The caller has locked the account's row.
    ///   - now: The time of the takeover.
    ///   - transaction: The database transaction in which the account is taken over.
    /// - Throws: ``DatabaseError``.
    func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Deletes everything that the module stores for an account, including all copies of its addresses.
    ///
    /// - Parameters:
    ///   - identity: The account's id. The caller has locked the account's row. The account's sessions still
    ///     exist.
    ///   - addresses: The account's addresses, except those that were released.
    ///   - now: The current time.
    ///   - transaction: The database transaction that deletes the account.
    /// - Throws: ``DatabaseError``.
    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Deletes everything that the module stores for a session.
    ///
    /// - Parameters:
    ///   - session: The session's id.
    ///   - transaction: The database transaction that deletes the session.
    /// - Throws: ``DatabaseError``.
    func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Ends the grants of all OAuth clients for an account, because access to the account has changed.
    ///
    /// - Parameters:
    ///   - identity: The account's id. The caller has locked the account's row.
    ///   - now: The current time.
    ///   - transaction: The database transaction of the change.
    /// - Throws: ``DatabaseError``.
    func endGrants(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Ends the grants of an OAuth client that is deleted or disabled, for all accounts.
    ///
    /// - Parameters:
    ///   - client: The client's id.
    ///   - now: The current time.
    ///   - transaction: The database transaction that deletes or disables the client.
    /// - Throws: ``DatabaseError``.
    func endGrants(
        ofClient client: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError)

    /// Returns the module's data about an account, which is included when the user exports the account.
    ///
    /// Implementations must leave out secrets and hashes of secrets.
    ///
    /// - Parameters:
    ///   - identity: The account's id.
    ///   - start: When the account's present user took it over. Earlier rows belong to another user and must
    ///     be left out.
    ///   - database: The database to read from.
    /// - Returns: The rows of each table. The list names and the JSON member names are part of the HTTP API.
    /// - Throws: ``DatabaseError``.
    func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords]
}

/// The rows of one table that are included in an account's export.
package struct AccountRecords: Sendable {
    /// The list's name in the exported JSON.
    package let name: String
    /// The rows as JSON objects.
    package let rows: [JSONValue]

    /// Creates a list of exported rows with the given name.
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

    package func endGrants(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    package func endGrants(
        ofClient client: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {}

    package func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        []
    }
}

/// The data that other modules store about accounts.
///
/// Changes are made in the same transactions as the changes to this module's data.
package struct AccountData: Sendable {
    private let parts: [any AccountDataPart]

    /// Creates an instance that calls the modules in the given order.
    package init(_ parts: [any AccountDataPart]) {
        self.parts = parts
    }

    /// Tells every module to invalidate the account's unused codes and complete its open flows; see
    /// ``AccountDataPart/endFlows(of:except:at:in:)``.
    package func endFlows(
        of identity: Identifier,
        except flow: Identifier? = nil,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.endFlows(of: identity, except: flow, at: now, in: transaction) }
    }

    /// Tells every module that an account was taken over; see ``AccountDataPart/reclaim(_:at:in:)``.
    func reclaim(
        _ identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.reclaim(identity, at: now, in: transaction) }
    }

    /// Deletes everything that the modules store for an account; see
    /// ``AccountDataPart/erase(_:addresses:at:in:)``.
    func erase(
        _ identity: Identifier,
        addresses: Set<ContactAddress>,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.erase(identity, addresses: addresses, at: now, in: transaction) }
    }

    /// Deletes everything that the modules store for a session; see
    /// ``AccountDataPart/deleteRows(ofSession:in:)``.
    func deleteRows(
        ofSession session: Identifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.deleteRows(ofSession: session, in: transaction) }
    }

    /// Ends the grants of an account in every module; see ``AccountDataPart/endGrants(of:at:in:)``.
    package func endGrants(
        of identity: Identifier,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.endGrants(of: identity, at: now, in: transaction) }
    }

    /// Ends the grants of a client in every module; see ``AccountDataPart/endGrants(ofClient:at:in:)``.
    package func endGrants(
        ofClient client: String,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        for part in parts { try part.endGrants(ofClient: client, at: now, in: transaction) }
    }

    /// Returns the data that all modules store about an account; see
    /// ``AccountDataPart/records(of:since:in:)``.
    func records(
        of identity: Identifier,
        since start: Timestamp,
        in database: any Database
    ) async throws -> [AccountRecords] {
        var records: [AccountRecords] = []
        for part in parts { records += try await part.records(of: identity, since: start, in: database) }
        return records
    }
}
