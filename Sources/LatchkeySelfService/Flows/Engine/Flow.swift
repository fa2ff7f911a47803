package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// A self-service flow, with its parameters, state and form, as stored between requests.
package struct Flow: Sendable {
    /// The random id of the flow.
    ///
    /// Any client that knows the id can read the flow and submit to it, except in settings flows.
    ///
    /// If the flow has no row, the id also encodes the time of issue and the schema (``FlowIdentifier``).
    package let id: Identifier
    /// The kind of flow, which determines the routes, the lifespan and the possible states.
    package let kind: FlowKind

    /// The identity schema whose fields the form shows.
    package let schemaID: String

    /// The URL of the request that began the flow, with its query, truncated to ``FlowBounds/requestURL``
    /// bytes.
    package let requestURL: String

    /// The URL to which the user is sent after the flow; `nil` for the server's default.
    package let returnTo: String?

    /// Whether the flow re-authenticates a user who is already logged in.
    package let refresh: Bool

    /// The requested authenticator assurance level, `aal1` or `aal2`.
    ///
    /// A flow that requests `aal2` offers no method, because no second factor is supported yet.
    package let requestedAAL: AssuranceLevel

    /// The identity to which the flow belongs; `nil` if it is not bound to an account.
    package let identityID: Identifier?

    /// The session to which the flow is bound, and with which the flow ends; `nil` if there is none.
    ///
    /// Verifications that were started by a registration or a settings change are bound to a session.
    package var sessionID: Identifier?

    /// The time of issue, in whole milliseconds.
    package let issuedAt: Timestamp

    /// The expiry; the flow accepts no submission at or after it.
    package let expiresAt: Timestamp

    /// The time at which the flow was begun; the same as ``issuedAt``.
    package let createdAt: Timestamp
    /// The time of the last stored change to the form or the state; ``createdAt`` before the first change.
    package var updatedAt: Timestamp

    /// The current step of the flow.
    package var state: FlowState

    /// The most recently submitted method, such as `password` or `code`; `nil` before one is chosen.
    package var active: String?

    /// The address to which the code was sent; `nil` before the first code.
    package var address: String?

    /// The JSON data that the flow needs for its next step; `nil` if there is none.
    ///
    /// A registration stores the traits from the first step, or those for which the code was sent. A
    /// verification stores the ``PendingChange`` that waits for the verification.
    package var traits: [UInt8]?

    /// The form in the response to the current request, with the submitted values; `nil` to show the stored
    /// form.
    package private(set) var form: Form?

    /// The encoded ``StoredForm``; `nil` as long as the form is the initial one.
    package private(set) var storedForm: [UInt8]?

    /// The phone number that was verified in this flow, in E.164 format; `nil` if there is none.
    ///
    /// Only ``FlowRepository/markVerified(_:flow:at:in:)`` and
    /// ``FlowRepository/beginVerifying(_:flow:at:in:)`` write it. Other updates of the flow leave it
    /// unchanged.
    package var verifiedPhone: String?

    /// The time at which the flow was completed or voided; `nil` while it is open.
    ///
    /// ``OpenCodes`` voids the open flows of an account when access to it changes, for example with a new
    /// password or address.
    package var completedAt: Timestamp?

    /// The language of the response to the current request; it is not stored.
    package var language = Language.english

    /// Creates a flow in the initial state of its kind; it expires `lifespan` after `issuedAt`.
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

    /// The parameters with which the flow began; a replacement flow inherits them.
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

    /// Whether the request that began the flow named an identity schema.
    ///
    /// The value is derived from ``requestURL``, so it is `false` if truncation removed the query item.
    package var namesSchema: Bool {
        guard let mark = requestURL.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = QueryItems(String(requestURL[requestURL.utf8.index(after: mark)...]))
        return query["identity_schema"]?.isEmpty == false
    }

    /// Replaces the form, and stores its messages and accepted values.
    ///
    /// Rejected values are shown only in the response to the current request. In a login, no submitted value
    /// is stored, because a rejected identifier may belong to another account.
    package mutating func show(_ form: Form) {
        let values: [String: JSONValue] =
            switch kind {
            case .login: storedForm.map { StoredForm.decode($0).values } ?? [:]
            // The values are already stored as traits.
            case .registration where traits != nil: [:]
            case .registration, .settings, .recovery, .verification: form.values
            }
        self.form = form
        storedForm = StoredForm.encode(form, storing: values)
    }

    /// Sets the form that the flow begins with; its values come from the server, so they are stored.
    ///
    /// Unlike ``show(_:)``, it stores the values of a login as well.
    package mutating func begin(with form: Form) {
        self.form = form
        storedForm = StoredForm.encode(form, storing: form.values)
    }

    /// Shows the stored form, with `values` filled into fields that have neither a stored value nor an error.
    ///
    /// If there is no stored form, the call has no effect and the initial form is shown.
    mutating func restoreForm(over values: [String: JSONValue]) {
        guard let storedForm else { return }
        var form = StoredForm.decode(storedForm)
        let refused = Set(form.fieldMessages.map(\.field))
        form.values.merge(values.filter { !refused.contains($0.key) }) { own, _ in own }
        self.form = form
    }

    /// Resets the form to the initial one.
    ///
    /// In a completed login or registration, this deletes the submitted values from the row.
    package mutating func clearForm() {
        form = nil
        storedForm = nil
    }

    /// Returns whether the flow was completed or has expired, and so accepts no further submission.
    package func isOver(at now: Timestamp) -> Bool {
        completedAt != nil || expiresAt <= now
    }
}

extension Flow {
    /// Reads a flow from a row that contains the columns that ``FlowRepository`` selects.
    ///
    /// - Throws: ``DatabaseError`` if this version does not know the kind or the state of the flow.
    init(row: Row) throws(DatabaseError) {
        guard let kind = FlowKind(rawValue: try row.text(1)) else {
            throw DatabaseError(.mismatch, message: "A flow has a type that is unknown to this version.")
        }
        id = try row.identifier(0)
        self.kind = kind
        schemaID = try row.text(2)
        requestURL = try row.text(3)
        returnTo = try row.optional(4, as: Row.text)
        active = try row.optional(5, as: Row.text)
        storedForm = try row.optional(6, as: Row.blob)
        refresh = try row.bool(7)
        guard let aal = AssuranceLevel(rawValue: try row.text(8)) else {
            throw DatabaseError(.mismatch, message: "A flow has an AAL that is unknown to this version.")
        }
        requestedAAL = aal
        identityID = try row.optional(9, as: Row.identifier)
        verifiedPhone = try row.optional(10, as: Row.text)
        issuedAt = try row.time(11)
        expiresAt = try row.time(12)
        completedAt = try row.optional(13, as: Row.time)
        createdAt = try row.time(14)
        updatedAt = try row.time(15)
        guard let state = FlowState(rawValue: try row.text(16)) else {
            throw DatabaseError(.mismatch, message: "A flow has a state that is unknown to this version.")
        }
        self.state = state
        address = try row.optional(17, as: Row.text)
        traits = try row.optional(18, as: Row.blob)
        sessionID = try row.optional(19, as: Row.identifier)
    }
}
