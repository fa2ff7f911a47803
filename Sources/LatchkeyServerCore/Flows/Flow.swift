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

    /// The form in the answer to this request, with what was submitted; `nil` if it is the stored one.
    package private(set) var form: Form?

    /// The bytes of the stored form (``StoredForm``); `nil` while the form is as it was at first.
    package private(set) var storedForm: [UInt8]?

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
        requestURL = parameters.requestURL.prefix(utf8: FlowBounds.requestURL)
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

    /// Whether the request for it asked for an identity schema by name.
    package var namesSchema: Bool {
        guard let mark = requestURL.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = QueryItems(String(requestURL[requestURL.utf8.index(after: mark)...]))
        return query["identity_schema"]?.isEmpty == false
    }

    /// Puts another form in place; refused values are shown once and not stored.
    ///
    /// Of a login no submitted value is stored: an identifier that was refused may be one of another account.
    package mutating func show(_ form: Form) {
        let values: [String: JSONValue] =
            switch kind {
            case .login: storedForm.map { StoredForm.decode($0).values } ?? [:]
            // They are stored as traits already.
            case .registration where traits != nil: [:]
            case .registration, .settings, .recovery, .verification: form.values
            }
        self.form = form
        storedForm = StoredForm.encode(form, storing: values)
    }

    /// Puts the form in place with which the flow begins, with values of the server's own.
    package mutating func begin(with form: Form) {
        self.form = form
        storedForm = StoredForm.encode(form, storing: form.values)
    }

    /// Shows the stored form, with other values where it has none and refused none.
    mutating func restoreForm(over values: [String: JSONValue]) {
        guard let storedForm else { return }
        var form = StoredForm.decode(storedForm)
        let refused = Set(form.fieldMessages.map(\.field))
        form.values.merge(values.filter { !refused.contains($0.key) }) { own, _ in own }
        self.form = form
    }

    /// Goes back to the form as it was at first.
    package mutating func clearForm() {
        form = nil
        storedForm = nil
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
        storedForm = try row.optional(6, Row.blob)
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
