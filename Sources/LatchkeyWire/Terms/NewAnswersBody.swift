/// The answers of a user to versions of documents.
package struct NewAnswersBody: DocumentedBody, Hashable {
    /// The answer to the text that the user has read.
    package struct Answer: DocumentedBody, Hashable {
        package var document: String
        package var version: Int
        package var language: String
        /// The SHA-256 hash of the text, in base64url.
        package var hash: String
        /// `acceptance`, `acknowledgement` or `refusal`.
        package var answer: String
        /// `own_screen` or `app_screen`, or `nil` for the latter.
        package var shown: String?

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case document, version, language, hash, answer, shown
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.document, .text), .required(CodingKeys.version, .integer),
            .required(CodingKeys.language, .text), .required(CodingKeys.hash, .text),
            .required(CodingKeys.answer, .oneOf("acceptance", "acknowledgement", "refusal")),
            .optional(CodingKeys.shown, .oneOf("own_screen", "app_screen")),
        ])

        package init(
            document: String,
            version: Int,
            language: String,
            hash: String,
            answer: String,
            shown: String? = nil
        ) {
            (self.document, self.version, self.language) = (document, version, language)
            (self.hash, self.answer, self.shown) = (hash, answer, shown)
        }
    }

    package var answers: [Answer]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case answers
    }

    package static let schema = JSONSchema.component(
        "NewAnswers",
        summary: "The answers of a user to versions of documents.",
        members: [.required(CodingKeys.answers, .array(Answer.schema))]
    )

    package init(answers: [Answer]) {
        self.answers = answers
    }
}

/// The stored answers, and what the user still has to do.
package struct RecordedAnswersBody: AnswerBody, DocumentedBody, Hashable {
    package var answers: [RecordedAnswerBody]
    /// The duties that are left, or `nil` if the session has ended.
    package var duties: [DutyBody]?
    /// Whether the session has ended because the user has refused a document.
    package var hasSessionEnded: Bool?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case answers, duties
        case hasSessionEnded = "session_ended"
    }

    package static let schema = JSONSchema.component(
        "RecordedAnswers",
        summary: "The stored answers, and what the user still has to do.",
        members: [
            .required(CodingKeys.answers, .array(RecordedAnswerBody.schema)),
            .optional(CodingKeys.duties, .array(DutyBody.schema)),
            .optional(CodingKeys.hasSessionEnded, .boolean),
        ]
    )

    package init(answers: [RecordedAnswerBody], duties: [DutyBody]?, hasSessionEnded: Bool? = nil) {
        (self.answers, self.duties, self.hasSessionEnded) = (answers, duties, hasSessionEnded)
    }
}
