package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// An encoder of flows and their forms as JSON.
///
/// The encoder adds the parts of a form that are not stored: the nodes, their labels, and the texts in the
/// language of the request.
package struct FlowWriter: Sendable {
    private let settings: FormSettings
    private let urls: ServerURLs
    private let defaultReturnURL: String
    private let schemas: SchemaCatalog
    private let identities: IdentityWriter
    private let texts: FormTranslations
    private let fresh: InitialForms

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - settings: The enabled methods, on which the nodes depend.
    ///   - urls: The server's URLs, for the `action` of forms.
    ///   - defaultReturnURL: The URL at which the user continues after a verification without `return_to`;
    ///     `nil` for the server's base URL.
    ///   - schemas: The identity schemas, whose traits become fields.
    ///   - identities: The encoder of the identity in a settings flow.
    ///   - texts: The translations of messages and labels.
    ///   - fresh: The prerendered initial forms.
    package init(
        settings: FormSettings,
        urls: ServerURLs,
        defaultReturnURL: String?,
        schemas: SchemaCatalog,
        identities: IdentityWriter,
        texts: FormTranslations,
        fresh: InitialForms
    ) {
        self.settings = settings
        self.urls = urls
        self.defaultReturnURL = defaultReturnURL ?? urls.base + "/"
        self.schemas = schemas
        self.identities = identities
        self.texts = texts
        self.fresh = fresh
    }

    /// Encodes the members `nodes` and `messages` of a flow's `ui`, without the braces around them.
    ///
    /// ``InitialForms`` stores forms in this format. A flow that requests a second factor has no nodes.
    package func render(_ form: Form, in flow: Flow) -> [UInt8] {
        guard flow.requestedAAL == .aal1 else {
            // No second factor is supported yet, so the form for one has no fields.
            return Self.render([], messages: form.messages, in: texts[flow.language])
        }
        let nodes = FormNodes.nodes(
            for: FormNodes.Occasion(flow),
            schema: schema(of: flow),
            settings: settings,
            form: form
        )
        return Self.render(nodes + continuation(of: flow), messages: form.messages, in: texts[flow.language])
    }

    /// Returns the node with the link to continue at after a successful verification; empty for any other
    /// flow.
    private func continuation(of flow: Flow) -> [UINode] {
        guard flow.kind == .verification, flow.state == .passedChallenge else { return [] }
        let link = UIAttributes.Link(
            href: returnURL(of: flow),
            title: UIMessage.Label.proceed,
            id: "continue"
        )
        return [UINode(group: "code", link: link)]
    }

    /// Returns the stored form of a flow; for a registration, the values come from its traits.
    ///
    /// To avoid storing a registration's values twice, ``Flow/show(_:)`` omits them once the flow has traits.
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

    /// Encodes a flow for clients (`contract/kratos.md`, 1.2), with its members in Kratos's order.
    ///
    /// - Parameters:
    ///   - flow: The flow; its `language` selects the texts.
    ///   - identity: The identity whose settings the flow shows; `nil` in other flows.
    ///   - continuation: The steps for the client to take next; an empty list omits `continue_with`.
    /// - Returns: A JSON object in UTF-8.
    package func body(_ flow: Flow, of identity: IdentityRecord? = nil, continuation: [ContinueWith] = [])
        -> [UInt8]
    {
        let isLogin = flow.kind == .login
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            writer.name("id")
            writer.identifier(flow.id)
            if isLogin { Self.organization(&writer) }
            writer.name("type")
            writer.string("api")
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
            ui(of: flow, to: &writer)
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
            // The stored URL may have been truncated, so the schema is compared as well.
            let namesSchema = flow.namesSchema || flow.schemaID != schemas.standard.id
            if namesSchema, isLogin || flow.kind == .registration {
                writer.name("identity_schema")
                writer.string(flow.schemaID)
            }
        }
        return writer.bytes
    }

    /// Writes the member `ui` with the form of this response.
    ///
    /// Without such a form, the stored form is written, or else the initial one.
    private func ui(of flow: Flow, to writer: inout JSONWriter) {
        // The action of a successful verification is the URL to continue at.
        let isOver = flow.kind == .verification && flow.state == .passedChallenge
        writer.object { writer in
            writer.name("action")
            writer.string(
                isOver
                    ? returnURL(of: flow)
                    : urls.selfService + flow.kind.path + "?flow=" + flow.id.description
            )
            writer.name("method")
            writer.string(isOver ? "GET" : "POST")
            let form = flow.form ?? form(of: flow)
            writer.raw(form.map { render($0, in: flow) } ?? fresh.form(of: flow) ?? render(Form(), in: flow))
        }
    }

    /// Returns the URL to which the user is sent after a flow: its own return URL, the default, or the
    /// server's base URL.
    private func returnURL(of flow: Flow) -> String {
        flow.returnTo ?? defaultReturnURL
    }

    /// Returns the identity schema of a flow, or the default schema if the operator has removed the flow's
    /// own.
    private func schema(of flow: Flow) -> IdentitySchema {
        schemas[flow.schemaID] ?? schemas.standard
    }

    /// Writes Kratos's member `organization_id`, which is always `null` because there are no organizations.
    private static func organization(_ writer: inout JSONWriter) {
        writer.name("organization_id")
        writer.null()
    }

    /// Encodes the members `nodes` and `messages`, without the braces around them.
    ///
    /// The result is inserted into the object `ui` with `JSONWriter.raw`.
    static func render(_ nodes: [UINode], messages: [UIMessage], in words: FormTranslation) -> [UInt8] {
        var writer = JSONWriter()
        writer.form(nodes, messages: messages, in: words)
        return writer.bytes
    }
}
