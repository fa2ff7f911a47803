import LatchkeyModel
package import LatchkeyWire

/// The changes that a publication has made, or would make.
package struct PublicationBody: AnswerBody, DocumentedBody, Hashable {
    /// A change.
    package struct Change: DocumentedBody, Hashable {
        package var document: String
        /// The version, or `nil` if the change affects only the document.
        package var version: Int?
        /// The language, or `nil` if the change isn't the addition of a text.
        package var language: String?
        package var change: String
        /// The answer that the version asks for, or `nil` if no version was added.
        package var asks: String?
        /// When the version takes effect, or `nil` if no version was added.
        package var effectiveAt: String?
        /// The approximate number of accounts that are asked, or `nil` if none is.
        package var accounts: Int?

        package enum CodingKeys: String, CodingKey, CaseIterable {
            case document, version, language, change, asks, accounts
            case effectiveAt = "effective_at"
        }

        package static let schema = JSONSchema.object([
            .required(CodingKeys.document, .text), .optional(CodingKeys.version, .integer),
            .optional(CodingKeys.language, .text),
            .required(
                CodingKeys.change,
                .oneOf("document_added", "titles_changed", "version_added", "text_added")
            ),
            .optional(CodingKeys.asks, .oneOf(TermsVersion.Request.allCases)),
            .optional(CodingKeys.effectiveAt, .time), .optional(CodingKeys.accounts, .integer),
        ])

        package init(document: String, change: String) {
            (self.document, self.change) = (document, change)
        }
    }

    package var changes: [Change]
    /// The changes that may not have been intended, such as a missing translation.
    package var warnings: [String]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case changes, warnings
    }

    package static let schema = JSONSchema.component(
        "TermsPublication",
        summary: "The changes of a publication, and what may not have been intended.",
        members: [
            .required(CodingKeys.changes, .array(Change.schema)),
            .required(CodingKeys.warnings, .array(.text)),
        ]
    )

    package init(changes: [Change], warnings: [String]) {
        (self.changes, self.warnings) = (changes, warnings)
    }
}

extension PublicationBody {
    init(_ report: TermsPublisher.Report) {
        let changes = zip(report.plan.changes, report.accounts).map { change, accounts in
            var body = Change(change)
            body.accounts = accounts
            return body
        }
        self.init(changes: changes, warnings: report.plan.warnings.map(\.description))
    }
}

extension PublicationBody.Change {
    fileprivate init(_ change: PublicationPlan.Change) {
        switch change {
        case .documentAdded(let document): self.init(document: document.key, change: "document_added")
        case .titlesChanged(let key, _): self.init(document: key, change: "titles_changed")
        case .versionAdded(let key, let added, let time):
            self.init(document: key, change: "version_added")
            version = added.number
            asks = added.asks.rawValue
            effectiveAt = time.description
        case .textAdded(let key, let number, let text):
            self.init(document: key, change: "text_added")
            version = number
            language = text.language
        }
    }
}
