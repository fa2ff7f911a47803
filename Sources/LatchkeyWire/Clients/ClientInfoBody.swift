/// The public information about an OAuth client, which its apps need before a user has signed up.
///
/// Anyone can read it, so it must never contain a member of the registration that only the operator needs.
package struct ClientInfoBody: AnswerBody, DocumentedBody, Hashable {
    /// How users can sign up at a client.
    package enum SignUp: String, Sendable, CaseIterable {
        case open, link, closed
    }

    /// A field that the client's users must, or can, fill in.
    package struct RequiredField: DocumentedBody, Hashable {
        package var name: String
        package var isRequired: Bool
        /// The age in years that the user must have reached.
        package var minimumAge: Int?
        package var minimumLength: Int?
        package var maximumLength: Int?

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case name
            case isRequired = "required"
            case minimumAge = "minimum_age"
            case minimumLength = "minimum_length"
            case maximumLength = "maximum_length"
        }

        package static let schema = JSONSchema.component(
            "RequiredField",
            summary: "A field that the users of an OAuth client must, or can, fill in.",
            members: [
                .required(CodingKeys.name, .text),
                .required(CodingKeys.isRequired, .boolean),
                .optional(CodingKeys.minimumAge, .integer(minimum: 1, maximum: nil)),
                .optional(CodingKeys.minimumLength, .integer(minimum: 1, maximum: nil)),
                .optional(CodingKeys.maximumLength, .integer(minimum: 1, maximum: nil)),
            ]
        )

        package init(
            name: String,
            isRequired: Bool,
            minimumAge: Int? = nil,
            minimumLength: Int? = nil,
            maximumLength: Int? = nil
        ) {
            (self.name, self.isRequired, self.minimumAge) = (name, isRequired, minimumAge)
            (self.minimumLength, self.maximumLength) = (minimumLength, maximumLength)
        }
    }

    /// The business that offers the client.
    package struct Merchant: DocumentedBody, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            case `internal`, external
        }

        package var id: String
        package var name: String
        package var kind: OpenEnum<Kind>

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case id, name, kind
        }

        package static let schema = JSONSchema.component(
            "Merchant",
            summary: "The business that offers an OAuth client.",
            members: [
                .required(CodingKeys.id, .text),
                .required(CodingKeys.name, .text),
                .required(CodingKeys.kind, .oneOf(Kind.allCases)),
            ]
        )

        package init(id: String, name: String, kind: Kind) {
            (self.id, self.name, self.kind) = (id, name, OpenEnum(kind))
        }
    }

    package var clientID: String
    /// The name that apps show, which is empty if the client has none.
    package var clientName: String
    package var merchant: Merchant?
    package var signUp: OpenEnum<SignUp>
    package var requiredFields: [RequiredField]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case merchant
        case clientID = "client_id"
        case clientName = "client_name"
        case signUp = "sign_up"
        case requiredFields = "required_fields"
    }

    package static let schema = JSONSchema.component(
        "ClientInfo",
        summary: "The public information about an OAuth client.",
        members: [
            .required(CodingKeys.clientID, .text),
            .required(CodingKeys.clientName, .text),
            .optional(CodingKeys.merchant, Merchant.schema),
            .required(CodingKeys.signUp, .oneOf(SignUp.allCases)),
            .required(CodingKeys.requiredFields, .array(RequiredField.schema)),
        ]
    )

    package init(
        clientID: String,
        clientName: String,
        merchant: Merchant?,
        signUp: SignUp,
        requiredFields: [RequiredField]
    ) {
        (self.clientID, self.clientName, self.merchant) = (clientID, clientName, merchant)
        (self.signUp, self.requiredFields) = (OpenEnum(signUp), requiredFields)
    }
}
