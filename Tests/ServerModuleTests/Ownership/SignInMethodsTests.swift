import LatchkeyAccounts
import LatchkeyCourier
import LatchkeyModel
import LatchkeyTestKit
import LatchkeyWire
import Testing

/// Whether an account can be entered without an operator.
@Suite struct `Ways into an account` {
    private static let schema = """
        {"type": "object", "properties": {"traits": {"type": "object", "properties": {
          "email": {"type": "string", "format": "email", "ory.sh/kratos": {
            "credentials": {"password": {"identifier": true}, "code": {"identifier": true, "via": "email"}},
            "recovery": {"via": "email"}}}}}}}
        """
    private static let now = Timestamp(seconds: 1_800_000_000)

    private func account() throws -> (Identity, IdentitySchema) {
        let schema = try SchemaCatalog(["own": Array(Self.schema.utf8)], standard: "own").standard
        let traits = try Traits.valid(["email": "ann@example.org"], for: schema)
        let identity = Identity(
            schema: schema,
            traits: traits,
            verified: [],
            at: Self.now,
            random: SystemRandom()
        )
        return (identity, schema)
    }

    @Test(arguments: [
        (SignInMethods(password: true, code: false, recovery: false), true, true),
        (SignInMethods(password: true, code: false, recovery: false), false, false),
        (SignInMethods(password: false, code: false, recovery: false), true, false),
        (SignInMethods(password: false, code: true, recovery: false), false, true),
        (SignInMethods(password: false, code: false, recovery: true), false, true),
        (SignInMethods(password: false, code: false, recovery: false), false, false),
    ])
    func `Only methods that the server accepts count`(
        methods: SignInMethods,
        hasPassword: Bool,
        isOpen: Bool
    ) throws {
        let (identity, schema) = try account()
        #expect(methods.admit(identity, hasPassword: hasPassword, schema: schema) == isOpen)
    }

    @Test func `An address that was released is no way in`() throws {
        let (identity, schema) = try account()
        let address = ContactAddress(via: .email, value: "ann@example.org")
        let released = identity.releasing(address, by: schema, at: Self.now)
        let all = SignInMethods(password: true, code: true, recovery: true)
        #expect(!all.admit(released, hasPassword: true, schema: schema))
    }

    @Test func `An unproven address of a confirmed account is no way in`() throws {
        let (identity, schema) = try account()
        let methods = SignInMethods(password: false, code: true, recovery: true)
        #expect(!methods.admit(identity.confirming(at: Self.now), hasPassword: false, schema: schema))
    }

    typealias Example = (
        schema: [String], traits: [String: String], released: String?, field: String?
    )

    static let fields: [Example] = [
        (["name", "nick"], [:], nil, "traits.nick"),
        (["nick", "mail"], ["nick": "ann"], nil, "traits.mail"),
        (["nick", "mail"], ["nick": ""], nil, "traits.nick"),
        (["nick", "mail"], ["nick": "ann", "mail": "ann@example.org"], nil, "traits.nick"),
        (["nick", "mail"], ["nick": "ann", "mail": "ann@example.org"], "ann@example.org", "traits.mail"),
    ]

    @Test(arguments: fields.indices)
    func `A refusal is shown on the first field that could be a way in`(index: Int) throws {
        let roles = [
            "name": #"{"type": "string"}"#,
            "nick": """
            {"type": "string", "ory.sh/kratos": {"credentials": {"password": {"identifier": true}}}}
            """,
            "mail":
                #"{"type": "string", "format": "email", "ory.sh/kratos": {"recovery": {"via": "email"}}}"#,
        ]
        let (names, values, released, field) = Self.fields[index]
        let properties = names.map { #""\#($0)": \#(roles[$0] ?? "")"# }.joined(separator: ",")
        let text = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {\(properties)}}}}
            """
        let schema = try SchemaCatalog(["own": Array(text.utf8)], standard: "own").standard
        let traits = try Traits.valid(.object(values.mapValues { .string($0) }), for: schema)
        var identity = Identity(
            schema: schema,
            traits: traits,
            verified: [],
            at: Self.now,
            random: SystemRandom()
        )
        if let address = released.flatMap({ ContactAddress($0) }) {
            identity = identity.releasing(address, by: schema, at: Self.now)
        }
        #expect(identity.entranceField(by: schema) == field)
    }

    @Test func `An account is stranded if it is unconfirmed and has lost all addresses`() throws {
        let text = """
            {"type": "object", "properties": {"traits": {"type": "object", "properties": {
              "nick": {"type": "string", "ory.sh/kratos": {
                "credentials": {"password": {"identifier": true}}}},
              "mail": {"type": "string", "format": "email", "ory.sh/kratos": {
                "recovery": {"via": "email"}}}}}}}
            """
        let schema = try SchemaCatalog(["own": Array(text.utf8)], standard: "own").standard
        let traits = try Traits.valid(["mail": "ann@example.org"], for: schema)
        let identity = Identity(
            schema: schema,
            traits: traits,
            verified: [],
            at: Self.now,
            random: SystemRandom()
        )
        #expect(!identity.isStranded)
        let address = ContactAddress(via: .email, value: "ann@example.org")
        let released = identity.releasing(address, by: schema, at: Self.now)
        #expect(released.isStranded)
        #expect(!released.confirming(at: Self.now).isStranded)
    }
}
