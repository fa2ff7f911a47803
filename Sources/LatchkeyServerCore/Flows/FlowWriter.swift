import LatchkeyModel
import LatchkeyWire

/// Writes flows; the forms that they begin with are rendered once for each schema.
package struct FlowWriter: Sendable {
    private struct Key: Hashable {
        let kind: FlowKind
        let schema: String
    }

    private let settings: ServerSettings
    private let schemas: SchemaCatalog
    private let fresh: [Key: [UInt8]]

    package init(_ context: ServerContext) {
        settings = context.settings
        schemas = context.schemas
        var fresh: [Key: [UInt8]] = [:]
        for schema in context.schemas.all {
            for kind in FlowKind.allCases {
                fresh[Key(kind: kind, schema: schema.id)] = Self.render(kind, schema, false, Form())
            }
        }
        self.fresh = fresh
    }

    /// The members `nodes` and `messages` of a flow's form.
    package func render(_ form: Form, in flow: Flow) -> [UInt8] {
        guard flow.requestedAAL == "aal1" else {
            // There is no second factor to ask for yet, so its form is empty.
            var writer = JSONWriter()
            writer.form([], form.messages)
            return writer.bytes
        }
        return Self.render(flow.kind, schema(of: flow), flow.refresh, form)
    }

    /// The flow as it goes over the wire (`contract/kratos.md`, 1.2), in the order of members that Kratos has.
    package func body(_ flow: Flow) -> [UInt8] {
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
            ui(flow, &writer)
            if isLogin {
                writer.name("created_at")
                writer.time(flow.createdAt)
                writer.name("updated_at")
                writer.time(flow.updatedAt)
                writer.name("refresh")
                writer.bool(flow.refresh)
                writer.name("requested_aal")
                writer.string(flow.requestedAAL)
            } else {
                Self.organization(&writer)
            }
            writer.name("state")
            writer.string("choose_method")
            if let schema = flow.namedSchema {
                writer.name("identity_schema")
                writer.string(schema)
            }
        }
        return writer.bytes
    }

    private func ui(_ flow: Flow, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("action")
            writer.string(
                settings.selfServiceURL + (flow.kind == .login ? Route.login : Route.registration)
                    + "?flow=" + flow.id.description
            )
            writer.name("method")
            writer.string("POST")
            writer.raw(
                flow.ui ?? fresh[Key(kind: flow.kind, schema: flow.schemaID)] ?? render(Form(), in: flow)
            )
        }
    }

    /// The schema of a flow; the default one when the flow's own has been taken away since.
    private func schema(of flow: Flow) -> IdentitySchema {
        schemas[flow.schemaID] ?? schemas.standard
    }

    private static func organization(_ writer: inout JSONWriter) {
        writer.name("organization_id")
        writer.null()
    }

    private static func render(_ kind: FlowKind, _ schema: IdentitySchema, _ refresh: Bool, _ form: Form)
        -> [UInt8]
    {
        var writer = JSONWriter()
        switch kind {
        case .login: writer.form(FormNodes.login(schema, refresh: refresh, form), form.messages)
        case .registration: writer.form(FormNodes.registration(schema, form), form.messages)
        }
        return writer.bytes
    }
}
