/// The identity schemas of a server.
///
/// The catalog is read once when the server starts, and does not change afterwards.
package struct SchemaCatalog: Sendable {
    /// All schemas, sorted by id.
    package let all: [IdentitySchema]

    /// The default schema, for flows that do not specify a schema.
    package let standard: IdentitySchema

    private let byID: [String: IdentitySchema]

    /// Reads the schemas of a server.
    ///
    /// The built-in schemas are read as well, so an error in one of them is also thrown here.
    ///
    /// - Parameters:
    ///   - sources: The JSON text of each additional schema, keyed by id. A schema with the id of a built-in
    ///     schema replaces it.
    ///   - standard: The id of the default schema.
    /// - Throws: ``SchemaError`` if a schema is invalid or if the default schema does not exist;
    ///   ``SchemaError/place`` begins with the id of the schema.
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

    /// Checks that the schemas listed in the setting `registration.schemas` exist.
    ///
    /// - Throws: ``SchemaError`` for the first id for which there is no schema.
    package func require(_ names: [String]) throws(SchemaError) {
        guard let missing = names.first(where: { byID[$0] == nil }) else { return }
        throw SchemaError(
            place: missing,
            message: "is listed in registration.schemas but does not exist"
        )
    }

    /// The schema with the given id, or `nil` if there is none.
    package subscript(id: String) -> IdentitySchema? {
        byID[id]
    }
}
