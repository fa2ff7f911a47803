import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// Encodes flows and their forms as JSON.
///
/// The writer adds the parts of a form that aren't stored: the nodes, their labels, and the texts in the
/// language of the request.
struct FlowWriter: Sendable {
    private let methods: MethodForms
    private let urls: ServerURLs
    private let defaultReturnURL: String
    private let browserReturnURL: String
    private let schemas: SchemaCatalog
    private let identities: IdentityWriter
    private let texts: FormTranslations
    private let fresh: InitialForms
    private let authorization: (any AuthorizationContinuation)?

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - methods: The methods, which determine the nodes.
    ///   - urls: The server's URLs, used as the `action` of forms.
    ///   - defaultReturnURL: Where to send users after a verification without `return_to`. Pass `nil` to use
    ///     the server's base URL, or for browsers the server's page for users who are logged in.
    ///   - schemas: The identity schemas, whose traits become form fields.
    ///   - identities: Encodes the identity of a settings flow.
    ///   - texts: The translations of messages and labels.
    ///   - fresh: The prerendered initial forms.
    ///   - authorization: The authorization requests that verifications lead to, if the server has a provider.
    init(
        methods: MethodForms,
        urls: ServerURLs,
        defaultReturnURL: String?,
        schemas: SchemaCatalog,
        identities: IdentityWriter,
        texts: FormTranslations,
        fresh: InitialForms,
        authorization: (any AuthorizationContinuation)?
    ) {
        self.methods = methods
        self.urls = urls
        self.defaultReturnURL = defaultReturnURL ?? urls.base + "/"
        browserReturnURL = defaultReturnURL ?? urls.base + "/welcome"
        self.schemas = schemas
        self.identities = identities
        self.texts = texts
        self.fresh = fresh
        self.authorization = authorization
    }

    /// Encodes the `nodes` and `messages` members of a flow's `ui`, without the surrounding braces.
    ///
    /// ``InitialForms`` stores forms in this format.
    func render(_ form: Form, in flow: Flow, csrfToken: String) -> [UInt8] {
        let nodes = nodes(of: form, in: flow, csrfToken: csrfToken)
        return Self.render(nodes, messages: form.messages, in: texts[flow.language])
    }

    private func nodes(of form: Form, in flow: Flow, csrfToken: String) -> [UINode] {
        var nodes = methods.nodes(in: FormContext(flow, schema: schema(of: flow), form: form))
        if !csrfToken.isEmpty { nodes.fill(MethodForms.csrfToken.name, with: csrfToken) }
        if let link = flow.link { nodes.fill("code", with: link.code.exposed) }
        return nodes + continuation(of: flow)
    }

    /// Returns the form of a flow with its English texts, for a page that translates them.
    func ui(of flow: Flow, csrfToken: String) -> FlowBody.UI {
        let form = flow.form ?? form(of: flow) ?? Form()
        return FlowBody.UI(
            action: action(of: flow),
            method: isOver(flow) ? "GET" : "POST",
            nodes: nodes(of: form, in: flow, csrfToken: csrfToken),
            messages: form.messages.isEmpty ? nil : form.messages
        )
    }

    /// Returns a node with a link for continuing after a successful verification.
    ///
    /// For any other flow, the result is empty.
    private func continuation(of flow: Flow) -> [UINode] {
        guard isOver(flow) else { return [] }
        let link = UIAttributes.Link(
            href: returnURL(of: flow),
            title: UIMessage.Label.proceed,
            id: "continue"
        )
        return [UINode(group: "code", link: link)]
    }

    /// Returns the stored form of a flow.
    ///
    /// For a registration, the values come from its traits.
    ///
    /// Once a registration has traits, ``Flow/show(_:)`` no longer stores the form's values, so that they
    /// aren't stored twice.
    private func form(of flow: Flow) -> Form? {
        guard let stored = flow.storedForm else { return nil }
        var form = StoredForm.decode(stored)
        if flow.kind == .registration, let traits = flow.traits {
            var read = Form()
            _ = TraitValidator.read(
                try? JSONParser.parse(traits, from: .storage),
                schema: schema(of: flow),
                into: &read
            )
            form.values = read.values
        }
        return form
    }

    /// Encodes a flow for clients (`contract/kratos.md`, 1.2).
    ///
    /// The members are in the same order as in Kratos.
    ///
    /// - Parameters:
    ///   - flow: The flow, whose `language` determines the language of the texts.
    ///   - identity: The identity that a settings flow shows, or `nil` for other flows.
    ///   - continuation: The client's next steps. If the list is empty, `continue_with` is omitted.
    ///   - csrfToken: The value of the node `csrf_token`, which is empty for native apps.
    /// - Returns: A JSON object in UTF-8.
    func body(
        _ flow: Flow,
        of identity: IdentityRecord? = nil,
        continuation: [ContinueWith] = [],
        csrfToken: String = ""
    ) -> [UInt8] {
        let isLogin = flow.kind == .login
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            writer.name("id")
            writer.identifier(flow.pageID)
            if isLogin { Self.organization(&writer) }
            writer.authorization(of: flow)
            writer.name("type")
            writer.string(flow.type.rawValue)
            writer.name("expires_at")
            writer.time(flow.expiresAt)
            writer.name("issued_at")
            writer.time(flow.issuedAt)
            writer.name("request_url")
            writer.string(flow.requestURL)
            if let returnTo = flow.returnTo {
                writer.name("return_to")
                writer.string(returnTo)
            }
            if let active = flow.active {
                writer.name("active")
                writer.string(active)
            }
            writer.name("ui")
            ui(of: flow, csrfToken: csrfToken, to: &writer)
            if let identity {
                writer.name("identity")
                identities.write(identity, to: &writer)
            }
            if isLogin {
                writer.name("created_at")
                writer.time(flow.createdAt)
                writer.name("updated_at")
                writer.time(flow.updatedAt)
                writer.name("refresh")
                writer.bool(flow.refresh)
                writer.name("requested_aal")
                writer.string(flow.requestedAAL.rawValue)
            }
            if flow.kind == .registration || flow.kind == .settings { Self.organization(&writer) }
            writer.name("state")
            writer.string(flow.state.rawValue)
            if !continuation.isEmpty {
                writer.name("continue_with")
                writer.continuation(continuation)
            }
            // The stored URL may have been truncated, so we check the schema too.
            let namesSchema = flow.namesSchema || flow.schemaID != schemas.standard.id
            if namesSchema, isLogin || flow.kind == .registration {
                writer.name("identity_schema")
                writer.string(flow.schemaID)
            }
        }
        return writer.bytes
    }

    /// Writes the `ui` member.
    ///
    /// The form for this response is written if there is one, or else the stored form, or else the initial
    /// form.
    private func ui(of flow: Flow, csrfToken: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("action")
            writer.string(action(of: flow))
            writer.name("method")
            writer.string(isOver(flow) ? "GET" : "POST")
            let form = flow.form ?? form(of: flow)
            if let form {
                writer.raw(render(form, in: flow, csrfToken: csrfToken))
            } else if csrfToken.isEmpty, flow.fields == nil, flow.terms == nil,
                let fresh = fresh.form(of: flow)
            {
                writer.raw(fresh)
            } else {
                writer.raw(render(Form(), in: flow, csrfToken: csrfToken))
            }
        }
    }

    /// Returns the address of a flow's form, which is the URL to continue at after a successful verification.
    private func action(of flow: Flow) -> String {
        isOver(flow)
            ? returnURL(of: flow)
            : urls.selfService + flow.kind.path + "?flow=" + flow.pageID.description
    }

    private func isOver(_ flow: Flow) -> Bool {
        flow.kind == .verification && flow.state == .passedChallenge
    }

    /// Returns where to send the user after a flow: the authorization request of the flow, its return URL, the
    /// default URL, or the server's base URL.
    private func returnURL(of flow: Flow) -> String {
        if flow.type == .browser,
            let request = flow.loginChallenge.flatMap({ authorization?.address(continuing: $0) })
        {
            return request
        }
        return flow.returnTo ?? (flow.type == .browser ? browserReturnURL : defaultReturnURL)
    }

    /// Returns the identity schema of a flow.
    ///
    /// If the operator has removed that schema, returns the default schema.
    private func schema(of flow: Flow) -> IdentitySchema {
        schemas[flow.schemaID] ?? schemas.standard
    }

    /// Writes Kratos's `organization_id` member, which is always `null` because organizations aren't
    /// supported.
    private static func organization(_ writer: inout JSONWriter) {
        writer.name("organization_id")
        writer.null()
    }

    /// Encodes the `nodes` and `messages` members, without the surrounding braces.
    ///
    /// The result is inserted into the `ui` object with `JSONWriter.raw`.
    static func render(_ nodes: [UINode], messages: [UIMessage], in words: FormTranslation) -> [UInt8] {
        var writer = JSONWriter()
        writer.form(nodes, messages: messages, in: words)
        return writer.bytes
    }
}

extension [UINode] {
    /// Sets the value of the inputs with a name.
    fileprivate mutating func fill(_ name: String?, with value: String) {
        for index in indices where self[index].name == name {
            guard case .input(var input) = self[index].attributes else { continue }
            input.value = .string(value)
            self[index].attributes = .input(input)
        }
    }
}
