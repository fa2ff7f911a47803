package import LatchkeyModel

/// Something that was done to an account, as it is written down for good; holds ids and names, never a secret.
package struct AuditEvent: Hashable, Sendable {
    /// Who did it.
    package enum Actor: String, Sendable, CaseIterable {
        /// The account's owner, or whoever proved to be them.
        case person
        /// Whoever holds the operator's token, or the data folder.
        case `operator`
        /// The server by itself.
        case server
    }

    package let id: Identifier
    package let time: Timestamp
    package let actor: Actor
    package let deed: AuditDeed

    /// The account that it was done to; ``Identifier/nilUUID`` if there is none.
    package let identityID: Identifier

    /// What else it was about: the id of a session, the serial number of a certificate, the names of what changed.
    package let subject: String?

    /// The caller's address, without the port.
    package let address: String?

    /// What the request is called in the log.
    package let requestID: String?

    /// Notes a deed; draw it outside the transaction, whose body may run again.
    ///
    /// - Parameters:
    ///   - deed: What was done.
    ///   - identity: The account that it was done to.
    ///   - actor: Who did it.
    ///   - exchange: The request that did it; nothing where there was none.
    ///   - subject: What else it was about.
    ///   - address: The caller's address or network, where there is no request.
    ///   - now: The time.
    ///   - random: The source of randomness.
    package init(
        _ deed: AuditDeed,
        of identity: Identifier,
        by actor: Actor,
        in exchange: Exchange? = nil,
        about subject: String? = nil,
        from address: String? = nil,
        at now: Timestamp,
        random: some RandomSource
    ) {
        id = Identifier(random: random)
        time = now
        self.actor = actor
        self.deed = deed
        identityID = identity
        self.subject = subject
        self.address = exchange?.peer.host ?? address
        requestID = exchange?.id
    }
}

extension AuditEvent {
    /// Reads an event from the columns of ``AuditLog``.
    init(row: Row) throws(DatabaseError) {
        time = try row.time(0)
        id = try row.identifier(1)
        identityID = try row.identifier(2)
        actor = Actor(rawValue: try row.text(3)) ?? .server
        deed = AuditDeed(rawValue: try row.text(4))
        subject = try row.optional(5, Row.text)
        address = try row.optional(6, Row.text)
        requestID = try row.optional(7, Row.text)
    }
}

extension Identifier {
    /// The nil UUID (RFC 9562, section 5.9), which events that are about no account have.
    package static let nilUUID = Identifier(high: 0, low: 0)
}
