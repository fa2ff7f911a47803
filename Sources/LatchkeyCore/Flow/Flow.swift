public import LatchkeyModel
import LatchkeyWire

/// A self-service flow of the identity server: its progress, and the form that it shows the user next.
///
/// Every screen of a login, a registration, a recovery, a verification or the settings is a rendering of
/// ``nodes`` and ``messages``. ``Flows`` begins flows and submits the user's answers.
public struct Flow: Hashable, Sendable, Identifiable {
    /// A kind of flow; raw values are the names in the server's paths.
    public enum Kind: String, Sendable, CaseIterable {
        /// Opens a session, or re-authenticates the user of an existing session.
        case login
        /// Creates an account.
        case registration
        /// Opens a session with a code sent to an address of the account, so that the user can set a new
        /// password.
        case recovery
        /// Verifies an address with a code that is sent to it.
        case verification
        /// Changes the password, the addresses or other traits of the user who is logged in.
        case settings
    }

    /// The progress of a flow.
    public struct State: RawRepresentable, Hashable, Sendable {
        /// The name of the state, as sent by the server.
        public let rawValue: String

        /// Creates a state with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The user chooses a method and fills in its form.
        public static let chooseMethod = State(rawValue: "choose_method")
        /// A code was sent, by e-mail or text message, and has not been entered yet.
        public static let codeSent = State(rawValue: "sent_email")
        /// The correct code was entered; the flow is completed.
        public static let passed = State(rawValue: "passed_challenge")
        /// The settings are shown; no change has been saved yet.
        public static let settings = State(rawValue: "show_form")
        /// A change of the settings was saved; the flow accepts further changes.
        public static let saved = State(rawValue: "success")
    }

    /// The maximum number of nodes and messages that are accepted from the server.
    static let limit = 1000

    /// The id of the flow, with which it can be read again after a restart of the app.
    public var id: String

    /// The kind of flow.
    public var kind: Kind

    /// The progress of the flow.
    public var state: State

    /// The time from which the server rejects submissions; `nil` if the server did not send it.
    public var expiresAt: Timestamp?

    /// The method that was last submitted, such as `password` or `code`.
    public var activeMethod: String?

    /// The id of the identity schema of a registration, if the server sent it.
    public var identitySchema: String?

    /// Whether a login re-authenticates the user of the current session.
    public var isReauthentication: Bool

    /// The inputs, buttons and other parts of the form, in the order of display.
    public var nodes: [FlowNode]

    /// The messages about the form as a whole.
    public var messages: [FlowMessage]

    /// The account whose settings the flow shows; `nil` for other kinds of flow.
    public var profile: AccountProfile?

    /// Creates a flow, for tests and previews of forms.
    public init(
        id: String,
        kind: Kind,
        state: State = .chooseMethod,
        expiresAt: Timestamp? = nil,
        activeMethod: String? = nil,
        identitySchema: String? = nil,
        isReauthentication: Bool = false,
        nodes: [FlowNode] = [],
        messages: [FlowMessage] = [],
        profile: AccountProfile? = nil
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.expiresAt = expiresAt
        self.activeMethod = activeMethod
        self.identitySchema = identitySchema
        self.isReauthentication = isReauthentication
        self.nodes = nodes
        self.messages = messages
        self.profile = profile
    }

    /// The first input or button with a name; `nil` if there is none.
    public func node(named name: String) -> FlowNode? {
        nodes.first { $0.name == name }
    }

    /// The methods that the form offers, in the order of display.
    public var methods: [String] {
        var methods: [String] = []
        for node in nodes where node.name == "method" {
            if let method = node.input?.value?.text, !methods.contains(method) { methods.append(method) }
        }
        return methods
    }

    /// Whether the flow has a message of severity ``FlowMessage/Severity/error``, about the form or a field.
    public var hasErrors: Bool {
        messages.contains { $0.severity == .error }
            || nodes.contains { $0.messages.contains { $0.severity == .error } }
    }
}

extension Flow {
    /// Decodes a flow in Ory Kratos's format; unknown members, states and nodes are accepted.
    ///
    /// `ui.action` is ignored: the client submits flows only to the configured server.
    ///
    /// - Parameters:
    ///   - json: The flow.
    ///   - kind: The kind of flow that was requested.
    /// - Throws: ``LatchkeyError/Code/invalidAnswer`` if the id or the form is missing, or the form has more
    ///   than ``limit`` nodes.
    init(decoding json: JSONValue?, of kind: Kind) throws(LatchkeyError) {
        guard let json, let id = json["id"]?.text, !id.isEmpty, let form = json["ui"]?.object else {
            throw LatchkeyError(.invalidAnswer, message: "The server's response contains no flow.")
        }
        let nodes = form["nodes"]?.array ?? []
        guard nodes.count <= Self.limit else {
            throw LatchkeyError(
                .invalidAnswer,
                message: "The form of the flow has more than \(Self.limit) nodes."
            )
        }
        self.init(
            id: id,
            kind: kind,
            state: State(rawValue: json["state"]?.text ?? ""),
            expiresAt: json["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0) },
            activeMethod: json["active"]?.text.flatMap { $0.isEmpty ? nil : $0 },
            identitySchema: json["identity_schema"]?.text,
            isReauthentication: kind == .login && json["refresh"]?.bool == true,
            nodes: nodes.map { FlowNode(decoding: $0) },
            messages: FlowMessage.messages(decoding: form["messages"]),
            profile: AccountProfile(decoding: json["identity"])
        )
    }
}

extension Flow {
    /// The length of a secret in bytes below which it is not masked, because it may be part of many words.
    private static let shortestSecret = 4

    /// Returns the flow with all occurrences of the given secrets masked, in case the server echoed them.
    func without(_ secrets: [Secret]) -> Flow {
        let secrets = secrets.filter { $0.exposed.utf8.count >= Self.shortestSecret }
        guard !secrets.isEmpty else { return self }
        var flow = self
        flow.messages = messages.map { $0.without(secrets) }
        for index in flow.nodes.indices {
            flow.nodes[index].messages = nodes[index].messages.map { $0.without(secrets) }
            guard case .input(var input) = nodes[index].attributes,
                let text = input.value?.text, secrets.contains(Secret(text))
            else { continue }
            input.value = nil
            flow.nodes[index].attributes = .input(input)
        }
        return flow
    }
}

extension Flow.Kind {
    /// The route that begins a flow for a native client.
    var initRoute: String { submissionRoute + "/api" }

    /// The route that returns a flow.
    var readRoute: String { submissionRoute + "/flows" }

    /// The route that accepts submissions.
    var submissionRoute: String { Route.selfService + rawValue }
}
