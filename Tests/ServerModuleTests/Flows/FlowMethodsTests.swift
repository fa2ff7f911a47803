import LatchkeyAccounts
import LatchkeyWire
import Testing

@testable import LatchkeySelfService
@testable import LatchkeyServerKit

@Suite struct `Flow methods` {
    /// Returns the available methods as a string, such as `password code`.
    private static func methods(
        _ kind: FlowKind,
        schema: String = "person",
        aal: AssuranceLevel = .aal1,
        settings: FormSettings = .methods()
    ) throws -> String {
        let flow = Flow.sample(kind, schema: schema, aal: aal)
        let offered = MethodForms(settings).offered(in: FormContext(flow, schema: try .sample(schema)))
        return ["password", "code", "profile"].filter { offered.map(\.name).contains($0) }
            .joined(separator: " ")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let kind: FlowKind
        var schema = "person"
        var aal = AssuranceLevel.aal1
        var hasPassword = true
        var hasCode = true
        var style = RegistrationStyle.unified
        let methods: String

        var testDescription: String {
            "\(kind) of \(schema), \(aal), password: \(hasPassword), code: \(hasCode), \(style): \(methods)"
        }
    }

    @Test(arguments: [
        Row(kind: .login, methods: "password code"),
        Row(kind: .login, hasPassword: false, methods: "code"),
        Row(kind: .login, hasCode: false, methods: "password"),
        Row(kind: .login, hasPassword: false, hasCode: false, methods: ""),
        // None of the traits in this schema can receive codes.
        Row(kind: .login, schema: "customer", methods: "password"),
        Row(kind: .login, schema: "shopper", methods: "password code"),
        Row(kind: .login, style: .profileFirst, methods: "password code"),
        Row(kind: .login, aal: .aal2, methods: ""),
        Row(kind: .registration, methods: "password code"),
        Row(kind: .registration, hasPassword: false, methods: "code"),
        Row(kind: .registration, hasCode: false, methods: "password"),
        Row(kind: .registration, schema: "customer", methods: "password"),
        Row(kind: .registration, style: .profileFirst, methods: "password code profile"),
        Row(kind: .settings, methods: "password profile"),
        Row(kind: .settings, hasPassword: false, methods: "profile"),
        Row(kind: .recovery, methods: "code"),
        Row(kind: .recovery, schema: "customer", hasPassword: false, hasCode: false, methods: "code"),
        Row(kind: .verification, methods: "code"),
        Row(kind: .verification, schema: "customer", hasPassword: false, hasCode: false, methods: "code"),
        Row(kind: .verification, aal: .aal2, methods: ""),
    ]) func `Available methods depend on the kind of flow, the schema and the settings`(row: Row) throws {
        let settings = FormSettings.methods(
            password: row.hasPassword,
            code: row.hasCode,
            style: row.style
        )
        #expect(
            try Self.methods(row.kind, schema: row.schema, aal: row.aal, settings: settings) == row.methods
        )
    }

    @Test(
        arguments: [
            ("password", .settings, "offered"), ("password", .recovery, "disabled"),
            ("code", .recovery, "offered"), ("code", .settings, "disabled"),
            ("profile", .settings, "offered"), ("profile", .login, "disabled"),
            ("oidc", .login, "disabled"), ("saml", .login, "disabled"),
            ("totp", .login, "unknown"), ("Password", .login, "unknown"), ("", .login, "unknown"),
            (nil, .login, "unknown"),
        ] as [(String?, FlowKind, String)]
    ) func `Disabled methods are distinguished from unknown ones`(
        name: String?,
        kind: FlowKind,
        choice: String
    ) throws {
        let context = FormContext(.sample(kind), schema: try .sample("person"))
        let found =
            switch MethodForms(.methods()).choice(name, in: context) {
            case .method(let form): form.name == name ? "offered" : "another"
            case .disabled: "disabled"
            case .unknown: "unknown"
            }
        #expect(found == choice)
    }
}
