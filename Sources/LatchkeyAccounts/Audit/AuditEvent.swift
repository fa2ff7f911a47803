package import LatchkeyModel
package import LatchkeyServerKit

/// An immutable record of an action on an account, which contains ids and names but no secrets.
package struct AuditEvent: Hashable, Sendable {
    /// The kind of caller that performed an action.
    package enum Actor: String, Sendable, CaseIterable {
        /// The user, that is, a client with the credentials of the account.
        case user
        /// An operator, that is, a client with an admin token or a process with access to the data folder.
        case `operator`
        /// The server acted on its own.
        case server
    }

    /// The random id, which orders events with the same time.
    package let id: Identifier
    /// The time of the action, according to the clock of the node.
    package let time: Timestamp
    /// The kind of caller, which does not identify a single operator or client.
    package let actor: Actor
    /// The name of the action.
    package let action: AuditAction

    /// The id of the account; ``Identifier/nilUUID`` for an event without one.
    package let identityID: Identifier

    /// The object of the action: for example, a session id, the serial number of a certificate, or the names
    /// of the changed values.
    ///
    /// The subject contains no trait values and no addresses in plain text. An action that concerns the
    /// account as a whole has the subject `nil`.
    package let subject: String?

    /// The IP address of the client, without the port, or its network.
    ///
    /// `nil` for an action without a client, such as a command of the operator.
    package let address: String?

    /// The id of the request in the server log.
    ///
    /// `nil` for an action without a request.
    package let requestID: String?

    /// Creates an event with a random id.
    ///
    /// The event must be created outside the transaction, because the body of a transaction may run more than
    /// once.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - identity: The id of the account; ``Identifier/nilUUID`` if there is none.
    ///   - actor: The kind of caller.
    ///   - context: The request that caused the action; `nil` if there was none.
    ///   - subject: The object of the action, such as a session id; `nil` if the action concerns the account
    ///     as a whole.
    ///   - address: The client's address or network, used if `context` is `nil`.
    ///   - requestID: The id of the request in the server log, used if `context` is `nil`.
    ///   - now: The time of the action.
    ///   - random: The random source for the id.
    package init(
        _ action: AuditAction,
        of identity: Identifier,
        by actor: Actor,
        in context: RequestContext? = nil,
        about subject: String? = nil,
        from address: String? = nil,
        requestID: String? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) {
        id = Identifier(random: random)
        time = now
        self.actor = actor
        self.action = action
        identityID = identity
        self.subject = subject
        self.address = context?.peer.host ?? address
        self.requestID = context?.id ?? requestID
    }
}

extension AuditEvent {
    /// Reads an event from the columns that ``AuditLog`` selects.
    ///
    /// An unknown actor is read as ``Actor/server``.
    ///
    /// Events that were stored before the migration "audit actions" have the actor "person" for a user.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if a column has another type.
    init(row: Row) throws(DatabaseError) {
        time = try row.time(0)
        id = try row.identifier(1)
        identityID = try row.identifier(2)
        let storedActor = try row.text(3)
        actor = storedActor == "person" ? .user : Actor(rawValue: storedActor) ?? .server
        action = AuditAction(rawValue: try row.text(4))
        subject = try row.optional(5, as: Row.text)
        address = try row.optional(6, as: Row.text)
        requestID = try row.optional(7, as: Row.text)
    }
}

extension Identifier {
    /// The nil UUID (RFC 9562, section 5.9), which is the account id of events without an account.
    package static let nilUUID = Identifier(high: 0, low: 0)
}
