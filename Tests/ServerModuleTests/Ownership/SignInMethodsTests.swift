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
}
