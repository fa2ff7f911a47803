import LatchkeyModel
import LatchkeyWire

@testable import LatchkeyAccounts
@testable import LatchkeySelfService
@testable import LatchkeyServerKit

extension Flow {
    /// Creates an open flow with the given schema and state, without using a database.
    static func sample(
        _ kind: FlowKind,
        type: FlowType = .api,
        state: FlowState? = nil,
        schema: String = "person",
        aal: AssuranceLevel = .aal1,
        refresh: Bool = false,
        address: String? = nil,
        traits: String? = nil,
        verifiedPhone: String? = nil
    ) -> Flow {
        var flow = Flow(
            id: Identifier(),
            kind: kind,
            parameters: FlowParameters(
                type: type,
                schemaID: schema,
                requestURL: "",
                refresh: refresh,
                requestedAAL: aal
            ),
            issuedAt: Timestamp(seconds: 0),
            lifespan: .seconds(600)
        )
        flow.state = state ?? kind.initialState
        if state == .sentEmail { flow.active = "code" }
        flow.address = address
        flow.traits = traits.map { Array($0.utf8) }
        flow.verifiedPhone = verifiedPhone
        return flow
    }
}

extension Submission {
    /// Creates a submission from the JSON text of its body.
    init(json text: String) throws {
        self.init(body: try JSONParser.parse(Array(text.utf8)))
    }
}

extension IdentitySchema {
    /// A JSON property for a login identifier without a title.
    ///
    /// Every schema needs at least one login identifier.
    static let nameProperty = """
        "name": {"type": "string", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}
        """

    /// Returns a built-in schema, or a schema whose traits have the given JSON properties.
    static func sample(
        _ id: String,
        properties: String? = nil,
        required: String = "[]",
        policy: String = "{}"
    ) throws -> IdentitySchema {
        guard let properties else { return try SchemaCatalog(standard: id).standard }
        let text = """
            {"type": "object", "latchkey": \(policy), "properties": {"traits": \
            {"type": "object", "required": \(required), "properties": {\(properties)}}}}
            """
        return try SchemaCatalog([id: Array(text.utf8)], standard: id).standard
    }
}

extension FormSettings {
    /// Creates form settings with the given methods enabled.
    static func methods(
        password: Bool = true,
        code: Bool = true,
        style: RegistrationStyle = .unified
    ) -> FormSettings {
        var settings = FormSettings()
        settings.isPasswordEnabled = password
        settings.isCodeEnabled = code
        settings.registrationStyle = style
        return settings
    }
}
