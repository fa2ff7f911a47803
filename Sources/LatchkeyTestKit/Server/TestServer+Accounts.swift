import LatchkeyModel
import LatchkeyServerCore
import LatchkeyWire

extension TestServer {
    /// Makes a business user, as an operator does.
    ///
    /// - Parameters:
    ///   - email: The address that the person logs in with.
    ///   - password: The password.
    /// - Throws: What kept it from being made.
    public func addBusinessUser(email: String, password: String) async throws {
        try await addAccount("business", ["email": .string(email)], password: password)
    }

    /// Makes a customer, past the sign-up.
    ///
    /// - Parameters:
    ///   - phone: The number that the person logs in with.
    ///   - passcode: The passcode.
    /// - Throws: What kept it from being made.
    public func addCustomer(phone: String, passcode: String) async throws {
        try await addAccount("customer", ["phone": .string(phone)], password: passcode)
    }

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
            let read = TraitReader.read(submitted, schemas.standard, into: &form)
        else { throw AccountError() }
        let identity = Identity(schemas.standard, read, verified: [], at: time.now, random: SystemRandom())
            .vouched(at: time.now)
        let hash = try await hasher.hash(Secret(password))
        try await database.transaction { transaction in
            try IdentityRepository.insert(identity, passwordHash: hash, in: transaction)
        }
    }

    /// Traits that the schema does not take, or a server that does not run.
    private struct AccountError: Error {}
}
