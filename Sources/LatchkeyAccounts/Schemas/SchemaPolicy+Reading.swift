import LatchkeyCourier
import LatchkeyModel

extension SchemaPolicy {
    /// The values of the `certificate` member.
    ///
    /// The default is `optional`.
    private enum Certificate: String, CaseIterable {
        case required, optional
    }

    /// The values of the `registration` member.
    ///
    /// The default is `anyone`.
    private enum Registration: String, CaseIterable {
        case anyone, `operator`
    }

    /// Reads the policy from the `latchkey` member of an identity schema.
    ///
    /// By default, common passwords are rejected only if passwords must have at least 8 characters.
    ///
    /// - Parameters:
    ///   - own: The value of the `latchkey` member.
    ///   - traits: The schema's traits. `verifiedPhone` must be the name of a required trait that is verified
    ///     by SMS.
    /// - Throws: ``SchemaError`` if a member is unknown or a value is invalid.
    init(_ own: SchemaObject, traits: TraitSchema) throws(SchemaError) {
        var own = own
        needsCertificate = try own.choice("certificate", among: Certificate.allCases) == .required
        isOpen = try own.choice("registration", among: Registration.allCases) != .operator
        if let name = try own.text("verifiedPhone") {
            guard
                case .object(let properties, _) = traits.shape,
                let property = properties.first(where: { $0.name == name }),
                property.isRequired, property.schema.verification == .sms
            else {
                throw SchemaError(
                    place: own.pointer("verifiedPhone"),
                    message: "must name a required trait that is verified by sms"
                )
            }
            verifiedPhone = name
        }
        if var password = try own.object("password") {
            minimumPasswordLength = try password.length("minLength") ?? minimumPasswordLength
            refusesCommonPassword = try password.bool("refuseCommon") ?? (minimumPasswordLength >= 8)
            refusesSimilarPassword = try password.bool("refuseSimilar") ?? refusesSimilarPassword
            guard minimumPasswordLength > 0 else {
                throw SchemaError(place: password.pointer("minLength"), message: "must be at least 1")
            }
            try password.finish()
        }
        try own.finish()
    }
}
