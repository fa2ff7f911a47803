import LatchkeyModel
package import LatchkeyWire

/// A stored answer, as operators see it.
package struct EvidenceBody: DocumentedBody, Hashable {
    /// The URL of the server.
    package var issuer: String
    package var exportedAt: String
    package var id: String
    package var identityID: String
    /// The position among the answers of the account.
    package var number: Int
    package var document: String
    package var version: Int
    package var language: String
    /// The SHA-256 hash of the text, in base64url.
    package var hash: String
    package var answer: String
    package var shown: String
    package var sessionID: String?
    package var clientID: String?
    package var answeredAt: String
    /// Keyed hashes of the identifiers of the account, or `nil` if the account exists.
    package var identityHash: String?
    /// When the account was erased or taken over.
    package var closedAt: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case issuer = "iss"
        case id, number, document, version, language, hash, answer, shown
        case exportedAt = "exported_at"
        case identityID = "identity_id"
        case sessionID = "session_id"
        case clientID = "client_id"
        case answeredAt = "answered_at"
        case identityHash = "identity_hash"
        case closedAt = "closed_at"
    }

    package static let schema = JSONSchema.component(
        "TermsEvidence",
        summary: "A stored answer. `iss` is the URL of the server.",
        members: [
            .required(CodingKeys.issuer, .text), .required(CodingKeys.exportedAt, .time),
            .required(CodingKeys.id, .uuid), .required(CodingKeys.identityID, .uuid),
            .required(CodingKeys.number, .integer), .required(CodingKeys.document, .text),
            .required(CodingKeys.version, .integer), .required(CodingKeys.language, .text),
            .required(CodingKeys.hash, .text),
            .required(CodingKeys.answer, .oneOf(TermsAnswer.Kind.allCases)),
            .required(CodingKeys.shown, .oneOf(TermsAnswer.Surface.allCases)),
            .optional(CodingKeys.sessionID, .uuid), .optional(CodingKeys.clientID, .text),
            .required(CodingKeys.answeredAt, .time), .optional(CodingKeys.identityHash, .text),
            .optional(CodingKeys.closedAt, .time),
        ]
    )

    init(
        _ evidence: TermsEvidence,
        closing: TermsEvidenceRepository.Closing?,
        issuer: String,
        at now: Timestamp
    ) {
        self.issuer = issuer
        exportedAt = now.description
        id = evidence.id.description
        identityID = evidence.identityID.description
        number = evidence.number
        document = evidence.answer.document
        version = evidence.answer.version
        language = evidence.answer.language
        hash = Base64URL.encode(evidence.answer.hash)
        answer = evidence.answer.kind.rawValue
        shown = evidence.answer.shown.rawValue
        sessionID = evidence.sessionID?.description
        clientID = evidence.clientID
        answeredAt = evidence.answeredAt.description
        identityHash = closing?.identityHash
        closedAt = closing?.time.description
    }
}

/// A stored answer with a signature of its JSON.
package struct SignedEvidenceBody: AnswerBody, DocumentedBody, Hashable {
    package var evidence: EvidenceBody
    /// The signature in compact serialization, whose payload is the answer.
    package var jws: String

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case evidence, jws
    }

    package static let schema = JSONSchema.component(
        "SignedTermsEvidence",
        summary: "A stored answer with a JWS in compact serialization, whose payload is the answer.",
        members: [.required(CodingKeys.evidence, EvidenceBody.schema), .required(CodingKeys.jws, .text)]
    )

    package init(evidence: EvidenceBody, jws: String) {
        (self.evidence, self.jws) = (evidence, jws)
    }
}
