import LatchkeyServerKit
package import LatchkeyWire

/// The members of a client that Hydra doesn't have, which are in the object `latchkey`.
///
/// Unlike other unknown members, unknown members of this object are rejected, because they would be
/// misspelled restrictions.
package struct OwnClientMembers: Sendable {
    /// Whether authorization requests need a code challenge (RFC 7636).
    package enum PKCE: String, Sendable, CaseIterable {
        case required, optional
    }

    /// How users can sign up at the client.
    package typealias SignUp = ClientInfoBody.SignUp

    /// A field that the client's users must, or can, fill in.
    package struct RequiredField: Hashable, Sendable {
        /// The name in ``OwnClientMembers/blocking``.
        static let blockingName = "required_fields"

        /// The path of the trait, joined with dots.
        package let name: String
        package let isRequired: Bool
        package let minimumAge: Int?
        package let minimumLength: Int?
        package let maximumLength: Int?
    }

    /// The business that offers the client.
    package struct Merchant: Hashable, Sendable {
        package typealias Kind = ClientInfoBody.Merchant.Kind

        package let id: String
        package let name: String
        package let kind: Kind
    }

    /// Whether the client belongs to the operator.
    package let isFirstParty: Bool
    /// Whether another app can approve the client's authorization requests.
    package let isAppToApp: Bool
    /// Whether the client can exchange a grant for a session.
    package let opensNativeSessions: Bool
    /// The ids of the clients that may hand a web session over to this one.
    package let handoverFrom: [String]
    package let pkce: PKCE
    /// The identity schemas whose accounts can log in at the client, or an empty list for all schemas.
    package let schemas: [String]
    package let signUp: SignUp
    package let requiredFields: [RequiredField]
    /// The names of the documents that users must accept.
    package let terms: [String]
    /// The keys of documents, and `required_fields`, whose duties close other routes until users have taken the step.
    package let blocking: [String]
    package let merchant: Merchant?
    /// Whether ID tokens contain the claims of the scopes.
    package let claimsInIDToken: Bool
    /// Whether the client can't be used.
    package let isDisabled: Bool
    /// Whether redirect URIs can have a private-use scheme without a dot.
    package let allowsShortScheme: Bool

    init(_ outer: inout MemberReader, rules: ClientRules?) throws(ServerError) {
        var reader = try outer.object("latchkey")
        isFirstParty = try reader.bool("first_party")
        isAppToApp = try reader.bool("app_to_app")
        opensNativeSessions = try reader.bool("native_session")
        handoverFrom = try reader.texts("handover_from", atMost: OAuthClient.longestID)
        pkce = try reader.choice("pkce", default: .required)
        schemas = try reader.texts("schemas", atMost: 128)
        signUp = try reader.choice("sign_up", default: .open)
        requiredFields = try reader.objects("required_fields") { reader throws(ServerError) in
            try RequiredField(&reader)
        }
        terms = try reader.texts("terms", atMost: 128)
        blocking = try reader.texts("blocking", atMost: 128)
        merchant = try reader.optionalObject("merchant") { reader throws(ServerError) in
            try Merchant(&reader)
        }
        claimsInIDToken = try reader.bool("claims_in_id_token", default: true)
        isDisabled = try reader.bool("disabled")
        allowsShortScheme = try reader.bool("allow_short_scheme")
        // Responses contain it during a rotation, and may be sent back.
        _ = reader.value(OAuthClient.previousSecretExpiry)
        if let rules {
            try reader.refuseOthers()
            if let unknown = schemas.first(where: { !rules.schemas.contains($0) }) {
                throw .malformed(
                    "The member latchkey.schemas contains \(PlainName(unknown).map { "the unknown schema \($0)" } ?? "an unknown schema")."
                )
            }
            if let catalog = rules.catalog { try checkRequiredFields(by: catalog) }
        }
        outer.add("latchkey", as: .object(reader.document))
    }
}

extension OwnClientMembers {
    /// Checks that each required field is a trait of an account that can log in at the client.
    private func checkRequiredFields(by catalog: SchemaCatalog) throws(ServerError) {
        let allowed = catalog.all.filter { schemas.isEmpty || schemas.contains($0.id) }
        for (index, rule) in requiredFields.enumerated() {
            let place = "latchkey.required_fields/\(index)"
            guard !requiredFields[..<index].contains(where: { $0.name.hasSameBytes(as: rule.name) }) else {
                throw .malformed("The member \(place).name is the same as an earlier one.")
            }
            let fields = allowed.compactMap { rule.field(in: $0) }
            guard !fields.isEmpty else {
                throw .malformed("The member \(place).name is not a trait of any schema of the client.")
            }
            guard fields.contains(where: rule.fits) else {
                throw .malformed(
                    "The member \(place) has a rule that the trait cannot fulfil: ages are for dates, and lengths for other texts, within the limits of the schema."
                )
            }
        }
    }
}

extension OwnClientMembers.RequiredField {
    fileprivate init(_ reader: inout MemberReader) throws(ServerError) {
        name = try reader.requiredText("name", atMost: 128)
        isRequired = try reader.bool("required", default: true)
        minimumAge = try reader.optionalInteger("minimum_age", in: 1...150)
        minimumLength = try reader.optionalInteger("minimum_length", in: 1...4096)
        maximumLength = try reader.optionalInteger("maximum_length", in: 1...4096)
        try reader.refuseOthers()
        if let minimumLength, let maximumLength, minimumLength > maximumLength {
            throw .malformed("The member \(reader.place("minimum_length")) is larger than maximum_length.")
        }
    }
}

extension OwnClientMembers.Merchant {
    fileprivate init(_ reader: inout MemberReader) throws(ServerError) {
        id = try reader.requiredText("id", atMost: 128)
        name = try reader.text("name", atMost: 256, isShown: true)
        kind = try reader.choice("kind", default: .external)
        try reader.refuseOthers()
    }
}
