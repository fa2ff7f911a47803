import LatchkeyModel
import LatchkeyWire

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A self-service flow of the identity server.
///
/// A flow contains the current form and the user's progress.
///
/// All screens for login, registration, recovery, verification and settings are built from ``nodes`` and
/// ``messages``. Use ``Flows`` to begin flows and to submit the user's answers.
public struct Flow: Hashable, Sendable, Identifiable {
    /// The kind of flow.
    ///
    /// The raw values are the names used in the server's paths.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Logs the user in, or asks a user who is already logged in to authenticate again.
        case login
        /// Creates an account.
        case registration
        /// Logs the user in with a code sent to one of the account's addresses, so that they can set a new
        /// password.
        case recovery
        /// Verifies an address with a code that is sent to it.
        case verification
        /// Changes the password, the addresses or other traits of the logged-in user.
        case settings
    }

    /// The user's progress in a flow.
    public struct State: RawRepresentable, Hashable, Sendable {
        /// The server's name for the state.
        public let rawValue: String

        /// Creates a state from its name in the server's API.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The user has to choose a method and fill in its form.
        public static let chooseMethod = State(rawValue: "choose_method")
        /// A code was sent by e-mail or text message and has not been entered yet.
        public static let codeSent = State(rawValue: "sent_email")
        /// The correct code was entered and the flow is complete.
        public static let passed = State(rawValue: "passed_challenge")
        /// The settings form is shown, and no changes have been saved yet.
        public static let settings = State(rawValue: "show_form")
        /// A change to the settings was saved.
        ///
        /// The user can make further changes in the same flow.
        public static let saved = State(rawValue: "success")
    }

    /// The maximum number of nodes and messages that we accept from the server.
    static let limit = 1000

    /// The flow's id.
    ///
    /// Use the id to fetch the flow again after the app has been restarted.
    public var id: String

    /// The kind of flow.
    public var kind: Kind

    /// The user's progress in the flow.
    public var state: State

    /// The flow's expiry date, or `nil` if the server didn't send one.
    ///
    /// The server rejects submissions after this time.
    public var expiresAt: Date?

    /// The method that was submitted most recently, such as `password` or `code`.
    public var activeMethod: String?

    /// The id of the identity schema used for a registration, if the server sent it.
    public var identitySchema: String?

    /// Whether this is a login that asks the user of the current session to authenticate again.
    public var isReauthentication: Bool

    /// The inputs, buttons and other elements of the form, in display order.
    public var nodes: [FlowNode]

    /// The messages that apply to the whole form.
    public var messages: [FlowMessage]

    /// The account whose settings are shown, or `nil` if this isn't a settings flow.
    public var identity: Identity?

    /// Creates a flow.
    ///
    /// This is useful for tests and form previews.
    public init(
        id: String,
        kind: Kind,
        state: State = .chooseMethod,
        expiresAt: Date? = nil,
        activeMethod: String? = nil,
        identitySchema: String? = nil,
        isReauthentication: Bool = false,
        nodes: [FlowNode] = [],
        messages: [FlowMessage] = [],
        identity: Identity? = nil
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
        self.identity = identity
    }

    /// Returns the first input or button with the given name, or `nil` if there is none.
    public func node(named name: String) -> FlowNode? {
        nodes.first { $0.name == name }
    }

    /// The methods that the form offers, in display order.
    public var methods: [String] {
        var methods: [String] = []
        for node in nodes where node.name == "method" {
            if let method = node.input?.value?.text, !methods.contains(method) { methods.append(method) }
        }
        return methods
    }

    /// Whether the form or any of its fields has a message with severity ``FlowMessage/Severity/error``.
    public var hasErrors: Bool {
        messages.contains { $0.severity == .error }
            || nodes.contains { $0.messages.contains { $0.severity == .error } }
    }
}

extension Flow {
    /// Decodes a flow in Ory Kratos's format.
    ///
    /// Unknown members, states and nodes are accepted.
    ///
    /// We ignore `ui.action`, because the client only submits flows to the configured server.
    ///
    /// - Parameters:
    ///   - json: The flow.
    ///   - kind: The kind of flow that was requested.
    /// - Throws: ``LatchkeyError/Code/invalidResponse`` if the id or the form is missing, or if the form has
    ///   more than ``limit`` nodes.
    init(decoding json: JSONValue?, of kind: Kind) throws(LatchkeyError) {
        guard let json, let id = json["id"]?.text, !id.isEmpty, let form = json["ui"]?.object,
            let nodes = form["nodes"]?.array
        else { throw .incompleteAnswer }
        guard nodes.count <= Self.limit else {
            throw LatchkeyError(
                .invalidResponse,
                message: "The flow's form has more than \(Self.limit) nodes."
            )
        }
        self.init(
            id: id,
            kind: kind,
            state: State(rawValue: json["state"]?.text ?? ""),
            expiresAt: json["expires_at"]?.text.flatMap { Timestamp(rfc3339: $0)?.date },
            activeMethod: json["active"]?.text.flatMap { $0.isEmpty ? nil : $0 },
            identitySchema: json["identity_schema"]?.text,
            isReauthentication: kind == .login && json["refresh"]?.bool == true,
            nodes: nodes.map { FlowNode(decoding: $0) },
            messages: FlowMessage.messages(decoding: form["messages"]),
            identity: Identity(decoding: json["identity"])
        )
    }
}

extension Flow {
    /// Secrets are only masked if they have at least this many bytes.
    ///
    /// We don't mask shorter secrets, because they could be part of ordinary words.
    private static let shortestSecret = 4

    /// Returns a copy of the flow in which the given secrets are masked, in case the server echoed them.
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
    /// The route for beginning a flow in a native app.
    var initRoute: String { submissionRoute + "/api" }

    /// The route for fetching a flow.
    var readRoute: String { submissionRoute + "/flows" }

    /// The route for submitting a flow.
    var submissionRoute: String { Route.selfService + rawValue }
}
