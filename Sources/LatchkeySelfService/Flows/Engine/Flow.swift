package import LatchkeyAccounts
package import LatchkeyCourier
package import LatchkeyModel
package import LatchkeyServerKit
import LatchkeyWire

/// A self-service flow as stored between requests, with its parameters, state and form.
package struct Flow: Sendable {
    /// The random id of the flow.
    ///
    /// Any client that knows the id can read the flow and submit to it, unless it is a settings flow.
    ///
    /// If the flow isn't stored in the database, its id also encodes the time of issue and the schema
    /// (``FlowIdentifier``).
    package let id: Identifier
    /// The kind of flow, which determines its routes, lifespan and possible states.
    package let kind: FlowKind
    /// The type of client that the flow was started for, or of the one that has opened its mailed link.
    package private(set) var type: FlowType

    /// The identity schema that defines the fields of the form.
    package let schemaID: String

    /// The URL of the request that started the flow, including its query, truncated to
    /// ``FlowBounds/requestURL`` bytes.
    package let requestURL: String

    /// Where to send the user after the flow, or `nil` to use the server's default URL.
    package let returnTo: String?

    /// The id of the authorization request that the flow belongs to, or `nil` if there is none.
    ///
    /// After the flow, the browser continues with the request instead of going to ``returnTo``.
    package private(set) var loginChallenge: Identifier?

    /// The authorization request, or `nil` if there is none or it isn't open any more.
    ///
    /// The request is looked up for the browser, and isn't stored with the flow.
    package var authorization: PendingAuthorization?

    /// The rules of the client that the flow leads to, or `nil` if there are none.
    ///
    /// The rules are looked up for each request, so a change of the client applies to flows that have started.
    package var fields: FieldRules?

    /// The documents that the user still has to answer, or `nil` if there are none.
    ///
    /// They are looked up for each request.
    package var terms: FlowTerms?

    /// The names of the only form fields that the user can change, or `nil` if there is no restriction.
    ///
    /// While a duty blocks, a settings flow accepts no other changes. The names are looked up for each request.
    package var dutyFields: Set<String>?

    /// The client whose duties, documents and fields a settings flow shows, or `nil` if there is none.
    package var dutyClientID: String?

    /// Whether the flow re-authenticates a user who is already logged in.
    package let refresh: Bool

    /// The requested authenticator assurance level, `aal1` or `aal2`.
    ///
    /// Flows that request `aal2` offer no methods, because no second factor is supported yet.
    package let requestedAAL: AssuranceLevel

    /// The registered client that the app has named, or `nil` if it has named none.
    package let clientID: String?

    /// The identity that the flow belongs to, or `nil` if it isn't bound to an account.
    package let identityID: Identifier?

    /// The session that the flow is bound to, or `nil` if there is none.
    ///
    /// The flow becomes invalid when the session ends.
    ///
    /// Verification flows that were started by a registration or a settings change are bound to a session.
    package var sessionID: Identifier?

    /// When the flow was started, in whole milliseconds.
    package let issuedAt: Timestamp

    /// When the flow expires.
    ///
    /// Submissions are rejected from this time on.
    package let expiresAt: Timestamp

    /// When the flow was created, which is the same as ``issuedAt``.
    package let createdAt: Timestamp
    /// When the form or state last changed in the database.
    ///
    /// Before the first change, this is ``createdAt``.
    package var updatedAt: Timestamp

    /// The current step of the flow.
    package var state: FlowState

    /// The most recently submitted method, such as `password` or `code`, or `nil` if none has been chosen
    /// yet.
    package var active: String?

    /// The address that the code was sent to, or `nil` if no code has been sent yet.
    package var address: String?

    /// The JSON data that the flow needs for its next step, or `nil` if there is none.
    ///
    /// A registration stores the traits from its first step, or the traits that the code was sent for. A
    /// verification stores the ``PendingChange`` to apply after the address has been verified.
    package var traits: [UInt8]?

    /// The form to show in the response to the current request, including submitted values.
    ///
    /// If `nil`, the stored form is shown.
    package private(set) var form: Form?

    /// The encoded ``StoredForm``, or `nil` if the form hasn't changed since the flow started.
    package private(set) var storedForm: [UInt8]?

    /// The phone number that was verified in this flow, in E.164 format, or `nil` if there is none.
    ///
    /// In the database, only ``FlowRepository/markVerified(_:flow:at:in:)`` and
    /// ``FlowRepository/beginVerifying(_:flow:at:in:)`` change the phone number. Other updates of the flow
    /// don't affect the stored number.
    package var verifiedPhone: String?

    /// The addresses that a registration has proven with a code, in the order of their proofs.
    ///
    /// In the database, only ``FlowRepository/addProof(of:flow:at:in:)`` changes this list.
    package var provenAddresses: [ContactAddress] = []

    /// When the flow was completed or invalidated, or `nil` if it is still open.
    ///
    /// ``OpenCodes`` invalidates an account's open flows when access to the account changes, for example when
    /// its password or address changes.
    package var completedAt: Timestamp?

    /// The mailed link through which a browser uses the flow, or `nil` if it uses the flow itself.
    ///
    /// The link isn't stored.
    package private(set) var link: BrowserLink?

    /// The authorization request that the flow belongs to in another browser than the one that has opened its
    /// mailed link, so that the page can name the client.
    package private(set) var linkedChallenge: Identifier?

    /// Whether a sign-up with a password ends with a mailed link instead of a session.
    ///
    /// The value depends on the client and isn't stored.
    package var endsByLink = false

    /// The language of the response to the current request.
    ///
    /// The language isn't stored.
    package var language = Language.english

    /// Creates a flow in its initial state.
    ///
    /// The flow expires `lifespan` after `issuedAt`.
    package init(
        id: Identifier,
        kind: FlowKind,
        parameters: FlowParameters,
        issuedAt: Timestamp,
        lifespan: Duration
    ) {
        self.id = id
        self.kind = kind
        type = parameters.type
        schemaID = parameters.schemaID
        requestURL = parameters.requestURL.prefix(utf8: FlowBounds.requestURL)
        returnTo = parameters.returnTo
        loginChallenge = parameters.loginChallenge
        refresh = parameters.refresh
        requestedAAL = parameters.requestedAAL
        clientID = parameters.clientID
        identityID = parameters.identityID
        state = kind.initialState
        active = kind.onlyMethod
        self.issuedAt = issuedAt
        expiresAt = issuedAt + lifespan
        createdAt = issuedAt
        updatedAt = issuedAt
    }

    /// The id by which the client knows the flow.
    package var pageID: Identifier { link?.page ?? id }

    /// Whether the flow was started by another client than the browser that uses it.
    ///
    /// The browser may belong to anyone who reads the mail, or to a program that checks links.
    package var isOpenedElsewhere: Bool { link.map { $0.page != $0.flow } ?? false }

    /// Returns the flow as the browser uses it that has opened its mailed link.
    ///
    /// All clients of the flow share its code, the guesses, and its end. An authorization request belongs to one
    /// browser, so the page of another one doesn't continue it.
    package func opened(by link: BrowserLink) -> Flow {
        var flow = self
        flow.link = link
        flow.type = .browser
        if flow.isOpenedElsewhere {
            flow.linkedChallenge = loginChallenge
            (flow.loginChallenge, flow.authorization) = (nil, nil)
        }
        return flow
    }

    /// The parameters that the flow was started with.
    ///
    /// A replacement flow has the same parameters as the original.
    package var parameters: FlowParameters {
        FlowParameters(
            type: type,
            schemaID: schemaID,
            requestURL: requestURL,
            returnTo: returnTo,
            loginChallenge: loginChallenge,
            refresh: refresh,
            requestedAAL: requestedAAL,
            identityID: identityID,
            clientID: clientID
        )
    }

    /// Whether the request that started the flow named an identity schema.
    ///
    /// The value is derived from ``requestURL``, so it is `false` if the query item was truncated.
    package var namesSchema: Bool {
        guard let mark = requestURL.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = QueryItems(String(requestURL[requestURL.utf8.index(after: mark)...]))
        return query["identity_schema"]?.isEmpty == false
    }

    /// Replaces the form, and stores its messages and accepted values.
    ///
    /// Rejected values are shown only in the response to the current request. Login flows of apps don't store
    /// any submitted values, because a rejected identifier may belong to another account. A browser is
    /// redirected to its form and is the only one that can read it, so its values are stored.
    package mutating func show(_ form: Form) {
        let values: [String: JSONValue] =
            switch kind {
            case .login where type == .api: storedForm.map { StoredForm.decode($0).values } ?? [:]
            // The values have already been stored as traits.
            case .registration where traits != nil: [:]
            case .login, .registration, .settings, .recovery, .verification: form.values
            }
        self.form = form
        storedForm = StoredForm.encode(form, storing: values)
    }

    /// Sets the initial form of the flow.
    ///
    /// The values in the initial form were chosen by the server, so it is safe to store them.
    ///
    /// Unlike ``show(_:)``, this method also stores the values of login flows.
    package mutating func begin(with form: Form) {
        self.form = form
        storedForm = StoredForm.encode(form, storing: form.values)
    }

    /// Shows the stored form.
    ///
    /// Fields without a stored value or an error are filled in from `values`.
    ///
    /// If there is no stored form, this has no effect and the initial form is shown.
    mutating func restoreForm(over values: [String: JSONValue]) {
        guard let storedForm else { return }
        var form = StoredForm.decode(storedForm)
        let refused = Set(form.fieldMessages.map(\.field))
        form.values.merge(values.filter { !refused.contains($0.key) }) { own, _ in own }
        self.form = form
    }

    /// Adds messages to the shown form about traits that don't fulfil the rules of ``fields``.
    ///
    /// A stored form stays unchanged.
    mutating func noteInvalidFields(of traits: OrderedJSON?) {
        guard fields != nil, var form else { return }
        form.note(traits, by: fields)
        self.form = form
    }

    /// Resets the form to its initial state.
    ///
    /// After a completed login or registration, this deletes the submitted values from the database.
    package mutating func clearForm() {
        form = nil
        storedForm = nil
    }

    /// Returns whether the flow was completed or has expired.
    ///
    /// Such a flow doesn't accept submissions.
    package func isOver(at now: Timestamp) -> Bool {
        completedAt != nil || expiresAt <= now
    }
}

extension Flow {
    /// The columns that ``init(row:)`` reads, in its order.
    static let columns: SQL = """
        id, kind, type, schema_id, request_url, return_to, active, form, refresh, aal, identity_id, \
        verified_phone, issued_at, expires_at, completed_at, created_at, updated_at, \
        state, address, traits, session_id, proven, login_challenge, client_id
        """

    /// Reads a flow from a row with ``columns``.
    ///
    /// - Throws: ``DatabaseError`` if this version doesn't know the flow's kind, type, state or AAL.
    init(row: Row) throws(DatabaseError) {
        id = try row.identifier(0)
        kind = try Self.known(row.text(1))
        type = try Self.known(row.text(2))
        schemaID = try row.text(3)
        requestURL = try row.text(4)
        returnTo = try row.optional(5, as: Row.text)
        active = try row.optional(6, as: Row.text)
        storedForm = try row.optional(7, as: Row.blob)
        refresh = try row.bool(8)
        requestedAAL = try Self.known(row.text(9))
        identityID = try row.optional(10, as: Row.identifier)
        verifiedPhone = try row.optional(11, as: Row.text)
        issuedAt = try row.time(12)
        expiresAt = try row.time(13)
        completedAt = try row.optional(14, as: Row.time)
        createdAt = try row.time(15)
        updatedAt = try row.time(16)
        state = try Self.known(row.text(17))
        address = try row.optional(18, as: Row.text)
        traits = try row.optional(19, as: Row.blob)
        sessionID = try row.optional(20, as: Row.identifier)
        provenAddresses = Self.proofs(in: try row.optional(21, as: Row.text))
        loginChallenge = try row.optional(22, as: Row.identifier)
        clientID = try row.optional(23, as: Row.text)
    }

    private static func known<Value: RawRepresentable<String>>(_ text: String) throws(DatabaseError) -> Value
    {
        guard let value = Value(rawValue: text) else {
            throw DatabaseError(
                .mismatch,
                message: "A flow has a \(Value.self) that is unknown to this version."
            )
        }
        return value
    }

    /// Returns the addresses in a stored list, which has one address in each line.
    static func proofs(in text: String?) -> [ContactAddress] {
        text?.split(separator: "\n").compactMap { ContactAddress(String($0)) } ?? []
    }
}
