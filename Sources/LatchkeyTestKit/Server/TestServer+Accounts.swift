import LatchkeyAccounts
import LatchkeyModel
import LatchkeySelfService
import LatchkeyServerKit
import LatchkeyWire

extension TestServer {
    /// Creates a business user with a confirmed e-mail address, as an operator would.
    ///
    /// The address is also verified, so that the user can log in with any configuration. No message is sent,
    /// and no audit event is recorded.
    ///
    /// - Parameters:
    ///   - email: The e-mail address that the user logs in with.
    ///   - password: The password, which isn't checked against the server's password policy.
    /// - Throws: An error if the address is invalid or taken, or if the server is stopped.
    public func addBusinessUser(email: String, password: String) async throws {
        try await addAccount("business", ["email": .string(email)], password: password)
    }

    /// Creates a customer with a confirmed phone number, without going through sign-up.
    ///
    /// The phone number is also verified, so that the customer can log in with any configuration. No message
    /// is sent, and no audit event is recorded.
    ///
    /// - Parameters:
    ///   - phone: The phone number that the customer logs in with.
    ///   - passcode: The passcode, which isn't checked against the server's password policy.
    /// - Throws: An error if the number is invalid or taken, or if the server is stopped.
    public func addCustomer(phone: String, passcode: String) async throws {
        try await addAccount("customer", ["phone": .string(phone)], password: passcode)
    }

    /// Creates an account with the `person` schema, which doesn't require a device certificate, without going
    /// through sign-up.
    ///
    /// Both addresses are marked as verified. No message is sent, and no audit event is recorded.
    ///
    /// - Parameters:
    ///   - email: An e-mail address that the user can log in with.
    ///   - phone: A phone number that the user can log in with.
    ///   - password: The password, which isn't checked against the server's password policy.
    /// - Throws: An error if an address is invalid or taken, or if the server is stopped.
    public func addPerson(email: String, phone: String, password: String) async throws {
        try await addAccount(
            "person",
            ["email": .string(email), "phone": .string(phone)],
            password: password
        )
    }

    /// Validates the traits against a built-in schema, hashes the password, and stores the identity in one
    /// transaction.
    ///
    /// - Throws: ``AccountError`` if the traits are invalid or the server is stopped, or
    ///   ``IdentityRepository/Duplicate`` if the identifier belongs to another account.
    private func addAccount(
        _ schema: String,
        _ traits: [String: JSONValue],
        password: String
    ) async throws {
        let schemas = try SchemaCatalog(standard: schema)
        let submitted = try JSONParser.parse(JSONCoding.encode(traits))
        var form = Form()
        guard
            let database, let hasher,
            let read = TraitValidator.read(submitted, schema: schemas.standard, into: &form)
        else { throw AccountError() }
        let identity = Identity(
            schema: schemas.standard,
            traits: read,
            verified: Set(read.addresses.map(\.value)),
            at: time.now,
            random: SystemRandom()
        )
        let hash = try await hasher.hash(Secret(password))
        try await database.transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
        }
    }

    /// An error that is thrown if the schema rejects the traits or the server is stopped.
    private struct AccountError: Error {}
}
