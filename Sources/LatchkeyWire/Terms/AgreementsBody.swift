/// The documents that apply to a user, with the user's answers.
package struct AgreementsBody: AnswerBody, DocumentedBody, Hashable {
    /// A document with the versions that matter now.
    package struct Document: DocumentedBody, Hashable {
        package var key: String
        package var kind: String
        package var title: String
        /// Whether the user still has to answer.
        package var isOpen: Bool
        /// The oldest version whose answer suffices, or `nil` if no version in force asks for an answer.
        package var required: TermsVersionBody?
        /// The version in force, which apps show, or `nil` if there is none yet.
        package var current: TermsVersionBody?
        /// The next version, or `nil` if none has been published.
        package var upcoming: TermsVersionBody?
        /// The last answer to the newest version that the user has answered, or `nil` if there is none.
        package var answer: RecordedAnswerBody?

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case key, kind, title, required, current, upcoming, answer
            case isOpen = "open"
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.key, .text), .required(CodingKeys.kind, .oneOf("terms", "privacy")),
            .required(CodingKeys.title, .text), .required(CodingKeys.isOpen, .boolean),
            .optional(CodingKeys.required, TermsVersionBody.schema),
            .optional(CodingKeys.current, TermsVersionBody.schema),
            .optional(CodingKeys.upcoming, TermsVersionBody.schema),
            .optional(CodingKeys.answer, RecordedAnswerBody.schema),
        ])

        package init(key: String, kind: String, title: String, isOpen: Bool) {
            (self.key, self.kind, self.title, self.isOpen) = (key, kind, title, isOpen)
        }
    }

    package var documents: [Document]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case documents
    }

    package static let schema = JSONSchema.component(
        "Agreements",
        summary: "The documents that apply to a user, with the user's answers.",
        members: [.required(CodingKeys.documents, .array(Document.schema))]
    )

    package init(documents: [Document]) {
        self.documents = documents
    }
}

/// A stored answer to a version of a document.
package struct RecordedAnswerBody: DocumentedBody, Hashable {
    package var id: String
    package var document: String
    package var version: Int
    package var language: String
    /// The SHA-256 hash of the text that the user has answered, in base64url.
    package var hash: String
    package var answer: String
    /// The place at which the user saw the text, according to the app.
    package var shown: String
    /// The session, or `nil` if the user answered without one.
    package var sessionID: String?
    /// The client of the session, or `nil` if it has none.
    package var clientID: String?
    package var answeredAt: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case id, document, version, language, hash, answer, shown
        case sessionID = "session_id"
        case clientID = "client_id"
        case answeredAt = "answered_at"
    }

    package static let schema = JSONSchema.component(
        "RecordedAnswer",
        summary: "A stored answer to a version of a document, which never changes.",
        members: [
            .required(CodingKeys.id, .uuid), .required(CodingKeys.document, .text),
            .required(CodingKeys.version, .integer), .required(CodingKeys.language, .text),
            .required(CodingKeys.hash, .text),
            .required(CodingKeys.answer, .oneOf("acceptance", "acknowledgement", "refusal")),
            .required(
                CodingKeys.shown,
                .oneOf("hosted_page", "own_screen", "app_screen", "sign_up", "import")
            ),
            .optional(CodingKeys.sessionID, .uuid), .optional(CodingKeys.clientID, .text),
            .required(CodingKeys.answeredAt, .time),
        ]
    )

    package init(
        id: String,
        document: String,
        version: Int,
        language: String,
        hash: String,
        answer: String,
        shown: String,
        sessionID: String?,
        clientID: String?,
        answeredAt: String
    ) {
        (self.id, self.document, self.version, self.language) = (id, document, version, language)
        (self.hash, self.answer, self.shown) = (hash, answer, shown)
        (self.sessionID, self.clientID, self.answeredAt) = (sessionID, clientID, answeredAt)
    }
}
