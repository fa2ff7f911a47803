package import LatchkeyAccounts
import LatchkeyModel
package import LatchkeyServerKit
package import LatchkeyWire

/// Checks the answers in a request against what is published.
package struct AnswerReader {
    /// The maximum number of answers in a request.
    package static let mostAnswers = 50

    private let documents: [String: TermsDocument]
    private let client: OAuthClient?

    /// Creates a reader for the users of a client, or for those without one.
    package init(documents: [TermsDocument], client: OAuthClient?) {
        self.documents = Dictionary(uniqueKeysWithValues: documents.map { ($0.key, $0) })
        self.client = client
    }

    /// Returns the answers in the body of a request, each with its document.
    ///
    /// - Throws: A ``ServerError`` with status 400 that names the member that is wrong.
    package func answers(
        in body: NewAnswersBody
    ) throws(ServerError) -> [FlowAnswer] {
        guard !body.answers.isEmpty else { throw .malformed("The member answers must not be empty.") }
        guard body.answers.count <= Self.mostAnswers else {
            throw .malformed("The member answers must have at most \(Self.mostAnswers) elements.")
        }
        var answers: [FlowAnswer] = []
        for (index, member) in body.answers.enumerated() {
            let answer = try answer(member, at: "answers[\(index)]")
            if answers.contains(where: { $0.document.key == answer.document.key }) {
                throw .malformed("The member answers[\(index)].document was already answered.")
            }
            answers.append(answer)
        }
        return answers
    }

    private func answer(
        _ member: NewAnswersBody.Answer,
        at place: String
    ) throws(ServerError) -> FlowAnswer {
        guard let document = documents[member.document] else {
            throw .malformed("The member \(place).document is not the key of a published document.")
        }
        guard document.applies(to: client) else {
            throw .malformed(
                "The member \(place).document names a document that doesn't apply at this client."
            )
        }
        guard let version = document.version(member.version) else {
            throw .malformed("The member \(place).version is not a published version of \(document.key).")
        }
        guard let text = version.text(in: member.language.lowercased()) else {
            throw .malformed(
                "The member \(place).language is not a language of \(document.key), version \(version.number)."
            )
        }
        guard let hash = Base64URL.decode(member.hash), hash == text.hash else {
            throw .malformed(
                """
                The member \(place).hash is not the hash of \(document.key), version \(version.number), in \
                \(text.language).
                """
            )
        }
        let kind = try kind(of: member, in: document, at: place)
        let shown = member.shown ?? TermsAnswer.Surface.appScreen.rawValue
        guard let shown = TermsAnswer.Surface(rawValue: shown), [.ownScreen, .appScreen].contains(shown)
        else { throw .malformed("The member \(place).shown must be own_screen or app_screen.") }
        let answer = TermsAnswer(
            document: document.key,
            version: version.number,
            language: text.language,
            hash: text.hash,
            kind: kind,
            shown: shown
        )
        return FlowAnswer(document: document, answer: answer)
    }

    /// Returns the kind of an answer, which must be one that the version asks for.
    private func kind(
        of member: NewAnswersBody.Answer,
        in document: TermsDocument,
        at place: String
    ) throws(ServerError) -> TermsAnswer.Kind {
        let kinds: [TermsAnswer.Kind] =
            switch document.question(of: member.version)?.asks {
            case .acceptance: [.acceptance, .refusal]
            case .acknowledgement: [.acknowledgement]
            case .nothing, nil: []
            }
        guard !kinds.isEmpty else {
            throw .malformed(
                "The member \(place).version names a version of \(document.key) that asks for no answer."
            )
        }
        guard let kind = kinds.first(where: { $0.rawValue == member.answer }) else {
            let names = kinds.map(\.rawValue).joined(separator: " or ")
            throw .malformed("The member \(place).answer must be \(names), which the version asks for.")
        }
        return kind
    }
}
