import LatchkeyServerKit

/// Reads identity schemas.
///
/// Identity schemas are JSON Schemas with Ory Kratos's `ory.sh/kratos` annotation and additional
/// `latchkey` members. We only support a subset of JSON Schema. Annotations that don't restrict values are
/// ignored. If a schema uses any other keyword, the error contains its location.
package enum SchemaReader {
    /// The supported values of `type`.
    ///
    /// Arrays and unions of types aren't supported.
    private enum Kind: String, CaseIterable {
        case object, string, number, integer, boolean
    }

    /// Keywords of JSON Schema that describe a value without restricting it.
    private static let annotations = [
        "$comment", "default", "deprecated", "examples", "readOnly", "writeOnly",
    ]

    /// Reads an identity schema.
    ///
    /// At the root, `additionalProperties` and `required` are accepted but have no effect.
    ///
    /// - Parameters:
    ///   - id: The schema's id, which doesn't have to match its `$id`.
    ///   - source: The JSON text.
    /// - Returns: The schema.
    /// - Throws: ``SchemaError`` if the text is invalid, uses an unsupported keyword, or doesn't define a
    ///   login identifier.
    package static func read(_ id: String, from source: [UInt8]) throws(SchemaError) -> IdentitySchema {
        let text: OrderedJSON
        do {
            text = try JSONParser.parse(source)
        } catch {
            throw SchemaError(place: "", message: error.description)
        }
        var root = try SchemaObject(text, at: "")
        for name in ["$id", "$schema", "title", "description"] { _ = try root.text(name) }
        for name in annotations { _ = root.take(name) }
        var warnings: [String] = []
        let kind = try root.choice("type", among: [Kind.object])
        _ = try root.bool("additionalProperties")
        _ = try root.texts("required")
        var properties = try root.object("properties")
        guard kind != nil, let value = properties?.take("traits") else {
            throw SchemaError(place: "", message: "must have type object and a property “traits”")
        }
        try properties?.finish()
        let traits = try trait(value, at: "/properties/traits", warnings: &warnings)
        guard case .object = traits.shape else {
            throw SchemaError(place: "/properties/traits", message: "must have type object")
        }
        var policy = SchemaPolicy()
        if let own = try root.object("latchkey") { policy = try SchemaPolicy(own, traits: traits) }
        try root.finish()
        let schema = IdentitySchema(
            id: id,
            source: source,
            traits: traits,
            policy: policy,
            warnings: warnings
        )
        guard schema.fields.contains(where: \.schema.isIdentifier) else {
            throw SchemaError(place: "/properties/traits", message: "has no trait that is a login identifier")
        }
        try refuseRepeatedClaims(in: schema)
        return schema
    }

    /// Rejects a claim that several traits contain, because the result would depend on their order.
    private static func refuseRepeatedClaims(in schema: IdentitySchema) throws(SchemaError) {
        var known: Set<IdentityClaim> = []
        for field in schema.fields {
            guard let claim = field.schema.claim, !known.insert(claim).inserted else { continue }
            let place = field.path.reduce("/properties/traits") { place, name in
                SchemaObject.pointer(name, below: place + "/properties")
            }
            throw SchemaError(
                place: place + "/latchkey/claim",
                message: "“\(claim.rawValue)” is already the claim of another trait"
            )
        }
    }

    /// Reads the schema of a trait or of an object that contains traits.
    ///
    /// `type` is required. Warnings about ignored members are appended to `warnings`.
    private static func trait(
        _ value: OrderedJSON,
        at place: String,
        warnings: inout [String]
    ) throws(SchemaError) -> TraitSchema {
        var object = try SchemaObject(value, at: place)
        for name in ["$id", "description"] { _ = try object.text(name) }
        for name in annotations { _ = object.take(name) }
        let title = try object.text("title")
        guard let kind = try object.choice("type", among: Kind.allCases) else {
            throw SchemaError(place: place, message: "must have a type")
        }
        let shape = try shape(of: kind, from: &object, warnings: &warnings)
        let annotation = try TraitAnnotation(
            object.object("ory.sh/kratos"),
            shape: shape,
            warnings: &warnings
        )
        let claim = try IdentityClaim.read(object.object("latchkey"), shape: shape)
        try object.finish()
        return TraitSchema(
            shape: shape,
            title: title,
            isIdentifier: annotation.isIdentifier,
            codeChannel: annotation.codeChannel,
            verification: annotation.verification,
            recovery: annotation.recovery,
            claim: claim
        )
    }

    /// Reads the constraints that the type supports.
    ///
    /// Constraints for other types are left unread, so ``SchemaObject/finish()`` rejects them.
    private static func shape(
        of kind: Kind,
        from object: inout SchemaObject,
        warnings: inout [String]
    ) throws(SchemaError) -> TraitSchema.Shape {
        let name = try object.text("format")
        let format = kind == .string ? name.flatMap { TraitSchema.Format(rawValue: $0) } : nil
        if let name, format == nil {
            warnings.append("\(object.pointer("format")): “\(name)” is ignored; values are not checked")
        }
        switch kind {
        case .object: return try members(&object, warnings: &warnings)
        case .boolean: return .boolean
        case .number, .integer:
            let bounds = TraitSchema.Bounds(
                minimum: try object.number("minimum"),
                maximum: try object.number("maximum")
            )
            return kind == .number ? .number(bounds) : .integer(bounds)
        case .string:
            return .string(
                TraitSchema.StringRule(
                    minimumLength: try object.length("minLength"),
                    maximumLength: try object.length("maxLength"),
                    format: format
                )
            )
        }
    }

    /// Reads the properties of an object.
    ///
    /// Property names become part of form field names, so they must not be empty or contain a dot. Every name
    /// in `required` must be the name of a property. `additionalProperties` is `true` by default.
    private static func members(
        _ object: inout SchemaObject,
        warnings: inout [String]
    ) throws(SchemaError) -> TraitSchema.Shape {
        let required = try object.texts("required")
        let takesOthers = try object.bool("additionalProperties") ?? true
        var properties: [TraitSchema.Property] = []
        if var list = try object.object("properties") {
            for member in list.all() {
                guard !member.name.isEmpty, !member.name.contains(".") else {
                    throw SchemaError(
                        place: list.pointer(member.name),
                        message: "cannot be used in a form field name because it is empty or contains a dot"
                    )
                }
                properties.append(
                    TraitSchema.Property(
                        name: member.name,
                        isRequired: required.contains(member.name),
                        schema: try trait(
                            member.value,
                            at: list.pointer(member.name),
                            warnings: &warnings
                        )
                    )
                )
            }
        }
        if let stranger = required.first(where: { name in !properties.contains { $0.name == name } }) {
            throw SchemaError(place: object.pointer("required"), message: "“\(stranger)” is not a property")
        }
        return .object(properties, takesOthers: takesOthers)
    }
}
