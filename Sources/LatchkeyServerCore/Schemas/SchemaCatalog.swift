/// All identity schemas of a server.
package struct SchemaCatalog: Sendable {
    /// The schemas in the order of their ids.
    package let all: [IdentitySchema]

    /// The schema of flows that name none.
    package let standard: IdentitySchema

    private let byID: [String: IdentitySchema]

    /// Reads schemas.
    ///
    /// - Parameters:
    ///   - sources: Texts by id, beside those that come with the server or in their place.
    ///   - standard: The id of the default one.
    /// - Throws: ``SchemaError``, whose place begins with the schema's id.
    package init(_ sources: [String: [UInt8]] = [:], standard: String) throws(SchemaError) {
        var byID: [String: IdentitySchema] = [:]
        for (id, source) in Self.builtIn.merging(sources, uniquingKeysWith: { _, own in own }) {
            do {
                byID[id] = try SchemaReader.read(id, source)
            } catch {
                throw SchemaError(place: id + "#" + error.place, message: error.message)
            }
        }
        guard let schema = byID[standard] else {
            throw SchemaError(place: standard, message: "is the default schema, but there is no such schema")
        }
        self.byID = byID
        self.standard = schema
        all = byID.values.sorted { $0.id < $1.id }
    }

    /// Checks that there are schemas of these names.
    ///
    /// - Throws: ``SchemaError`` for the first name without a schema.
    package func require(_ names: [String]) throws(SchemaError) {
        guard let missing = names.first(where: { byID[$0] == nil }) else { return }
        throw SchemaError(
            place: missing,
            message: "is listed in registration.schemas, but there is no such schema"
        )
    }

    package subscript(id: String) -> IdentitySchema? {
        byID[id]
    }
}
