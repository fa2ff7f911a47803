/// A step that a user has to take.
package struct DutyBody: DocumentedBody, Hashable {
    package var kind: String
    /// Whether the account's requests are refused until the user has taken the step.
    package var isBlocking: Bool
    /// The names of the form fields that are missing or invalid.
    package var fields: [String]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case kind, fields
        case isBlocking = "blocking"
    }

    package static let schema = JSONSchema.component(
        "Duty",
        summary: """
            A step that the user has to take, and the form fields that are missing or invalid. Kinds can be added, so \
            clients must ignore kinds that they don't know.
            """,
        members: [
            .required(CodingKeys.kind, .text), .required(CodingKeys.isBlocking, .boolean),
            .required(CodingKeys.fields, .array(.text)),
        ]
    )

    package init(kind: String, isBlocking: Bool, fields: [String]) {
        (self.kind, self.isBlocking, self.fields) = (kind, isBlocking, fields)
    }
}
