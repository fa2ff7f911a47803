package import LatchkeyModel
package import LatchkeyServerKit

/// An immutable record of an action on an account.
///
/// Audit events contain ids and names, but no secrets.
package struct AuditEvent: Hashable, Sendable {
    /// The kind of caller that performed an action.
    package enum Actor: String, Sendable, CaseIterable {
        /// The user, meaning any client that has the account's credentials.
        case user
        /// An operator, meaning any client with an admin token or any process with access to the data folder.
        case `operator`
        /// The server itself, without a request from a user or operator.
        case server
    }

    /// The event's random id, which also determines the order of events with the same time.
    package let id: Identifier
    /// The time of the action, taken from the node's clock.
    package let time: Timestamp
    /// The kind of caller.
    ///
    /// The kind of caller doesn't identify a particular operator or client.
    package let actor: Actor
    /// The name of the action.
    package let action: AuditAction

    /// The account's id, or ``Identifier/nilUUID`` if the event isn't about an account.
    package let identityID: Identifier

    /// The subject of the action, such as a session id, a certificate's serial number, or the names of the
    /// values that changed.
    ///
    /// Subjects never contain trait values or plain-text addresses. The subject is `nil` if the action
    /// affects the whole account.
    package let subject: String?

    /// The client's IP address without the port, or the client's network.
    ///
    /// `nil` if no client was involved, for example when an operator runs a command.
    package let address: String?

    /// The request id that also appears in the server log, or `nil` if no request caused the action.
    package let requestID: String?

    /// Creates an event with a random id.
    ///
    /// Create the event before starting a transaction, because the transaction's body may run more than once.
    ///
    /// - Parameters:
    ///   - action: The action to record.
    ///   - identity: The account's id, or ``Identifier/nilUUID`` if there is no account.
    ///   - actor: The kind of caller.
    ///   - context: The request that caused the action, or `nil` if there was none.
    ///   - subject: The subject of the action, such as a session id, or `nil` if the action affects the whole
    ///     account.
    ///   - address: The client's address or network, which is only used if `context` is `nil`.
    ///   - requestID: The request id from the server log, which is only used if `context` is `nil`.
    ///   - now: The time of the action.
    ///   - random: The random source for the event's id.
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
        self.address = context?.peer.address.description ?? address
        self.requestID = context?.id ?? requestID
    }
}

extension AuditEvent {
    /// Reads an event from the columns selected by ``AuditLog``.
    ///
    /// Unknown actors are read as ``Actor/server``.
    ///
    /// - Throws: ``DatabaseError`` with the code `mismatch` if a column has an unexpected type.
    init(row: Row) throws(DatabaseError) {
        time = try row.time(0)
        id = try row.identifier(1)
        identityID = try row.identifier(2)
        actor = Actor(rawValue: try row.text(3)) ?? .server
        action = AuditAction(rawValue: try row.text(4))
        subject = try row.optional(5, as: Row.text)
        address = try row.optional(6, as: Row.text)
        requestID = try row.optional(7, as: Row.text)
    }
}

extension Identifier {
    /// The nil UUID (RFC 9562, section 5.9), which is used for events that aren't about an account.
    package static let nilUUID = Identifier(high: 0, low: 0)
}
