/// The documents that the users of an OAuth client are asked to answer.
package struct ClientTermsBody: AnswerBody, DocumentedBody, Hashable {
    /// A document with the version that is in force.
    package struct Document: DocumentedBody, Hashable {
        package var key: String
        package var kind: String
        package var title: String
        package var current: TermsVersionBody

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case key, kind, title, current
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.key, .text), .required(CodingKeys.kind, .oneOf("terms", "privacy")),
            .required(CodingKeys.title, .text), .required(CodingKeys.current, TermsVersionBody.schema),
        ])

        package init(key: String, kind: String, title: String, current: TermsVersionBody) {
            (self.key, self.kind, self.title, self.current) = (key, kind, title, current)
        }
    }

    package var documents: [Document]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case documents
    }

    package static let schema = JSONSchema.component(
        "ClientTerms",
        summary: "The documents that the users of an OAuth client are asked to answer.",
        members: [.required(CodingKeys.documents, .array(Document.schema))]
    )

    package init(documents: [Document]) {
        self.documents = documents
    }
}
