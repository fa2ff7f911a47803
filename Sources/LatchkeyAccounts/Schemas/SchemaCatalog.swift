/// The identity schemas of a server.
///
/// The schemas are read once when the server starts, and don't change afterwards.
package struct SchemaCatalog: Sendable {
    /// All schemas, sorted by id.
    package let all: [IdentitySchema]

    /// The default schema, which is used for flows that don't specify one.
    package let standard: IdentitySchema

    /// The members of all schemas that the server ignores.
    ///
    /// Each warning begins with the schema's id and the location of the member.
    package var warnings: [String] {
        all.flatMap { schema in schema.warnings.map { schema.id + "#" + $0 } }
    }

    private let byID: [String: IdentitySchema]

    /// Reads the server's schemas.
    ///
    /// The built-in schemas are parsed too, so this initializer also throws if a built-in schema is invalid.
    ///
    /// - Parameters:
    ///   - sources: The JSON texts of additional schemas, keyed by id. A schema replaces the built-in schema
    ///     with the same id.
    ///   - standard: The default schema's id.
    /// - Throws: ``SchemaError`` if a schema is invalid or the default schema doesn't exist.
    ///   ``SchemaError/place`` begins with the schema's id.
    package init(_ sources: [String: [UInt8]] = [:], standard: String) throws(SchemaError) {
        var byID: [String: IdentitySchema] = [:]
        for (id, source) in Self.builtIn.merging(sources, uniquingKeysWith: { _, own in own }) {
            do {
                byID[id] = try SchemaReader.read(id, from: source)
            } catch {
                throw SchemaError(place: id + "#" + error.place, message: error.message)
            }
        }
        guard let schema = byID[standard] else {
            throw SchemaError(place: standard, message: "is the default schema but does not exist")
        }
        self.byID = byID
        self.standard = schema
        all = byID.values.sorted { $0.id < $1.id }
    }

    /// Whether all identifiers are phone numbers or e-mail addresses, so that no other text can be one.
    package var identifiersAreAddresses: Bool {
        all.lazy.flatMap(\.fields).filter(\.schema.isIdentifier).allSatisfy { field in
            guard case .string(let rule) = field.schema.shape else { return false }
            return rule.format == .email || rule.format == .tel
        }
    }

    /// Checks that all schemas listed in the setting `registration.schemas` exist.
    ///
    /// - Throws: ``SchemaError`` for the first id that doesn't match any schema.
    package func require(_ names: [String]) throws(SchemaError) {
        guard let missing = names.first(where: { byID[$0] == nil }) else { return }
        throw SchemaError(
            place: missing,
            message: "is listed in registration.schemas but does not exist"
        )
    }

    /// Returns the schema with the given id, or `nil` if there is none.
    package subscript(id: String) -> IdentitySchema? {
        byID[id]
    }
}
