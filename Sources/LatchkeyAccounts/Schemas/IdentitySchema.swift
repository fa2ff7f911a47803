/// An identity schema, which defines the traits of one kind of identity and the policy for its accounts.
package struct IdentitySchema: Sendable {
    /// The schema's id, which identities and the setting `identities.default_schema` refer to.
    package let id: String

    /// The JSON text that the schema was read from.
    ///
    /// The server returns this text unchanged.
    package let source: [UInt8]

    /// The schema of the traits object.
    package let traits: TraitSchema
    /// The policy for registration, passwords and certificates.
    package let policy: SchemaPolicy

    /// The traits in the order of the schema's text, including those in nested objects, but not the objects
    /// themselves.
    package let fields: [TraitField]

    /// The members of the schema that the server ignores, with their locations.
    package let warnings: [String]

    /// Creates a schema from its parts, and collects its fields.
    init(id: String, source: [UInt8], traits: TraitSchema, policy: SchemaPolicy, warnings: [String]) {
        self.id = id
        self.source = source
        self.traits = traits
        self.policy = policy
        self.warnings = warnings
        fields = Self.fields(of: traits, at: [])
    }

    /// Returns the fields of an object and its nested objects, depth first, in the same order as in the
    /// schema.
    private static func fields(of schema: TraitSchema, at path: [String]) -> [TraitField] {
        guard case .object(let properties, _) = schema.shape else { return [] }
        return properties.flatMap { property in
            let path = path + [property.name]
            if case .object = property.schema.shape { return fields(of: property.schema, at: path) }
            return [TraitField(path: path, isRequired: property.isRequired, schema: property.schema)]
        }
    }
}
