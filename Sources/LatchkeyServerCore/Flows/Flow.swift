package import LatchkeyModel
import LatchkeyWire

/// A flow as it is kept between requests.
package struct Flow: Sendable {
    package let id: Identifier
    package let kind: FlowKind

    /// The identity schema that its form comes from.
    package let schemaID: String

    /// The address of the request that began it, with its query.
    package let requestURL: String

    package let returnTo: String?

    /// Whether it asks somebody who is logged in to prove it again.
    package let refresh: Bool

    /// The assurance level asked for.
    package let requestedAAL: String

    /// Whose flow it is, when it was begun with a session.
    package let identityID: Identifier?

    /// The session that it belongs to: a registration or a change of settings started it, and it ends with that session.
    package var sessionID: Identifier?

    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let createdAt: Timestamp
    package var updatedAt: Timestamp

    /// How far it has come.
    package var state: FlowState

    /// The method that was used last.
    package var active: String?

    /// Where its code was sent.
    package var address: String?

    /// The traits that a registration goes on with, as JSON: those that its code was sent for, or of its first step.
    package var traits: [UInt8]?

    /// The nodes and messages after the last submit, as JSON; nothing while the form is as it was at first.
    package var ui: [UInt8]?

    /// The phone number that was verified in this flow, in E.164.
    package var verifiedPhone: String?

    /// When it ended in success; from then on it is over.
    package var completedAt: Timestamp?

    /// The language of the request that it is shown for; not kept.
    package var language = Language.english

    package init(
        id: Identifier,
        kind: FlowKind,
        parameters: FlowParameters,
        issuedAt: Timestamp,
        lifespan: Duration
    ) {
        self.id = id
        self.kind = kind
        schemaID = parameters.schemaID
        requestURL = parameters.requestURL
        returnTo = parameters.returnTo
        refresh = parameters.refresh
        requestedAAL = parameters.requestedAAL
        identityID = parameters.identityID
        state = kind.initialState
        active = kind.onlyMethod
        self.issuedAt = issuedAt
        expiresAt = issuedAt + lifespan
        createdAt = issuedAt
        updatedAt = issuedAt
    }

    /// What it was begun with.
    package var parameters: FlowParameters {
        FlowParameters(
            schemaID: schemaID,
            requestURL: requestURL,
            returnTo: returnTo,
            refresh: refresh,
            requestedAAL: requestedAAL,
            identityID: identityID
        )
    }

    /// The identity schema that the request for it asked for by name.
    package var namedSchema: String? {
        guard let mark = requestURL.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let query = QueryItems(String(requestURL[requestURL.utf8.index(after: mark)...]))
        return query["identity_schema"]?.isEmpty == false ? schemaID : nil
    }

    /// Whether nothing can be submitted to it any more.
    package func isOver(at now: Timestamp) -> Bool {
        completedAt != nil || expiresAt <= now
    }
}

extension Flow {
    /// Reads a flow from the columns that ``FlowRepository`` selects.
    init(row: Row) throws(DatabaseError) {
        guard let kind = FlowKind(rawValue: try row.text(1)) else {
            throw DatabaseError(.mismatch, "A flow is of a kind that this version does not know.")
        }
        id = try row.identifier(0)
        self.kind = kind
        schemaID = try row.text(2)
        requestURL = try row.text(3)
        returnTo = try row.optional(4, Row.text)
        active = try row.optional(5, Row.text)
        ui = try row.optional(6, Row.blob)
        refresh = try row.bool(7)
        requestedAAL = try row.text(8)
        identityID = try row.optional(9, Row.identifier)
        verifiedPhone = try row.optional(10, Row.text)
        issuedAt = try row.time(11)
        expiresAt = try row.time(12)
        completedAt = try row.optional(13, Row.time)
        createdAt = try row.time(14)
        updatedAt = try row.time(15)
        guard let state = FlowState(rawValue: try row.text(16)) else {
            throw DatabaseError(.mismatch, "A flow is in a state that this version does not know.")
        }
        self.state = state
        address = try row.optional(17, Row.text)
        traits = try row.optional(18, Row.blob)
        sessionID = try row.optional(19, Row.identifier)
    }
}
