/// A claim about a user that is read from a trait (OpenID Connect Core, section 5.1).
///
/// Claims are written in the order of the cases.
package enum IdentityClaim: String, Sendable, CaseIterable {
    case name
    case givenName = "given_name"
    case familyName = "family_name"
    case nickname, birthdate, locale, email
    case phoneNumber = "phone_number"

    /// A scope that a client needs to see a claim (OpenID Connect Core, section 5.4).
    package enum Scope: String, Sendable, CaseIterable {
        case profile, email, phone
    }

    /// The scope that contains the claim.
    var scope: Scope {
        switch self {
        case .email: .email
        case .phoneNumber: .phone
        case .name, .givenName, .familyName, .nickname, .birthdate, .locale: .profile
        }
    }

    /// The claim that says whether the user has proven the address, or `nil` if the claim isn't an address.
    package var verification: String? {
        switch self {
        case .email: "email_verified"
        case .phoneNumber: "phone_number_verified"
        case .name, .givenName, .familyName, .nickname, .birthdate, .locale: nil
        }
    }

    /// Returns whether a trait with the given format can contain the claim.
    private func accepts(_ format: TraitSchema.Format?) -> Bool {
        switch self {
        case .email: format == .email
        case .phoneNumber: format == .tel
        case .birthdate: format == .date || format == nil
        // A client with the scope for the profile must not get an address.
        case .name, .givenName, .familyName, .nickname, .locale: format == nil
        }
    }

    /// The format that a trait must have to contain the claim, as a part of an error message.
    private var wantedFormat: String {
        switch self {
        case .email: "requires the format email"
        case .phoneNumber: "requires the format tel"
        case .birthdate: "requires the format date or no format"
        case .name, .givenName, .familyName, .nickname, .locale: "requires a string without a format"
        }
    }

    /// Reads the `latchkey` annotation of a trait, which has the optional member `claim`.
    ///
    /// - Parameters:
    ///   - annotation: The annotation, or `nil` if the trait doesn't have one.
    ///   - shape: The trait's shape, which must be suitable for the claim.
    /// - Returns: The claim that the trait contains, or `nil` if it contains none.
    /// - Throws: ``SchemaError`` if a member is unknown or doesn't match the shape.
    static func read(
        _ annotation: SchemaObject?,
        shape: TraitSchema.Shape
    ) throws(SchemaError) -> IdentityClaim? {
        guard var annotation else { return nil }
        let claim = try annotation.choice("claim", among: allCases)
        try annotation.finish()
        guard let claim else { return nil }
        guard case .string(let rule) = shape else {
            throw SchemaError(place: annotation.pointer("claim"), message: "is only allowed for a string")
        }
        guard claim.accepts(rule.format) else {
            throw SchemaError(
                place: annotation.pointer("claim"),
                message: "“\(claim.rawValue)” \(claim.wantedFormat)"
            )
        }
        return claim
    }
}
