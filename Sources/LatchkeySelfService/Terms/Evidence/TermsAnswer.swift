package import LatchkeyModel

/// The answer of a user to a text.
package struct TermsAnswer: Hashable, Sendable {
    /// The kind of an answer.
    package enum Kind: String, Sendable, CaseIterable {
        case acceptance, acknowledgement, refusal
    }

    /// The place at which the user saw the text.
    package enum Surface: String, Sendable, CaseIterable {
        /// A page of the server.
        case hostedPage = "hosted_page"
        /// A screen of our client.
        case ownScreen = "own_screen"
        /// A screen of the app.
        case appScreen = "app_screen"
        /// The form of a registration.
        case signUp = "sign_up"
        /// Another system, from which an operator has imported the answer.
        case imported = "import"
    }

    package let document: String
    package let version: Int
    package let language: String
    /// The SHA-256 hash of the text.
    package let hash: [UInt8]
    package let kind: Kind
    package let shown: Surface

    package init(
        document: String,
        version: Int,
        language: String,
        hash: [UInt8],
        kind: Kind,
        shown: Surface
    ) {
        (self.document, self.version, self.language) = (document, version, language)
        (self.hash, self.kind, self.shown) = (hash, kind, shown)
    }
}

/// A stored answer, which never changes.
package struct TermsEvidence: Hashable, Sendable {
    package let id: Identifier
    package let identityID: Identifier
    /// The position among the answers of the account, beginning with 1.
    package let number: Int
    package let answer: TermsAnswer
    /// The session, or `nil` if the user answered without one, or if the account was erased or taken over.
    package let sessionID: Identifier?
    package let clientID: String?
    package let answeredAt: Timestamp
}
